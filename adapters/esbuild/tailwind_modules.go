package esbuild

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// pluginScript is a plugin or a configuration, with all that it imports.
type pluginScript struct {
	code   string
	madeOf *trace
}

// maxScript bounds one script, in bytes.
const maxScript = 8 << 20

// pluginScript bundles what a sheet names with @plugin or @config. Nothing of it is
// run but in Tailwind's machine, which has no files and no network.
func (i *styleImports) pluginScript(id, base, dir string, inPackage bool) (string, error) {
	tree := i.project.packages
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %q %q %q %q %+v", i.engine.key, tree.key, tree.dir, id, base, dir, i.project.config.aliases)
	key := hex.EncodeToString(digest.Sum(nil))
	if known, found := i.scripts.get(key); found {
		// The plan that is being made depends on what the script depends on.
		if known.madeOf.holds(i.project.src) {
			return known.code, nil
		}
	}
	traced := newTrace(i.project.src, "")
	defer traced.rest()
	own := *i.project
	own.src = traced
	b := &pluginBundle{project: &own, engine: i.engine, id: id, base: strings.TrimPrefix(base, "/"), dir: dir, inPackage: inPackage}
	out, messages, err := run(i.ctx, b.options())
	if err != nil {
		return "", err
	}
	for _, message := range messages {
		if message.Location == nil || message.Location.File == "<stdin>" {
			return "", &tailwind.Mistake{Message: plainText(message.Text), Names: []string{id}}
		}
	}
	if len(messages) > 0 {
		return "", &sourceErrors{messages}
	}
	code := string(out.files["stdin.js"])
	if len(code) > maxScript {
		return "", &tailwind.Mistake{Message: fmt.Sprintf("%q is larger than %d MB with all that it imports", id, maxScript>>20), Names: []string{id}}
	}
	i.scripts.put(key, &pluginScript{code, traced})
	return code, nil
}

// pluginBundle is one run of esbuild over a plugin or a configuration.
type pluginBundle struct {
	*project
	engine *tailwindEngine
	// id is imported from base, or from a package's directory on the disk.
	id, base, dir string
	inPackage     bool
}

// pluginEntry is what exports a plugin in whichever form it is: the compiler takes
// the default export, or all.
const pluginEntry = `import * as module from "plugin"; export default module.default ?? module;`

func (b *pluginBundle) options() api.BuildOptions {
	working := b.packages.workingDir()
	return api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: pluginEntry},
		Bundle:        true,
		Metafile:      true,
		Format:        api.FormatCommonJS,
		Platform:      api.PlatformBrowser,
		Target:        api.ES2022,
		AbsWorkingDir: working,
		Outdir:        filepath.Join(working, outdir),
		TsconfigRaw:   "{}",
		MinifySyntax:  true, MinifyWhitespace: true,
		LegalComments: api.LegalCommentsNone,
		LogLevel:      api.LogLevelSilent,
		Charset:       api.CharsetUTF8,
		Define: map[string]string{
			"process.env.NODE_ENV": `"production"`, "__dirname": `"/"`, "__filename": `"/tailwind.config.js"`,
			"import.meta.url": `"file:///tailwind.config.js"`, "import.meta.dirname": `"/"`,
		},
		Plugins: []api.Plugin{{Name: "plugin", Setup: b.setup}},
	}
}

// nsShim holds what takes the place of modules of Node that configurations use to
// write paths.
const nsShim = "shim"

var shims = map[string]string{
	"path": `const parts = (all) => { const out = []; for (const part of all.join("/").split("/")) if (part === "..") out.pop(); else if (part && part !== ".") out.push(part); return out };
const join = (...all) => (String(all[0] ?? "").startsWith("/") ? "/" : "") + parts(all).join("/") || ".";
const resolve = (...all) => { const last = all.findLastIndex((part) => part.startsWith("/")); return "/" + parts(all.slice(Math.max(last, 0))).join("/") };
const basename = (name) => parts([name]).pop() ?? "";
const dirname = (name) => join(name, "..");
const api = { join, resolve, basename, dirname, normalize: (name) => join(name), relative: (_, name) => name, sep: "/" };
module.exports = { ...api, posix: api, default: api };`,
	"url":  `const fileURLToPath = (url) => String(url).replace(/^file:\/\//, ""); module.exports = { fileURLToPath };`,
	"util": `module.exports = { deprecate: (f) => f, inspect: String, inherits() {} };`,
}

