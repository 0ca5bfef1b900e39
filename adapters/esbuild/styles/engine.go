package styles

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// engine is a version of Tailwind with its package.
type engine struct {
	*tailwind.Engine
	key     string
	pkg     enginePackage
	require map[string]string // files for require(), by request
	modules map[string]string // files for import, by request
}

// enginePackage is the npm package of Tailwind: the project's own, or the embedded copy.
type enginePackage struct {
	version string
	read    func(name string) ([]byte, error)
	// script is the bundled package, once known.
	script string
}

// engineOf returns the version that a project has installed. It returns the embedded copy
// if the project has none, or a version before 4, the first whose compiler runs without
// Node.
func (s *Stylist) engineOf(ctx context.Context, p *project.Project) (*engine, error) {
	key, pkg := "built in", builtinPackage()
	if own, installed := tailwindOf(p.Packages); installed && majorOf(own.version) == majorOf(tailwind.Version) && own.version != tailwind.Version {
		key, pkg = p.Packages.Key+"\x00"+p.Packages.Dir, own
	}
	if known, found := s.engines.Get(key); found {
		return known, nil
	}
	call := s.loading.Start(ctx, key, func(ctx context.Context) (*engine, error) {
		engine, err := newTailwindEngine(ctx, key, pkg)
		if err == nil {
			s.engines.Put(key, engine)
		}
		return engine, err
	})
	return call.Wait(ctx)
}

func builtinPackage() enginePackage {
	files := tailwind.Copy()
	return enginePackage{tailwind.Version, func(name string) ([]byte, error) { return fs.ReadFile(files, name) }, tailwind.Script}
}

// tailwindOf returns the package that a project has installed.
func tailwindOf(t *project.Packages) (enginePackage, bool) {
	if t.Dir == "" {
		return enginePackage{}, false
	}
	dir := filepath.Join(t.Dir, "node_modules", "tailwindcss")
	read := func(name string) ([]byte, error) {
		if !fs.ValidPath(name) {
			return nil, fs.ErrInvalid
		}
		real, err := filepath.EvalSymlinks(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return nil, err
		}
		if !t.Holds(real) {
			return nil, fs.ErrPermission
		}
		info, err := os.Lstat(real)
		if err != nil || !info.Mode().IsRegular() || info.Size() > project.MaxModuleBytes {
			return nil, errors.Join(err, fs.ErrInvalid)
		}
		return os.ReadFile(real)
	}
	text, err := read("package.json")
	if err != nil {
		return enginePackage{}, false
	}
	var manifest struct{ Version string }
	if json.Unmarshal(text, &manifest) != nil {
		return enginePackage{}, false
	}
	return enginePackage{version: manifest.Version, read: read}, true
}

// newTailwindEngine creates the engine of a package. A package that is not Tailwind is a
// mistake in the project's package.json.
func newTailwindEngine(ctx context.Context, key string, pkg enginePackage) (*engine, error) {
	engine := &engine{key: key + " " + pkg.version, pkg: pkg, require: make(map[string]string), modules: make(map[string]string)}
	unusable := func(reason string) error {
		return &sourceErrors{[]api.Message{{Text: fmt.Sprintf("the installed package tailwindcss %s is not usable: %s", pkg.version, reason), Location: &api.Location{File: "package.json", Namespace: project.NsProject}}}}
	}
	if err := engine.readExports(); err != nil {
		return nil, unusable("it has no exports")
	}
	script, messages, err := pkg.script, []api.Message(nil), error(nil)
	if script == "" {
		script, messages, err = engine.bundle(ctx)
	}
	if err != nil {
		return nil, err
	}
	if len(messages) > 0 {
		return nil, unusable(messages[0].Text)
	}
	engine.Engine, err = tailwind.NewEngine(script, tailwind.DefaultLimits())
	if err != nil {
		return nil, unusable(err.Error())
	}
	return engine, nil
}

