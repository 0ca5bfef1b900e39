package project

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
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/build"
)

// Project holds what one build knows of a project.
type Project struct {
	// Ctx is the build's context, for esbuild's callbacks, which receive none.
	Ctx      context.Context
	Mode     build.Mode
	Src      Tree
	Config   config
	Env      map[string]any
	Packages *Packages
	Pages    []*Page
	// workers are the worker scripts that are being bundled, the innermost last.
	workers []string
	// Settings is a digest of everything beside the sources that affects the modules of a
	// preview.
	Settings string
	Styles   StyleMaker
	// Printed caches esbuild's output for plain style sheets.
	Printed *lru.Cache[string, string]
}

// Bundle is one run of esbuild over the project's modules.
type Bundle struct {
	*Project
	// Reach decides how the project's modules import a module of a package.
	Reach func(dep Dependency, kind api.ResolveKind) api.OnResolveResult
	// InPackages decides the same for imports within packages, for the packages that are
	// named in elsewhere.
	InPackages func(file string) (api.OnResolveResult, bool)
	Elsewhere  map[string]bool

	// whole means that a preview, too, bundles what reach leaves to esbuild.
	whole bool

	mu      sync.Mutex
	Used    map[string]Dependency // by name
	Bridges map[string]Dependency // by identifier
	// Kept are files of the result beside esbuild's output.
	Kept []build.File
}

// NewBundle returns a run over the modules of p. The caller sets how packages are
// reached.
func NewBundle(p *Project) *Bundle {
	return &Bundle{Project: p, Used: make(map[string]Dependency), Bridges: make(map[string]Dependency)}
}

// Use records that the project needs dep pre-bundled.
func (b *Bundle) Use(dep Dependency) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Used[dep.Name] = dep
}

// Outdir is a virtual directory: nothing is written to the disk.
const Outdir = "out"

// WorkingDir is the directory to which esbuild resolves relative paths.
func (t *Packages) WorkingDir() string {
	if t.Dir == "" {
		return string(filepath.Separator)
	}
	return t.Dir
}

// Options returns the esbuild options that both modes share.
func (b *Bundle) Options() api.BuildOptions {
	return api.BuildOptions{
		EntryPointsAdvanced: b.entries(),
		AbsWorkingDir:       b.Packages.WorkingDir(),
		Outdir:              filepath.Join(b.Packages.WorkingDir(), Outdir),
		Bundle:              true,
		Splitting:           true,
		Metafile:            true,
		Format:              api.FormatESModule,
		Platform:            api.PlatformBrowser,
		Target:              api.ES2022,
		Conditions:          []string{"module", "browser", ModeNames[b.Mode]},
		JSX:                 api.JSXAutomatic,
		JSXImportSource:     b.Config.JSXSource,
		TsconfigRaw:         b.Config.Raw(),
		Define:              defines(b.Env, ModeNames[b.Mode], b.Config.Define),
		Loader:              LoaderTable(),
		PublicPath:          "/",
		AssetNames:          "assets/[name]-[hash]",
		LegalComments:       api.LegalCommentsEndOfFile,
		LogLevel:            api.LogLevelSilent,
		Charset:             api.CharsetUTF8,
		Plugins:             []api.Plugin{{Name: "project", Setup: b.setup}},
	}
}

// entries returns the modules and style sheets that pages name.
func (b *Bundle) entries() []api.EntryPoint {
	var entries []api.EntryPoint
	for i, e := range EntriesOf(b.Pages) {
		entries = append(entries, api.EntryPoint{InputPath: fmt.Sprintf("%s%d", EntryPrefix, i), OutputPath: e.label()})
	}
	return entries
}

// setup is the esbuild plugin. Panics of callbacks, which run on esbuild's goroutines,
// become errors of the build.
func (b *Bundle) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer Contain(&err)
		if _, own := args.PluginData.(NativeResolution); own {
			return result, nil
		}
		switch args.Namespace {
		case NsProject, NsJSX, NsWorker:
			return b.ResolveImport(pb, args)
		}
		return b.ResolveInPackage(pb, args)
	})
	b.SetupLoaders(pb)
}