func (b *pluginBundle) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer contain(&err)
		if _, own := args.PluginData.(native); own {
			return result, nil
		}
		if args.Kind == api.ResolveEntryPoint {
			return result, nil
		}
		return b.resolve(pb, args)
	})
	load := func(namespace string, do func(api.OnLoadArgs) (api.OnLoadResult, error)) {
		pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
			defer contain(&err)
			return do(args)
		})
	}
	load(nsProject, b.load)
	load(nsShim, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return loaded(shims[args.Path], api.LoaderJS), nil
	})
	load(nsEmpty, func(api.OnLoadArgs) (api.OnLoadResult, error) { return loaded("", api.LoaderEmpty), nil })
	load("file", func(args api.OnLoadArgs) (api.OnLoadResult, error) { return b.packages.load(args) })
	b.engine.setupLoader(pb)
}

func (b *pluginBundle) resolve(pb api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	spec, from := args.Path, path.Dir(args.Importer)
	inProject := args.Namespace == nsProject
	dir := args.ResolveDir
	if args.Path == "plugin" && args.Namespace == "file" && args.ResolveDir == "" || args.Importer == "<stdin>" {
		spec, from, inProject, dir = b.id, b.base, !b.inPackage, b.dir
	}
	if args.Namespace == nsTailwind {
		return b.engine.resolveInside(args)
	}
	if found, ok := b.engine.resolve(spec, args.Kind); ok {
		return found, nil
	}
	if name := strings.TrimPrefix(spec, "node:"); shims[name] != "" {
		return api.OnResolveResult{Path: name, Namespace: nsShim}, nil
	}
	if inProject {
		return b.resolveInProject(pb, spec, from, args.Kind)
	}
	result := pb.Resolve(spec, api.ResolveOptions{ResolveDir: dir, Importer: args.Importer, Kind: args.Kind, PluginData: native{}})
	switch {
	case len(result.Errors) == 0 && result.Namespace == "file" && !result.External:
		return api.OnResolveResult{Path: result.Path, Namespace: "file"}, nil
	case isBuiltin(spec):
		return api.OnResolveResult{Path: spec, Namespace: nsEmpty}, nil
	}
	return api.OnResolveResult{}, missingError(packageOf(spec))
}

func (b *pluginBundle) resolveInProject(pb api.PluginBuild, spec, from string, kind api.ResolveKind) (api.OnResolveResult, error) {
	var names []string
	relative := spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
	switch {
	case relative:
		names = []string{path.Join(from, spec)}
	case strings.HasPrefix(spec, "/"):
		names = []string{spec}
	case isBuiltin(spec):
		return api.OnResolveResult{}, fmt.Errorf("%q is a module of Node, which is not there when the configuration of Tailwind is read", strings.TrimPrefix(spec, "node:"))
	default:
		names = b.config.candidates(spec)
	}
	for _, candidate := range names {
		if name, found := b.findFile(candidate); found {
			return api.OnResolveResult{Path: name, Namespace: nsProject}, nil
		}
	}
	if relative || strings.HasPrefix(spec, "/") {
		return api.OnResolveResult{}, fmt.Errorf("there is no file %q in the project", spec)
	}
	if b.packages.dir == "" {
		return api.OnResolveResult{}, missingError(packageOf(spec))
	}
	result := pb.Resolve(spec, api.ResolveOptions{ResolveDir: b.packages.dir, Kind: kind, PluginData: native{}})
	if len(result.Errors) > 0 || result.Namespace != "file" || result.External {
		return api.OnResolveResult{}, missingError(packageOf(spec))
	}
	return api.OnResolveResult{Path: result.Path, Namespace: "file"}, nil
}

// load gives esbuild a module of the project, which may be in either form.
func (b *pluginBundle) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := b.src.read(args.Path, maxModuleBytes)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if problem, at := tooDeep(text); problem != "" {
		return api.OnLoadResult{Errors: []api.Message{messageAt(args.Path, text, at, problem)}}, nil
	}
	loader := loaderOf(args.Path)
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		text = hideSourceMap(guardPackage(text))
	case api.LoaderJSON:
	default:
		return api.OnLoadResult{}, fmt.Errorf("%q is no module", args.Path)
	}
	return loaded(string(text), loader), nil
}

// tailwindRange returns which version of Tailwind a package.json asks for.
func tailwindRange(text []byte) string {
	var manifest struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if json.Unmarshal(text, &manifest) != nil {
		return ""
	}
	if version := manifest.Dependencies["tailwindcss"]; version != "" {
		return version
	}
	return manifest.DevDependencies["tailwindcss"]
}
