package esbuild

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// project is what one build knows of a project.
type project struct {
	// ctx is the build's, for the callbacks of esbuild, which have none.
	ctx      context.Context
	mode     build.Mode
	src      tree
	config   config
	env      map[string]any
	packages *packageTree
	pages    []*page
	// workers are the scripts of workers that are being bundled, the innermost last.
	workers []string
	// settings sums up all that modules of a preview are made with besides their
	// sources.
	settings string
	styles   styleMaker
	// printed remembers what esbuild made of plain style sheets.
	printed *recent[string]
}

// bundle is one run of esbuild over the project's modules.
type bundle struct {
	*project
	// reach decides how the project's modules reach one of a package.
	reach func(dep dependency, kind api.ResolveKind) api.OnResolveResult
	// inPackages does the same for the modules that packages import, of the
	// packages that are named in elsewhere.
	inPackages func(file string) (api.OnResolveResult, bool)
	elsewhere  map[string]bool

	// whole says that what reach leaves to esbuild is bundled in a preview too.
	whole bool

	mu      sync.Mutex
	used    map[string]dependency // by name
	bridges map[string]dependency // by identifier
	// kept are files of the result besides esbuild's output.
	kept []build.File
}

func newBundle(p *project) *bundle {
	return &bundle{project: p, used: make(map[string]dependency), bridges: make(map[string]dependency)}
}

// use notes that the project needs dep ahead of its own bundle.
func (b *bundle) use(dep dependency) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used[dep.name] = dep
}

// outdir is a name that no disk ever sees: nothing is written.
const outdir = "out"

// workingDir is what esbuild takes relative paths from.
func (t *packageTree) workingDir() string {
	if t.dir == "" {
		return string(filepath.Separator)
	}
	return t.dir
}

// options are common to both modes.
func (b *bundle) options() api.BuildOptions {
	return api.BuildOptions{
		EntryPointsAdvanced: b.entries(),
		AbsWorkingDir:       b.packages.workingDir(),
		Outdir:              filepath.Join(b.packages.workingDir(), outdir),
		Bundle:              true,
		Splitting:           true,
		Metafile:            true,
		Format:              api.FormatESModule,
		Platform:            api.PlatformBrowser,
		Target:              api.ES2022,
		Conditions:          []string{"module", "browser", modeNames[b.mode]},
		JSX:                 api.JSXAutomatic,
		JSXImportSource:     b.config.jsxSource,
		TsconfigRaw:         b.config.raw(),
		Define:              defines(b.env, modeNames[b.mode]),
		Loader:              loaderTable(),
		PublicPath:          "/",
		AssetNames:          "assets/[name]-[hash]",
		LegalComments:       api.LegalCommentsEndOfFile,
		LogLevel:            api.LogLevelSilent,
		Charset:             api.CharsetUTF8,
		Plugins:             []api.Plugin{{Name: "project", Setup: b.setup}},
	}
}

// entries are the modules and the style sheets that pages name.
func (b *bundle) entries() []api.EntryPoint {
	var entries []api.EntryPoint
	for i, e := range entriesOf(b.pages) {
		entries = append(entries, api.EntryPoint{InputPath: fmt.Sprintf("%s%d", entryPrefix, i), OutputPath: e.label()})
	}
	return entries
}

// setup is the plugin. Panics of callbacks, which run on esbuild's goroutines,
// become errors of the build.
func (b *bundle) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer contain(&err)
		if _, own := args.PluginData.(native); own {
			return result, nil
		}
		switch args.Namespace {
		case nsProject, nsJSX, nsWorker:
			return b.resolveImport(pb, args)
		}
		return b.resolveInPackage(pb, args)
	})
	b.setupLoaders(pb)
}