// bundle bundles the package into one script.
func (e *engine) bundle(ctx context.Context) (script string, messages []api.Message, err error) {
	out, messages, err := project.Run(ctx, api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: tailwind.Glue, Sourcefile: "glue.js"},
		Bundle: true, Metafile: true, Format: api.FormatIIFE, Platform: api.PlatformNeutral, Target: api.ES2022,
		MinifyWhitespace: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone, TsconfigRaw: "{}",
		AbsWorkingDir: string(filepath.Separator), Outdir: filepath.Join(string(filepath.Separator), project.Outdir),
		LogLevel: api.LogLevelSilent, Charset: api.CharsetUTF8,
		Plugins: []api.Plugin{{Name: "tailwind", Setup: e.setup}},
	})
	return string(out.Files["stdin.js"]), messages, err
}

// readExports reads what the package exports to import and to require.
func (e *engine) readExports() error {
	text, err := e.pkg.read("package.json")
	if err != nil {
		return err
	}
	var manifest struct {
		Exports map[string]json.RawMessage `json:"exports"`
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		return err
	}
	for at, raw := range manifest.Exports {
		var target struct{ Require, Import string }
		if json.Unmarshal(raw, &target) != nil {
			continue
		}
		spec := path.Join("tailwindcss", at)
		e.require[spec], e.modules[spec] = path.Clean(target.Require), path.Clean(target.Import)
	}
	return nil
}

// nsTailwind holds the modules of the engine's package.
const nsTailwind = "tailwind"

// resolve resolves an import or a require to a module of the package.
func (e *engine) resolve(spec string, kind api.ResolveKind) (api.OnResolveResult, bool) {
	exports := e.modules
	if kind == api.ResolveJSRequireCall {
		exports = e.require
	}
	name := exports[spec]
	if name == "" || name == "." {
		return api.OnResolveResult{}, false
	}
	return api.OnResolveResult{Path: name, Namespace: nsTailwind}, true
}

func (e *engine) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer project.Contain(&err)
		if args.Namespace == nsTailwind {
			return e.resolveInside(args)
		}
		if found, ok := e.resolve(args.Path, args.Kind); ok {
			return found, nil
		}
		return result, fmt.Errorf("%q does not exist", args.Path)
	})
	e.setupLoader(pb)
}

func (e *engine) resolveInside(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if !strings.HasPrefix(args.Path, ".") {
		return api.OnResolveResult{}, fmt.Errorf("%q does not exist", args.Path)
	}
	return api.OnResolveResult{Path: path.Join(path.Dir(args.Importer), args.Path), Namespace: nsTailwind}, nil
}

func (e *engine) setupLoader(pb api.PluginBuild) {
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: nsTailwind}, func(args api.OnLoadArgs) (result api.OnLoadResult, err error) {
		defer project.Contain(&err)
		text, err := e.pkg.read(args.Path)
		if err != nil {
			return result, fmt.Errorf("%q cannot be read", args.Path)
		}
		return project.Loaded(string(project.HideSourceMap(project.GuardPackage(text))), api.LoaderJS), nil
	})
}

// stylesheet resolves an import to one of the package's sheets.
func (e *engine) stylesheet(id string) (tailwind.Stylesheet, error) {
	if text, found := tailwind.LegacySheets()[id]; found {
		return tailwind.Stylesheet{Path: "/node_modules/" + id, Base: "/node_modules/tailwindcss", Content: text}, nil
	}
	name := strings.TrimPrefix(strings.TrimPrefix(id, "tailwindcss"), "/")
	if name == "" {
		name = "index.css"
	}
	if path.Ext(name) != ".css" {
		name += ".css"
	}
	text, err := e.pkg.read(name)
	if err != nil {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Message: fmt.Sprintf("Tailwind %s has no style sheet %q", e.pkg.version, id), Names: []string{id}}
	}
	return tailwind.Stylesheet{Path: "/node_modules/tailwindcss/" + name, Base: "/node_modules/tailwindcss", Content: string(text)}, nil
}
