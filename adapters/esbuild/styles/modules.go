package styles

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/tailwind"
	"github.com/atelierhq/atelier/core"
)

// pluginScript is a plugin or a configuration, bundled with all its imports.
type pluginScript struct {
	code   string
	madeOf *project.Trace
}

// maxScript bounds one script, in bytes.
const maxScript = 8 << 20

// pluginScript bundles a module that a sheet names with @plugin or @config. It runs only
// in Tailwind's machine, which has no files and no network.
func (i *styleImports) pluginScript(id, base, dir string, inPackage bool) (string, error) {
	tree := i.project.Packages
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %q %q %q %q %q %+v", i.engine.key, tree.Key, tree.Dir, id, base, dir, i.project.Config.Aliases)
	key := hex.EncodeToString(digest.Sum(nil))
	if known, found := i.scripts.Get(key); found {
		// The plan in progress depends on what the script depends on.
		if known.madeOf.Holds(i.project.Src) {
			return known.code, nil
		}
	}
	traced := project.NewTrace(i.project.Src, "")
	defer traced.Rest()
	own := *i.project
	own.Src = traced
	b := &pluginBundle{Project: &own, engine: i.engine, id: id, base: strings.TrimPrefix(base, "/"), dir: dir, inPackage: inPackage}
	out, messages, err := project.Run(i.ctx, b.options())
	if err != nil {
		return "", err
	}
	for _, message := range messages {
		if message.Location == nil || message.Location.File == "<stdin>" {
			return "", &tailwind.Mistake{Message: project.PlainText(message.Text), Names: []string{id}}
		}
	}
	if len(messages) > 0 {
		return "", &sourceErrors{messages}
	}
	code := string(out.Files["stdin.js"])
	if len(code) > maxScript {
		return "", &tailwind.Mistake{Message: fmt.Sprintf("%q is larger than %d MB with all that it imports", id, maxScript>>20), Names: []string{id}}
	}
	i.scripts.Put(key, &pluginScript{code, traced})
	return code, nil
}

// pluginBundle is one run of esbuild over a plugin or a configuration.
type pluginBundle struct {
	*project.Project
	engine *engine
	// id is imported from base, or from a package's directory on the disk.
	id, base, dir string
	inPackage     bool
}

// pluginEntry exports a plugin in either form: the compiler takes the default export, or
// all exports.
const pluginEntry = `import * as module from "plugin"; export default module.default ?? module;`

func (b *pluginBundle) options() api.BuildOptions {
	working := b.Packages.WorkingDir()
	return api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: pluginEntry},
		Bundle:        true,
		Metafile:      true,
		Format:        api.FormatCommonJS,
		Platform:      api.PlatformBrowser,
		Target:        api.ES2022,
		AbsWorkingDir: working,
		Outdir:        filepath.Join(working, project.Outdir),
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

// nsShim holds replacements for modules of Node that configurations use to build paths.
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
		defer project.Contain(&err)
		if _, own := args.PluginData.(project.NativeResolution); own {
			return result, nil
		}
		if args.Kind == api.ResolveEntryPoint {
			return result, nil
		}
		return b.resolve(pb, args)
	})
	load := func(namespace string, do func(api.OnLoadArgs) (api.OnLoadResult, error)) {
		pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
			defer project.Contain(&err)
			return do(args)
		})
	}
	load(project.NsProject, b.load)
	load(nsShim, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return project.Loaded(shims[args.Path], api.LoaderJS), nil
	})
	load(project.NsEmpty, func(api.OnLoadArgs) (api.OnLoadResult, error) { return project.Loaded("", api.LoaderEmpty), nil })
	load("file", func(args api.OnLoadArgs) (api.OnLoadResult, error) { return b.Packages.Load(args) })
	b.engine.setupLoader(pb)
}

func (b *pluginBundle) resolve(pb api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	spec, from := args.Path, path.Dir(args.Importer)
	inProject := args.Namespace == project.NsProject
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
	result := pb.Resolve(spec, api.ResolveOptions{ResolveDir: dir, Importer: args.Importer, Kind: args.Kind, PluginData: project.NativeResolution{}})
	switch {
	case len(result.Errors) == 0 && result.Namespace == "file" && !result.External:
		return api.OnResolveResult{Path: result.Path, Namespace: "file"}, nil
	case project.IsBuiltin(spec):
		return api.OnResolveResult{Path: spec, Namespace: project.NsEmpty}, nil
	}
	return api.OnResolveResult{}, project.MissingError(project.PackageOf(spec))
}

func (b *pluginBundle) resolveInProject(pb api.PluginBuild, spec, from string, kind api.ResolveKind) (api.OnResolveResult, error) {
	var names []string
	relative := spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../")
	switch {
	case relative:
		names = []string{path.Join(from, spec)}
	case strings.HasPrefix(spec, "/"):
		names = []string{spec}
	case project.IsBuiltin(spec):
		return api.OnResolveResult{}, fmt.Errorf("%q is a Node.js module, which is not available when the configuration of Tailwind is read", strings.TrimPrefix(spec, "node:"))
	default:
		names = b.Config.Candidates(spec)
	}
	for _, candidate := range names {
		if name, found := b.FindFile(candidate); found {
			return api.OnResolveResult{Path: name, Namespace: project.NsProject}, nil
		}
	}
	if relative || strings.HasPrefix(spec, "/") {
		return api.OnResolveResult{}, fmt.Errorf("there is no file %q in the project", spec)
	}
	if b.Packages.Dir == "" {
		return api.OnResolveResult{}, project.MissingError(project.PackageOf(spec))
	}
	result := pb.Resolve(spec, api.ResolveOptions{ResolveDir: b.Packages.Dir, Kind: kind, PluginData: project.NativeResolution{}})
	if len(result.Errors) > 0 || result.Namespace != "file" || result.External {
		return api.OnResolveResult{}, project.MissingError(project.PackageOf(spec))
	}
	return api.OnResolveResult{Path: result.Path, Namespace: "file"}, nil
}

// load loads a module of the project, in either module form.
func (b *pluginBundle) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	text, err := b.Src.Read(args.Path, project.MaxModuleBytes)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if problem, at := project.TooDeep(text); problem != "" {
		return api.OnLoadResult{Errors: []api.Message{project.MessageAt(args.Path, text, at, problem)}}, nil
	}
	loader := project.LoaderOf(args.Path)
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		text = project.HideSourceMap(project.GuardPackage(text))
	case api.LoaderJSON:
	default:
		return api.OnLoadResult{}, fmt.Errorf("%q is not a module", args.Path)
	}
	return project.Loaded(string(text), loader), nil
}

// tailwindRange returns the range of Tailwind in a package.json.
func tailwindRange(text []byte) string {
	var manifest struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if json.Unmarshal(core.WithoutMark(text), &manifest) != nil {
		return ""
	}
	if version := manifest.Dependencies["tailwindcss"]; version != "" {
		return version
	}
	return manifest.DevDependencies["tailwindcss"]
}
