package project

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// The namespaces of modules that are not files of packages.
const (
	NsProject = "project"
	// NsAddress holds the addresses of project files, as modules.
	NsAddress = "address"
	// nsPublic holds the addresses of public files, as modules.
	nsPublic = "public"
	// nsBridge holds CommonJS modules that replace pre-built dependencies.
	nsBridge = "bridge"
	NsJSX    = "jsx"
	NsEmpty  = "empty"

	EntryPrefix = "entry:"
)

// extensions are appended, in order, to an import that names no file.
var extensions = [...]string{"", ".tsx", ".ts", ".jsx", ".js", ".mjs", ".mts", ".json", "/index.tsx", "/index.ts", "/index.jsx", "/index.js"}

var (
	Scheme      = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	writtenAsJS = regexp.MustCompile(`\.(m?)js(x?)$`)
)

// FindFile returns the file of the project that a path without extension refers to.
func (p *Project) FindFile(name string) (string, bool) {
	name = strings.TrimPrefix(path.Clean(name), "/")
	for _, ext := range extensions {
		if p.Src.IsFile(name + ext) {
			return name + ext, true
		}
	}
	if match := writtenAsJS.FindStringSubmatch(name); match != nil {
		stem := strings.TrimSuffix(name, match[0])
		for _, ext := range []string{"." + match[1] + "ts" + match[2], ".tsx"} {
			if p.Src.IsFile(stem + ext) {
				return stem + ext, true
			}
		}
	}
	return "", false
}

// ResolveImport resolves an import of one of the project's modules. It never leaves this
// to esbuild, except for packages.
func (b *Bundle) ResolveImport(build api.PluginBuild, args api.OnResolveArgs) (api.OnResolveResult, error) {
	spec, suffix := args.Path, ""
	if i := strings.IndexAny(spec, "?#"); i > 0 {
		spec, suffix = spec[:i], spec[i:]
	}
	fromCSS := args.Kind == api.ResolveCSSImportRule || args.Kind == api.ResolveCSSURLToken
	if Scheme.MatchString(args.Path) { // an alias may look like an address
		if name, found := b.aliased(args.Path); found {
			return b.moduleAt(name, ""), nil
		}
	}
	switch {
	case strings.HasPrefix(args.Path, "data:"):
		return api.OnResolveResult{}, nil
	case strings.HasPrefix(args.Path, JSXPrefix):
		return b.resolveJSX(build, strings.TrimPrefix(args.Path, JSXPrefix), args)
	case fromCSS && strings.HasPrefix(args.Path, packageAddress):
		return b.Packages.resolveAddress(args.Path)
	case strings.HasPrefix(args.Path, "node:"):
		return b.resolveBuiltin(args.Path)
	case strings.HasPrefix(args.Path, "//"), Scheme.MatchString(args.Path), strings.HasPrefix(args.Path, "#") && fromCSS:
		return b.resolveAddress(args, fromCSS)
	case strings.HasPrefix(spec, "/"):
		return b.resolveRooted(spec, suffix, args, fromCSS)
	case spec == "." || spec == ".." || strings.HasPrefix(spec, "./") || strings.HasPrefix(spec, "../"):
		return b.resolveRelative(spec, suffix, args)
	}
	if fromCSS {
		if name := path.Join(path.Dir(args.Importer), spec); b.Src.IsFile(name) {
			return b.moduleAt(name, suffix), nil
		}
	}
	if name, found := b.aliased(spec); found {
		return b.moduleAt(name, suffix), nil
	}
	return b.resolvePackage(build, b.Config.renamed(spec), suffix, args)
}

// aliased finds the file that an import means by an alias.
func (b *Bundle) aliased(spec string) (name string, found bool) {
	for _, candidate := range b.Config.Candidates(spec) {
		if name, found = b.FindFile(candidate); found {
			return name, true
		}
	}
	return "", false
}

// resolveJSX inserts the shim before the development runtime. For some elements esbuild
// imports the package itself.
func (b *Bundle) resolveJSX(build api.PluginBuild, spec string, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if strings.HasSuffix(spec, "/jsx-dev-runtime") {
		return api.OnResolveResult{Path: spec, Namespace: NsJSX}, nil
	}
	return b.resolvePackage(build, spec, "", args)
}

// moduleAt resolves to a file of the project. An import of a file's address is another
// module than the file. The address must not end in the import's suffix.
func (b *Bundle) moduleAt(name, suffix string) api.OnResolveResult {
	if suffix == "?url" {
		return api.OnResolveResult{Path: name, Namespace: NsAddress}
	}
	if _, worker := workerOf(suffix); worker {
		return api.OnResolveResult{Path: name, Namespace: NsWorker, Suffix: suffix}
	}
	return api.OnResolveResult{Path: name, Namespace: NsProject, Suffix: suffix}
}

// resolveAddress leaves addresses on other hosts unchanged.
func (b *Bundle) resolveAddress(args api.OnResolveArgs, fromCSS bool) (api.OnResolveResult, error) {
	lower := strings.ToLower(args.Path)
	if fromCSS && !strings.HasPrefix(lower, "file:") || strings.HasPrefix(lower, "https://") || strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "//") {
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	}
	return api.OnResolveResult{}, fmt.Errorf("%q cannot be imported", args.Path)
}

