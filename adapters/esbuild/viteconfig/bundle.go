package viteconfig

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/ports/build"
)

// nsKnown holds the replacements for modules that the machine does not have.
const nsKnown = "known"

// entry imports the configurations in any module form, and hands them over. A bundle in the form of
// modules may wait at its top level, as configurations do; the function around it lets it.
const (
	entry  = `const config = await import("config"); viteReading(viteInput.postcss); const postcss = await import("postcss"); viteRead(config.default ?? config, postcss.default ?? postcss);`
	before = "(async () => {"
	after  = "\n})().catch(viteFailed);"
)

// bundle bundles the configurations with what they import of the project.
func (e *evaluation) bundle() (script string, messages []api.Message, err error) {
	out, messages, err := project.Run(e.ctx, api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: entry},
		Bundle: true, Metafile: true, Format: api.FormatESModule, Platform: api.PlatformNeutral, Target: api.ES2022,
		AbsWorkingDir: "/", Outdir: "/" + project.Outdir, TsconfigRaw: "{}",
		LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8,
		Define: map[string]string{
			"__dirname": `"/app"`, "__filename": `"/app/config"`, "import.meta.url": `"file:///app/config"`,
			"import.meta.dirname": `"/app"`, "import.meta.filename": `"/app/config"`, "global": "globalThis",
		},
		Plugins: []api.Plugin{{Name: "config", Setup: e.setup}},
	})
	if len(out.Files["stdin.js"]) > maxScript {
		return "", nil, errors.New("it is too large with what it imports")
	}
	return before + string(out.Files["stdin.js"]) + after, messages, err
}

// maxScript bounds a configuration with what it imports, in bytes.
const maxScript = 4 << 20

// foreignError is the import of a module that only the project's own tools have, or a file that only
// they read.
type foreignError struct{ name, module string }

func (e *foreignError) Error() string {
	if e.module == "" {
		return e.name + " is neither JavaScript nor JSON"
	}
	return e.name + " imports " + e.module
}

// refused turns messages of the bundler into an answer: what it cannot import is for the project's
// own tools, and mistakes are the project's.
func (e *evaluation) refused(messages []api.Message) (build.ViteConfig, bool) {
	var wrong build.ViteConfig
	for _, message := range messages {
		var foreign *foreignError
		if cause, is := message.Detail.(error); is && errors.As(cause, &foreign) {
			return build.ViteConfig{Unsupported: foreign.Error()}, true
		}
		wrong.Diagnostics = append(wrong.Diagnostics, project.DiagnosticOf(message))
	}
	wrong.Diagnostics = wrong.Diagnostics[:min(len(wrong.Diagnostics), project.MaxDiagnostics)]
	return wrong, len(messages) > 0
}

func (e *evaluation) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer project.Contain(&err)
		switch {
		case args.Kind == api.ResolveEntryPoint:
			return result, nil
		case args.Importer == "<stdin>":
			name := map[string]string{"config": e.name, "postcss": e.postcss}[args.Path]
			if name == "" || name == packageFile {
				return api.OnResolveResult{Path: noConfig, Namespace: nsKnown}, nil
			}
			return api.OnResolveResult{Path: name, Namespace: project.NsProject}, nil
		case strings.HasPrefix(args.Path, "."):
			return e.resolveRelative(args)
		}
		if known(strings.TrimPrefix(args.Path, "node:")) == "" {
			return result, &foreignError{args.Importer, args.Path}
		}
		return api.OnResolveResult{Path: strings.TrimPrefix(args.Path, "node:"), Namespace: nsKnown}, nil
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: nsKnown}, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return project.Loaded(known(args.Path), api.LoaderJS), nil
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: project.NsProject}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
		defer project.Contain(&err)
		return e.load(args.Path)
	})
}

// resolveRelative finds a file of the project.
func (e *evaluation) resolveRelative(args api.OnResolveArgs) (api.OnResolveResult, error) {
	name := path.Join(path.Dir(args.Importer), args.Path)
	stem := strings.TrimSuffix(name, path.Ext(name))
	for _, one := range []string{name, name + ".ts", name + ".js", name + ".mjs", name + ".mts", name + ".json", stem + ".ts", stem + ".mts", name + "/index.ts", name + "/index.js"} {
		if e.src.IsFile(one) {
			return api.OnResolveResult{Path: one, Namespace: project.NsProject}, nil
		}
	}
	return api.OnResolveResult{}, fmt.Errorf("there is no file %q in the project", args.Path)
}

func (e *evaluation) load(name string) (api.OnLoadResult, error) {
	text, err := e.src.Read(name, project.MaxModuleBytes)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if problem, at := project.TooDeep(text); problem != "" {
		return api.OnLoadResult{Errors: []api.Message{project.MessageAt(name, text, at, problem)}}, nil
	}
	loader := project.LoaderOf(name)
	if name == ".postcssrc" && json.Valid(text) {
		loader = api.LoaderJSON
	}
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		text = project.HideSourceMap(text)
	case api.LoaderJSON:
	default:
		return api.OnLoadResult{}, &foreignError{name: name}
	}
	return project.Loaded(string(text), loader), nil
}

// noConfig is the module of a configuration that the project does not have.
const noConfig = "none"

// known returns the replacement for a module, "" if there is none.
func known(module string) string {
	switch module {
	case "vite", "vitest/config", "path", "url", "fs", "process":
		return fmt.Sprintf("module.exports = viteWorld[%q];", module)
	case noConfig:
		return "module.exports = {};"
	case "path/posix":
		return "module.exports = viteWorld.path;"
	}
	if isKnownPlugin(module) {
		return fmt.Sprintf("module.exports = viteWorld.plugin(%q);", module)
	}
	return ""
}

// isKnownPlugin reports whether the builder has the effect of a plugin itself, or the plugin has none
// on pages.
func isKnownPlugin(module string) bool {
	switch module {
	case "@vitejs/plugin-react", "@vitejs/plugin-react-swc", "@tailwindcss/vite", "tailwindcss", "@tailwindcss/postcss", "autoprefixer", "postcss-import", "cssnano", "vite-tsconfig-paths", "vite-plugin-svgr",
		// These show places and sources in other builders' editors.
		"lovable-tagger", "@dyad-sh/react-vite-component-tagger",
		// These report on a build, pack it, or encrypt a server on the developer's machine.
		"rollup-plugin-visualizer", "vite-bundle-visualizer", "vite-plugin-inspect", "vite-plugin-checker", "vite-plugin-eslint",
		"vite-plugin-compression", "vite-plugin-mkcert", "@vitejs/plugin-basic-ssl":
		return true
	}
	return strings.HasPrefix(module, "@replit/vite-plugin-")
}