// SetupLoaders registers the loaders of all namespaces.
func (b *Bundle) SetupLoaders(pb api.PluginBuild) {
	load := func(namespace string, do func(api.OnLoadArgs) (api.OnLoadResult, error)) {
		pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
			defer Contain(&err)
			return do(args)
		})
	}
	load(NsProject, b.loadSource)
	load(NsWorker, b.loadWorker)
	load(NsAddress, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		content, err := b.Src.Read(args.Path, MaxAssetBytes)
		return Loaded(string(content), api.LoaderFile), err
	})
	load(nsPublic, func(args api.OnLoadArgs) (api.OnLoadResult, error) { return Loaded(args.Path, api.LoaderText), nil })
	load(nsBridge, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return Loaded("module.exports = "+args.Path, api.LoaderJS), nil
	})
	load(NsJSX, func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		return Loaded(strings.ReplaceAll(jsxShim, "%RUNTIME%", args.Path), api.LoaderJS), nil
	})
	load(NsEmpty, func(api.OnLoadArgs) (api.OnLoadResult, error) { return Loaded("", api.LoaderEmpty), nil })
	load("file", func(args api.OnLoadArgs) (api.OnLoadResult, error) { return b.Packages.Load(args) })
}

// Contain recovers from a panic and turns it into an error.
func Contain(err *error) {
	if cause := recover(); cause != nil {
		*err = fmt.Errorf("the builder failed on this file")
	}
}

// Loaded returns the text of a module to esbuild.
func Loaded(text string, loader api.Loader) api.OnLoadResult {
	return api.OnLoadResult{Contents: &text, Loader: loader}
}

// ResolveInPackage resolves entries and the imports of packages.
func (b *Bundle) ResolveInPackage(pb api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Kind == api.ResolveEntryPoint {
		if args.Path == EntryPrefix+entryOfWorker {
			return b.beginWorker(), nil
		}
		var i int
		if _, err := fmt.Sscanf(args.Path, EntryPrefix+"%d", &i); err != nil {
			return api.OnResolveResult{}, err
		}
		e := EntriesOf(b.Pages)[i]
		return b.moduleAt(e.Name, e.Suffix), nil
	}
	if b.Elsewhere[PackageOf(args.Path)] {
		result := pb.Resolve(args.Path, api.ResolveOptions{ResolveDir: args.ResolveDir, Importer: args.Importer, Kind: args.Kind, PluginData: NativeResolution{}})
		if len(result.Errors) == 0 && result.Namespace == "file" {
			if reached, ok := b.InPackages(result.Path); ok {
				return reached, nil
			}
		}
	}
	return ResolveBuiltin(pb, args), nil
}

// ResolveBuiltin gives packages an empty module instead of a module of Node, unless a
// package of that name is installed. Packages often only check what exists.
func ResolveBuiltin(pb api.PluginBuild, args api.OnResolveArgs) api.OnResolveResult {
	if !IsBuiltin(args.Path) {
		return api.OnResolveResult{}
	}
	result := pb.Resolve(args.Path, api.ResolveOptions{ResolveDir: args.ResolveDir, Importer: args.Importer, Kind: args.Kind, PluginData: NativeResolution{}})
	if len(result.Errors) == 0 {
		return api.OnResolveResult{}
	}
	return api.OnResolveResult{Path: args.Path, Namespace: NsEmpty}
}

// loadSource loads a module of the project.
func (b *Bundle) loadSource(args api.OnLoadArgs) (api.OnLoadResult, error) {
	args.Path = WithoutLabel(args.Path)
	if script, found := InlineScript(b.Pages, args.Path, args.Suffix); found {
		return b.guarded(args.Path, []byte(script), api.LoaderJS), nil
	}
	if args.Suffix == "?init" {
		return loadWebAssembly(args.Path), nil
	}
	loader, err := SuffixLoader(args.Path, args.Suffix, LoaderOf(args.Path))
	if err != nil {
		return api.OnLoadResult{}, err
	}
	limit := int64(MaxModuleBytes)
	if loader == api.LoaderFile {
		limit = MaxAssetBytes
	}
	text, err := b.Src.Read(args.Path, limit)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	if args.Suffix == "?inline" && LoaderOf(args.Path) == api.LoaderCSS {
		css, messages := b.Styles(b.Project, args.Path, text)
		return api.OnLoadResult{Contents: new(string(css)), Loader: loader, Errors: messages}, nil
	}
	return b.guarded(args.Path, text, loader), nil
}