func (b *bundle) setupLoaders(pb api.PluginBuild) {
	load := func(namespace string, do func(api.OnLoadArgs) (api.OnLoadResult, error)) {
		pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
			defer contain(&err)
			return do(args)
		})
	}
	load(nsProject, b.loadSource)
	load(nsWorker, b.loadWorker)
	load(nsAddress, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		content, err := b.src.read(args.Path, maxAssetBytes)
		return loaded(string(content), api.LoaderFile), err
	})
	load(nsPublic, func(args api.OnLoadArgs) (api.OnLoadResult, error) { return loaded(args.Path, api.LoaderText), nil })
	load(nsBridge, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return loaded("module.exports = "+args.Path, api.LoaderJS), nil
	})
	load(nsJSX, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return loaded(strings.ReplaceAll(jsxShim, "%RUNTIME%", args.Path), api.LoaderJS), nil
	})
	load(nsEmpty, func(api.OnLoadArgs) (api.OnLoadResult, error) { return loaded("", api.LoaderEmpty), nil })
	load("file", func(args api.OnLoadArgs) (api.OnLoadResult, error) { return b.packages.load(args) })
}

// contain turns a panic into an error.
func contain(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the builder failed on this file")
	}
}

func loaded(text string, loader api.Loader) api.OnLoadResult {
	return api.OnLoadResult{Contents: &text, Loader: loader}
}

// resolveInPackage decides about entries, and about the imports of packages.
func (b *bundle) resolveInPackage(pb api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Kind == api.ResolveEntryPoint {
		if args.Path == entryPrefix+entryOfWorker {
			return b.beginWorker(), nil
		}
		var i int
		if _, err := fmt.Sscanf(args.Path, entryPrefix+"%d", &i); err != nil {
			return api.OnResolveResult{}, err
		}
		e := entriesOf(b.pages)[i]
		return b.moduleAt(e.name, e.suffix), nil
	}
	if b.elsewhere[packageOf(args.Path)] {
		result := pb.Resolve(args.Path, api.ResolveOptions{ResolveDir: args.ResolveDir, Importer: args.Importer, Kind: args.Kind, PluginData: native{}})
		if len(result.Errors) == 0 && result.Namespace == "file" {
			if reached, ok := b.inPackages(result.Path); ok {
				return reached, nil
			}
		}
	}
	return resolveBuiltin(pb, args), nil
}

// resolveBuiltin gives packages an empty module in place of one of Node, unless a
// package of that name is installed. They often only ask what is there.
func resolveBuiltin(pb api.PluginBuild, args api.OnResolveArgs) api.OnResolveResult {
	if !isBuiltin(args.Path) {
		return api.OnResolveResult{}
	}
	result := pb.Resolve(args.Path, api.ResolveOptions{ResolveDir: args.ResolveDir, Importer: args.Importer, Kind: args.Kind, PluginData: native{}})
	if len(result.Errors) == 0 {
		return api.OnResolveResult{}
	}
	return api.OnResolveResult{Path: args.Path, Namespace: nsEmpty}
}

// loadSource gives esbuild a module of the project.
func (b *bundle) loadSource(args api.OnLoadArgs) (api.OnLoadResult, error) {
	args.Path = withoutLabel(args.Path)
	if script, found := inlineScript(b.pages, args.Path, args.Suffix); found {
		return b.guarded(args.Path, []byte(script), api.LoaderJS), nil
	}
	if args.Suffix == "?init" {
		return loadWebAssembly(args.Path), nil
	}
	loader, err := suffixLoader(args.Path, args.Suffix, loaderOf(args.Path))
	if err != nil {
		return api.OnLoadResult{}, err
	}
	limit := int64(maxModuleBytes)
	if loader == api.LoaderFile {
		limit = maxAssetBytes
	}
	text, err := b.src.read(args.Path, limit)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if args.Suffix == "?inline" && loaderOf(args.Path) == api.LoaderCSS {
		css, messages := b.styles(b.project, args.Path, text)
		return api.OnLoadResult{Contents: new(string(css)), Loader: loader, Errors: messages}, nil
	}
	return b.guarded(args.Path, text, loader), nil
}

