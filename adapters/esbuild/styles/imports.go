package styles

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

// styleImports resolves the imports of a sheet: in the project, in its installed
// packages, and in Tailwind itself.
//
// Tailwind knows files by paths on a virtual disk. The project is its root, and
// node_modules holds the packages.
type styleImports struct {
	*compilation
	project *project.Project
	ctx     context.Context
	// dirs maps virtual directories of packages' files to directories on the disk.
	dirs map[string]string
}

var _ tailwind.Loader = (*styleImports)(nil)

// root returns the sheet to compile.
func (i *styleImports) root(name string, text []byte) tailwind.Stylesheet {
	i.legacy = i.isLegacy(text)
	if i.legacy {
		text = tailwind.Modernize(text, true, i.config())
	}
	return tailwind.Stylesheet{Path: "/" + name, Base: path.Dir("/" + name), Content: string(text)}
}

// isLegacy reports whether the project is written for version 3. Either a sheet, or one
// of the project's that it imports, is; or package.json names version 3 and the sheet has
// nothing newer.
func (i *styleImports) isLegacy(text []byte) bool {
	older, newer := false, false
	eachSheet(i.project, i.name, text, func(_ string, text []byte) bool {
		older, newer = tailwind.IsLegacy(text), newer || tailwind.IsModern(text)
		return !older
	})
	return older || !newer && wantsTailwind3(i.project)
}

// wantsTailwind3 reports whether package.json asks for a version before 4.
func wantsTailwind3(p *project.Project) bool {
	if !p.Src.IsFile("package.json") {
		return false
	}
	text, err := p.Src.Read("package.json", project.MaxModuleBytes)
	if err != nil {
		return false
	}
	major := majorOf(tailwindRange(text))
	return major > 0 && major < 4
}

// config returns the configuration file that version 3 finds by itself.
func (i *styleImports) config() string {
	for _, name := range tailwind.ConfigNames() {
		if i.project.Src.IsFile(name) {
			return "/" + name
		}
	}
	return ""
}

// Stylesheet implements tailwind.Loader.
func (i *styleImports) Stylesheet(id, base string) (tailwind.Stylesheet, error) {
	if project.PackageOf(id) == "tailwindcss" {
		return i.engine.stylesheet(id)
	}
	if dir, inPackage := i.dirs[base]; inPackage {
		return i.packageSheet(id, dir)
	}
	if strings.HasPrefix(base, "/node_modules/") {
		return i.packageSheet(id, i.project.Packages.Dir)
	}
	if name, found := findSheet(i.project, id, strings.TrimPrefix(base, "/")); found {
		return i.projectSheet(name)
	}
	if strings.HasPrefix(id, ".") || strings.HasPrefix(id, "/") {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Message: fmt.Sprintf("there is no file %q in the project", id), Names: []string{id}}
	}
	return i.packageSheet(id, i.project.Packages.Dir)
}

func (i *styleImports) projectSheet(name string) (tailwind.Stylesheet, error) {
	text, err := i.project.Src.Read(name, project.MaxModuleBytes)
	if err != nil {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Message: err.Error()}
	}
	if problem, _ := project.TooDeep(text); problem != "" {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Path: "/" + name, Message: problem}
	}
	i.read = append(i.read, name)
	if i.legacy {
		text = tailwind.Modernize(text, false, "")
	}
	moved := tailwind.Move(string(text), func(address string) string {
		return tailwind.Relative(path.Dir(i.name), path.Join(path.Dir(name), address))
	})
	return tailwind.Stylesheet{Path: "/" + name, Base: path.Dir("/" + name), Content: moved}, nil
}

// packageSheet finds a package's sheet for a sheet in a directory on the disk.
func (i *styleImports) packageSheet(id, dir string) (tailwind.Stylesheet, error) {
	tree := i.project.Packages
	file := resolveSheet(i.ctx, tree, id, dir)
	if file == "" {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Message: project.MissingError(project.PackageOf(id)).Error(), Names: []string{id}}
	}
	text, err := tree.ReadFile(file)
	if err != nil {
		return tailwind.Stylesheet{}, &tailwind.Mistake{Message: err.Error(), Names: []string{id}}
	}
	_, inside, _ := project.CutLast(filepath.ToSlash(file), modulesDir)
	virtual := "/node_modules/" + path.Dir(inside)
	for known, found := i.dirs[virtual]; found && known != filepath.Dir(file); known, found = i.dirs[virtual] {
		virtual += "'" // another version of the same package
	}
	i.dirs[virtual] = filepath.Dir(file)
	moved := tailwind.Move(string(text), func(address string) string { return tree.AssetAddress(filepath.Dir(file), address) })
	return tailwind.Stylesheet{Path: "/node_modules/" + inside, Base: virtual, Content: moved}, nil
}

// modulesDir precedes the names of packages.
const modulesDir = "node_modules/"

// resolveSheet returns the real path of a style sheet that is imported from a directory
// of the packages, "" if none exists.
func resolveSheet(ctx context.Context, t *project.Packages, spec, dir string) string {
	if t.Dir == "" || strings.HasPrefix(spec, "/") {
		return ""
	}
	resolved := ""
	setup := func(pb api.PluginBuild) {
		pb.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(args api.OnResolveArgs) (api.OnResolveResult, error) {
			if _, own := args.PluginData.(project.NativeResolution); own {
				return api.OnResolveResult{}, nil
			}
			result := pb.Resolve(spec, api.ResolveOptions{ResolveDir: dir, Kind: api.ResolveCSSImportRule, PluginData: project.NativeResolution{}})
			if len(result.Errors) == 0 && result.Namespace == "file" && t.Holds(result.Path) {
				resolved = result.Path
			}
			return api.OnResolveResult{Path: spec, External: true}, nil
		})
	}
	_, _, err := project.Run(ctx, api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: `@import "sheet";`, Loader: api.LoaderCSS, ResolveDir: dir},
		Bundle: true, Metafile: true, LogLevel: api.LogLevelSilent, TsconfigRaw: "{}",
		AbsWorkingDir: t.WorkingDir(), Outdir: filepath.Join(t.WorkingDir(), project.Outdir),
		Conditions: []string{"style"}, MainFields: []string{"style", "main"}, ResolveExtensions: []string{".css"},
		Plugins: []api.Plugin{{Name: "sheet", Setup: setup}},
	})
	if err != nil {
		return ""
	}
	return resolved
}

// Module implements tailwind.Loader.
func (i *styleImports) Module(id, base, kind string) (tailwind.Module, error) {
	dir, inPackage := i.dirs[base]
	if !inPackage && strings.HasPrefix(base, "/node_modules/") {
		dir, inPackage = i.project.Packages.Dir, true
	}
	script, err := i.pluginScript(id, base, dir, inPackage)
	if err != nil {
		return tailwind.Module{}, err
	}
	name := base
	if strings.HasPrefix(id, ".") || strings.HasPrefix(id, "/") {
		name = path.Join("/", base, id)
		if strings.HasPrefix(id, "/") {
			name = id
		}
		if found, ok := i.project.FindFile(name); ok {
			name = "/" + found
		}
		base = path.Dir(name)
	} else if fs.ValidPath(id) {
		name = "/node_modules/" + id
	}
	return tailwind.Module{Path: name, Base: base, Script: script}, nil
}
