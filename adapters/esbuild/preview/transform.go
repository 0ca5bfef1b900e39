package preview

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// transform is one run of esbuild over one module. Its imports of the project stay
// external, by their addresses.
type transform struct {
	*project.Bundle
	id moduleID

	mu      sync.Mutex
	imports []moduleID
	// react means that the module creates React elements or imports React.
	react bool
}

func newTransform(p *project.Project, id moduleID) *transform {
	t := &transform{Bundle: project.NewBundle(p), id: id}
	t.Reach = func(dep project.Dependency, kind api.ResolveKind) api.OnResolveResult {
		t.Use(dep)
		if project.PackageOf(strings.TrimPrefix(dep.Name, "node_modules/")) == "react" || strings.Contains(dep.Name, "/node_modules/react/") {
			t.noteReact()
		}
		if dep.ESM && project.ResolutionKind(kind) == api.ResolveJSImportStatement {
			return api.OnResolveResult{Path: previewAddress(keyPlaceholder, dep), External: true}
		}
		return t.Bridge(dep, "")
	}
	return t
}

func (t *transform) noteReact() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.react = true
}

// options returns the esbuild options that scripts and style sheets share.
func (t *transform) options() api.BuildOptions {
	options := t.Bundle.Options()
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: project.EntryPrefix, OutputPath: project.Transformed}}
	options.Splitting = false
	options.Plugins = []api.Plugin{{Name: "module", Setup: t.setup}}
	return options
}

func (t *transform) scriptOptions() api.BuildOptions {
	options := t.options()
	options.JSXDev = true
	options.JSXImportSource = project.JSXPrefix + t.Config.JSXSource
	options.Sourcemap = api.SourceMapExternal
	options.SourcesContent = api.SourcesContentInclude
	// Modules of a preview are told of updates.
	delete(options.Define, "import.meta.hot")
	return options
}

// setup is the esbuild plugin: that of the bundle, except that a script's imports resolve
// to separate modules.
func (t *transform) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer project.Contain(&err)
		if _, own := args.PluginData.(project.NativeResolution); own {
			return result, nil
		}
		args.Importer = project.WithoutLabel(args.Importer)
		switch {
		case args.Kind == api.ResolveEntryPoint:
			return t.begin(), nil
		case args.Namespace == project.NsProject, args.Namespace == project.NsJSX, args.Namespace == project.NsWorker:
			result, err = t.ResolveImport(pb, args)
		case args.Namespace == nsStub:
			return t.labelled(t.id), nil
		default:
			return t.ResolveInPackage(pb, args)
		}
		if err != nil {
			return result, err
		}
		return t.follow(args.Kind, result)
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: nsStub}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		return project.Loaded(`export { default } from "style"`, api.LoaderJS), nil
	})
	t.SetupLoaders(pb)
}

// begin resolves to the module itself. A CSS module needs a script that imports it, for
// its exports.
func (t *transform) begin() api.OnResolveResult {
	switch {
	case t.id.namespace == nsLink:
		return api.OnResolveResult{Path: t.id.name, Namespace: project.NsProject}
	case t.hasLocalNames():
		return api.OnResolveResult{Path: t.id.name, Namespace: nsStub}
	}
	return api.OnResolveResult{Path: t.id.name, Namespace: t.id.namespace, Suffix: t.id.suffix}
}

// follow decides how a script imports another module of the project, which becomes a
// module of its own. A style sheet inlines its imports.
func (t *transform) follow(kind api.ResolveKind, result api.OnResolveResult) (api.OnResolveResult, error) {
	if result.External {
		return result, nil
	}
	id := moduleID{result.Namespace, result.Path, result.Suffix}
	switch kind {
	case api.ResolveCSSImportRule, api.ResolveCSSURLToken:
		return result, nil
	case api.ResolveCSSComposesFrom:
		return t.labelled(id), nil
	}
	switch result.Namespace {
	case project.NsProject, nsPackage:
		if _, err := project.SuffixLoader(id.name, id.suffix, project.LoaderOf(id.name)); err != nil {
			return result, err
		}
	case project.NsJSX:
		if id.name == "react/jsx-dev-runtime" {
			t.noteReact()
		}
	case project.NsAddress, project.NsWorker:
	case "":
		return result, nil // esbuild's own
	default:
		return result, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !slices.Contains(t.imports, id) {
		t.imports = append(t.imports, id)
	}
	return api.OnResolveResult{Path: addressOf(t.Bundle.Project, id) + versionQuery + versionSign, External: true}, nil
}

// plainSource is the address by which a source map names a source.
func plainSource(name string) string {
	if own, found := strings.CutPrefix(name, project.NsProject+":"); found {
		own, _, _ = strings.Cut(own, "?")
		return (&url.URL{Path: "/" + own}).EscapedPath()
	}
	return "atelier:///" + url.PathEscape(name)
}