// guarded prepares a source for the parser.
func (b *Bundle) guarded(name string, text []byte, loader api.Loader) api.OnLoadResult {
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX, api.LoaderCSS, api.LoaderLocalCSS, api.LoaderJSON:
		if problem, at := TooDeep(text); problem != "" {
			return api.OnLoadResult{Errors: []api.Message{MessageAt(name, text, at, problem)}}
		}
	}
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		written, at, problem := b.writeSpecials(name, text)
		if at >= 0 {
			return api.OnLoadResult{Errors: []api.Message{MessageAt(name, text, at, problem)}}
		}
		result := guardModule(written)
		if result.at >= 0 {
			return api.OnLoadResult{Errors: []api.Message{MessageAt(name, written, result.at, result.problem)}}
		}
		text = HideSourceMap(result.text)
	case api.LoaderCSS, api.LoaderLocalCSS:
		css, messages := b.Styles(b.Project, name, text)
		if len(messages) > 0 {
			return api.OnLoadResult{Errors: messages}
		}
		text = HideSourceMap(css)
	}
	result := Loaded(string(text), loader)
	if b.Mode == build.ModeSite || b.whole {
		result.ResolveDir = b.Packages.Dir // for imports that reach leaves to esbuild
	}
	return result
}

// Load loads a file of a package. Whatever led to it, no other file of the disk is ever
// read.
func (t *Packages) Load(args api.OnLoadArgs) (api.OnLoadResult, error) {
	if !t.Holds(args.Path) {
		return api.OnLoadResult{}, fmt.Errorf("this file is outside the project and its packages")
	}
	loader, err := SuffixLoader(args.Path, args.Suffix, LoaderOf(args.Path))
	if err != nil {
		return api.OnLoadResult{}, err
	}
	info, err := os.Lstat(args.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > MaxAssetBytes {
		return api.OnLoadResult{}, fmt.Errorf("a file of a package cannot be read")
	}
	text, err := os.ReadFile(args.Path)
	if err != nil {
		return api.OnLoadResult{}, fmt.Errorf("a file of a package cannot be read")
	}
	switch loader {
	case api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX:
		text = HideSourceMap(GuardPackage(text))
	case api.LoaderCSS, api.LoaderLocalCSS:
		text = HideSourceMap(text)
	}
	return Loaded(string(text), loader), nil
}

// metafile is esbuild's report about its output.
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

// Output is the output of a run of esbuild, by path below outdir.
type Output struct {
	Files map[string][]byte
	Meta  map[string]metaOutput
	// Inputs are the bundled modules, as esbuild writes their names.
	Inputs map[string]struct{}
}

// Run runs esbuild. Mistakes in the sources are messages; an error means that ctx ended
// or that esbuild failed.
func Run(ctx context.Context, options api.BuildOptions) (out Output, messages []api.Message, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = core.Wrap(core.CodeUnavailable, fmt.Errorf("%v", cause), "the builder failed")
		}
	}()
	session, refused := api.Context(options)
	if refused != nil {
		return Output{}, nil, core.Wrap(core.CodeUnavailable, refused, "the builder refused its options")
	}
	defer session.Dispose()
	stop := context.AfterFunc(ctx, session.Cancel)
	defer stop()
	result := session.Rebuild()
	if err := ctx.Err(); err != nil {
		return Output{}, nil, err
	}
	messages = append(result.Errors, brokenCSS(result.Warnings)...)
	if len(messages) > 0 {
		return Output{}, messages, nil
	}
	out, err = readOutput(result, options.Outdir)
	return out, nil, err
}

func readOutput(result api.BuildResult, dir string) (Output, error) {
	var meta metafile
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return Output{}, core.Wrap(core.CodeUnavailable, err, "the builder did not describe its output")
	}
	out := Output{Files: make(map[string][]byte), Meta: make(map[string]metaOutput), Inputs: meta.Inputs}
	for _, file := range result.OutputFiles {
		name, err := filepath.Rel(dir, file.Path)
		if err != nil {
			return Output{}, core.Wrap(core.CodeUnavailable, err, "the builder returned a file without a path")
		}
		out.Files[filepath.ToSlash(name)] = file.Contents
	}
	for name, about := range meta.Outputs {
		about.CSSBundle = strings.TrimPrefix(about.CSSBundle, Outdir+"/")
		out.Meta[strings.TrimPrefix(name, Outdir+"/")] = about
	}
	return out, nil
}