// resolveRooted resolves a path from the project's root: a source, or a public file,
// which resolves to its address.
func (b *Bundle) resolveRooted(spec, suffix string, args api.OnResolveArgs, fromCSS bool) (api.OnResolveResult, error) {
	name := strings.TrimPrefix(path.Clean(spec), "/")
	switch {
	case b.Src.IsFile("public/" + name):
		if fromCSS {
			return api.OnResolveResult{Path: args.Path, External: true}, nil
		}
		return api.OnResolveResult{Path: "/" + name, Namespace: nsPublic}, nil
	case args.Kind == api.ResolveCSSURLToken && !b.Src.IsFile(name):
		return api.OnResolveResult{Path: args.Path, External: true}, nil
	}
	if found, ok := b.FindFile(name); ok {
		return b.moduleAt(found, suffix), nil
	}
	return api.OnResolveResult{}, fmt.Errorf("there is no file %q in the project", spec)
}

func (b *Bundle) resolveRelative(spec, suffix string, args api.OnResolveArgs) (api.OnResolveResult, error) {
	name := path.Join(path.Dir(args.Importer), spec)
	if name == ".." || strings.HasPrefix(name, "../") {
		return api.OnResolveResult{}, fmt.Errorf("%q is outside the project", spec)
	}
	if found, ok := b.FindFile(name); ok {
		return b.moduleAt(found, suffix), nil
	}
	return api.OnResolveResult{}, fmt.Errorf("there is no file %q in the project", spec)
}

// resolvePackage finds a package and lets the mode decide how to import it.
func (b *Bundle) resolvePackage(build api.PluginBuild, spec, suffix string, args api.OnResolveArgs) (api.OnResolveResult, error) {
	if spec == "tailwindcss" || PackageOf(spec) == "tailwindcss" && path.Ext(spec) == ".css" {
		//nolint:staticcheck // Tailwind CSS is a name
		return api.OnResolveResult{}, fmt.Errorf(`Tailwind CSS must be imported in a style sheet: write @import "tailwindcss" there, and import the sheet`)
	}
	dep := b.Packages.resolve(build, spec, args.Kind)
	switch {
	case dep.Path != "":
	case args.Kind == api.ResolveCSSURLToken && !isAlias(spec) && !strings.HasPrefix(spec, "@"):
		// CSS means a file beside the sheet. Only a scope cannot be meant as the name of a folder.
		return api.OnResolveResult{}, fmt.Errorf("there is no file %q in the project", spec)
	case IsBuiltin(spec):
		return b.resolveBuiltin(spec)
	default:
		return api.OnResolveResult{}, MissingError(PackageOf(spec))
	}
	if suffix != "" || !dep.isModule() {
		return api.OnResolveResult{Path: dep.Path, Namespace: "file", Suffix: suffix}, nil
	}
	reached := b.Reach(dep, args.Kind)
	if reached.Path == "" && spec != args.Path { // esbuild does not know the import by its other name
		reached = api.OnResolveResult{Path: dep.Path, Namespace: "file"}
	}
	return reached, nil
}

// resolveBuiltin resolves a module of Node to its replacement.
func (b *Bundle) resolveBuiltin(spec string) (api.OnResolveResult, error) {
	if name, found := nodeModule(spec); found {
		return b.moduleAt(name, ""), nil
	}
	return api.OnResolveResult{}, fmt.Errorf("%q is a Node.js module, which browsers do not have", strings.TrimPrefix(spec, "node:"))
}

// isAlias reports whether an import cannot be the name of a package.
func isAlias(spec string) bool {
	return strings.HasPrefix(spec, "@/") || strings.HasPrefix(spec, "~") || strings.HasPrefix(spec, "#") || strings.HasPrefix(spec, "$")
}

// MissingError returns the error for an import of a package that is not installed. An alias is without a
// meaning then: nobody should install a stranger's package for it.
func MissingError(name string) error {
	if isAlias(name) {
		return fmt.Errorf("%q is an alias that nothing defines: add it to compilerOptions.paths in tsconfig.json, or to resolve.alias in vite.config", name)
	}
	return fmt.Errorf("the package %q is not installed: add it to the dependencies in package.json", name)
}

// JSXPrefix marks the JSX runtime that a preview inserts before the real one.
const JSXPrefix = "atelier-jsx:"

// jsxShim gives every element of the page the place of its source, for the visual
// editor.
const jsxShim = `import { jsxDEV as make, Fragment } from "%RUNTIME%";
export { Fragment };
export const jsxDEV = (type, props, key, isStatic, source, self) =>
  make(type, typeof type === "string" && source && !("data-loc" in props)
    ? { ...props, "data-loc": source.fileName.replace(/^` + NsProject + `:/, "") + ":" + source.lineNumber + ":" + source.columnNumber }
    : props, key, isStatic, source, self);
`