// guarded prepares a source for the parser.
func (b *bundle) guarded(name string, text []byte, loader api.Loader) api.OnLoadResult {
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX, api.LoaderCSS, api.LoaderLocalCSS, api.LoaderJSON:
		if problem, at := tooDeep(text); problem != "" {
			return api.OnLoadResult{Errors: []api.Message{messageAt(name, text, at, problem)}}
		}
	}
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		written, at, problem := b.writeSpecials(name, text)
		if at >= 0 {
			return api.OnLoadResult{Errors: []api.Message{messageAt(name, text, at, problem)}}
		}
		result := guardModule(written)
		if result.at >= 0 {
			return api.OnLoadResult{Errors: []api.Message{messageAt(name, written, result.at, result.problem)}}
		}
		text = hideSourceMap(result.text)
	case api.LoaderCSS, api.LoaderLocalCSS:
		css, messages := b.styles(b.project, name, text)
		if len(messages) > 0 {
			return api.OnLoadResult{Errors: messages}
		}
		text = hideSourceMap(css)
	}
	result := loaded(string(text), loader)
	if b.mode == build.ModeSite || b.whole {
		result.ResolveDir = b.packages.dir // for what reach leaves to esbuild
	}
	return result
}

// load gives esbuild a file of a package. Whatever led to it, no other file of
// the disk is ever read.
func (t *packageTree) load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if !t.holds(args.Path) {
		return api.OnLoadResult{}, fmt.Errorf("this leads to a file outside of the project and its packages")
	}
	loader, err := suffixLoader(args.Path, args.Suffix, loaderOf(args.Path))
	if err != nil {
		return api.OnLoadResult{}, err
	}
	info, err := os.Lstat(args.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxAssetBytes {
		return api.OnLoadResult{}, fmt.Errorf("a file of a package cannot be read")
	}
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return api.OnLoadResult{}, fmt.Errorf("a file of a package cannot be read")
	}
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		text = hideSourceMap(guardPackage(text))
	case api.LoaderCSS, api.LoaderLocalCSS:
		text = hideSourceMap(text)
	}
	return loaded(string(text), loader), nil
}

// metafile is what esbuild says about its output.
type metafile struct {
	Inputs  map[string]struct{}   `json:"inputs"`
	Outputs map[string]metaOutput `json:"outputs"`
}

type metaOutput struct {
	EntryPoint string              `json:"entryPoint"`
	CSSBundle  string              `json:"cssBundle"`
	Exports    []string            `json:"exports"`
	Inputs     map[string]struct{} `json:"inputs"`
	Imports    []struct {
		Path     string `json:"path"`
		Kind     string `json:"kind"`
		External bool   `json:"external"`
	} `json:"imports"`
}

// output is what a run of esbuild gave, by path below outdir.
type output struct {
	files map[string][]byte
	meta  map[string]metaOutput
	// inputs are the modules that went in, as esbuild writes them.
	inputs map[string]struct{}
}

// run runs esbuild. Mistakes in the sources are messages; an error means that
// ctx ended or that esbuild failed.
func run(ctx context.Context, options api.BuildOptions) (out output, messages []api.Message, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = core.Wrap(core.CodeUnavailable, fmt.Errorf("%v", cause), "the builder failed")
		}
	}()
	session, refused := api.Context(options)
	if refused != nil {
		return output{}, nil, core.Wrap(core.CodeUnavailable, refused, "the builder refused its options")
	}
	defer session.Dispose()
	stop := context.AfterFunc(ctx, session.Cancel)
	defer stop()
	result := session.Rebuild()
	if err := ctx.Err(); err != nil {
		return output{}, nil, err
	}
	messages = append(result.Errors, brokenCSS(result.Warnings)...)
	if len(messages) > 0 {
		return output{}, messages, nil
	}
	out, err = readOutput(result, options.Outdir)
	return out, nil, err
}

func readOutput(result api.BuildResult, dir string) (output, error) {
	var meta metafile
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return output{}, core.Wrap(core.CodeUnavailable, err, "the builder gave no account of its output")
	}
	out := output{files: make(map[string][]byte), meta: make(map[string]metaOutput), inputs: meta.Inputs}
	for _, file := range result.OutputFiles {
		name, err := filepath.Rel(dir, file.Path)
		if err != nil {
			return output{}, core.Wrap(core.CodeUnavailable, err, "the builder gave a file without a place")
		}
		out.files[filepath.ToSlash(name)] = file.Contents
	}
	for name, about := range meta.Outputs {
		about.CSSBundle = strings.TrimPrefix(about.CSSBundle, outdir+"/")
		out.meta[strings.TrimPrefix(name, outdir+"/")] = about
	}
	return out, nil
}
