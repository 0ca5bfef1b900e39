package esbuild

import (
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// transform is one run of esbuild over one module: what it imports of the project
// stays outside, under its address.
type transform struct {
	*bundle
	id moduleID

	mu      sync.Mutex
	imports []moduleID
	// react says that the module makes elements of React, or imports it.
	react bool
}

func newTransform(p *project, id moduleID) *transform {
	t := &transform{bundle: newBundle(p), id: id}
	t.reach = func(dep dependency, kind api.ResolveKind) api.OnResolveResult {
		t.use(dep)
		if packageOf(strings.TrimPrefix(dep.name, "node_modules/")) == "react" || strings.Contains(dep.name, "/node_modules/react/") {
			t.noteReact()
		}
		if dep.esm && resolutionKind(kind) == api.ResolveJSImportStatement {
			return api.OnResolveResult{Path: previewAddress(keyPlaceholder, dep), External: true}
		}
		return t.bridge(dep, "")
	}
	return t
}

func (t *transform) noteReact() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.react = true
}

// options are common to scripts and style sheets.
func (t *transform) options() api.BuildOptions {
	options := t.bundle.options()
	options.EntryPointsAdvanced = []api.EntryPoint{{InputPath: entryPrefix, OutputPath: transformed}}
	options.Splitting = false
	options.Plugins = []api.Plugin{{Name: "module", Setup: t.setup}}
	return options
}

func (t *transform) scriptOptions() api.BuildOptions {
	options := t.options()
	options.JSXDev = true
	options.JSXImportSource = jsxPrefix + t.config.jsxSource
	options.Sourcemap = api.SourceMapExternal
	options.SourcesContent = api.SourcesContentInclude
	// Modules of a preview learn of what is new.
	delete(options.Define, "import.meta.hot")
	return options
}

// setup is the plugin: that of the bundle, but that imports of scripts lead to
// modules of their own.
func (t *transform) setup(pb api.PluginBuild) {
	pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (result api.OnResolveResult, err error) {
		defer contain(&err)
		if _, own := args.PluginData.(native); own {
			return result, nil
		}
		args.Importer = withoutLabel(args.Importer)
		switch {
		case args.Kind == api.ResolveEntryPoint:
			return t.begin(), nil
		case args.Namespace == nsProject, args.Namespace == nsJSX, args.Namespace == nsWorker:
			result, err = t.resolveImport(pb, args)
		case args.Namespace == nsStub:
			return t.labelled(t.id), nil
		default:
			return t.resolveInPackage(pb, args)
		}
		if err != nil {
			return result, err
		}
		return t.follow(args.Kind, result)
	})
	pb.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: nsStub}, func(api.OnLoadArgs) (api.OnLoadResult, error) {
		return loaded(`export { default } from "style"`, api.LoaderJS), nil
	})
	t.setupLoaders(pb)
}

// begin leads to the module itself. A style sheet with local names needs a script
// in front, for what it exports.
func (t *transform) begin() api.OnResolveResult {
	switch {
	case t.id.namespace == nsLink:
		return api.OnResolveResult{Path: t.id.name, Namespace: nsProject}
	case t.hasLocalNames():
		return api.OnResolveResult{Path: t.id.name, Namespace: nsStub}
	}
	return api.OnResolveResult{Path: t.id.name, Namespace: t.id.namespace, Suffix: t.id.suffix}
}

// follow decides how a script reaches another module of the project, which becomes
// one of its own; a style sheet takes in what it imports.
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
	case nsProject, nsPackage:
		if _, err := suffixLoader(id.name, id.suffix, loaderOf(id.name)); err != nil {
			return result, err
		}
	case nsJSX:
		if id.name == "react/jsx-dev-runtime" {
			t.noteReact()
		}
	case nsAddress, nsWorker:
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
	return api.OnResolveResult{Path: addressOf(t.bundle.project, id) + versionQuery + versionSign, External: true}, nil
}

// plainSource is the address by which a source map names a source.
func plainSource(name string) string {
	if own, found := strings.CutPrefix(name, nsProject+":"); found {
		own, _, _ = strings.Cut(own, "?")
		return (&url.URL{Path: "/" + own}).EscapedPath()
	}
	return "atelier:///" + url.PathEscape(name)
}
