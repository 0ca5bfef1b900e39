package project

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// addVite adds what the project's configuration of Vite says, after the compiler options.
func (c *config) addVite(settings build.ViteSettings) {
	c.Define = settings.Define
	if settings.JSXSource != "" {
		c.JSXSource = settings.JSXSource
	}
	for _, a := range settings.Aliases {
		switch {
		case a.Package != "":
			c.Renames = append(c.Renames, rename{a.Find, a.Package})
		case a.Pattern:
			c.Aliases = append(c.Aliases, alias{expression: a.Find, targets: []string{a.Path}})
		default:
			c.Aliases = append(c.Aliases, newAlias(".", a.Find, []string{a.Path}), newAlias(".", a.Find+"/*", []string{a.Path + "/*"}))
		}
	}
}

// rename leads imports of a package, and of what is below it, to another.
type rename struct{ from, to string }

// renamed returns the package that the project's modules mean by an import.
func (c *config) renamed(spec string) string {
	for _, r := range c.Renames {
		if below, found := strings.CutPrefix(spec, r.from); found && (below == "" || below[0] == '/') {
			return r.to + below
		}
	}
	return spec
}

// maxLocalPackages bounds the packages that are folders of one project.
const maxLocalPackages = 100

// addLocalPackages makes aliases of what package.json calls imports ("#lib/*"), and of the names of
// packages that are folders of the project ("file:packages/ui").
func (c *config) addLocalPackages(src *Sources) {
	for pattern, target := range readPackage(src, ".").Imports {
		c.Aliases = append(c.Aliases, newAlias(".", pattern, targetsOf(target)))
	}
	queue, seen := []string{"."}, map[string]bool{}
	for ; len(queue) > 0 && len(seen) < maxLocalPackages; queue = queue[1:] {
		if seen[queue[0]] {
			continue
		}
		seen[queue[0]] = true
		about := readPackage(src, queue[0])
		for _, dependencies := range []map[string]string{about.Dependencies, about.DevDependencies} {
			for name, version := range dependencies {
				if folder, is := build.LocalFolder(version, queue[0]); is {
					queue = append(queue, folder)
					c.Aliases = append(c.Aliases, aliasesOf(src, name, folder)...)
				}
			}
		}
	}
}

// packageFile is the part of package.json that says where the modules are.
type packageFile struct {
	Dependencies, DevDependencies map[string]string
	Main, Module, Source          string
	Exports                       json.RawMessage
	Imports                       map[string]json.RawMessage
}

func readPackage(src *Sources, folder string) packageFile {
	var about packageFile
	if text, err := src.Read(path.Join(folder, "package.json"), MaxModuleBytes); err == nil && json.Unmarshal(core.WithoutMark(text), &about) != nil {
		return packageFile{}
	}
	return about
}

// aliasesOf leads a package's name, and paths below it, to files: first as its exports say,
// then as its sources lie.
func aliasesOf(src *Sources, name, folder string) []alias {
	about := readPackage(src, folder)
	var aliases []alias
	var paths map[string]json.RawMessage
	if json.Unmarshal(about.Exports, &paths) == nil {
		for pattern, target := range paths {
			if below, is := strings.CutPrefix(pattern, "."); is {
				aliases = append(aliases, newAlias(folder, name+below, targetsOf(target)))
			}
		}
		// The longer of two patterns wins, as in Node.
		slices.SortFunc(aliases, func(a, b alias) int { return strings.Compare(b.prefix+"*"+b.suffix, a.prefix+"*"+a.suffix) })
	}
	main := targetsOf(about.Exports)
	for _, target := range []string{about.Source, about.Module, about.Main} {
		if target != "" {
			main = append(main, target)
		}
	}
	// A package that is not built yet has sources of the same name.
	main = append(main, "src/index", "index", "src/main")
	return append(aliases, newAlias(folder, name, main), newAlias(folder, name+"/*", []string{"*", "src/*"}))
}

// conditions are those of exports that the builder follows, the best first.
func conditions() []string {
	return []string{"source", "development", "browser", "module", "import", "default", "require", "types"}
}

// targetsOf are the files that an entry of exports may mean, the best first.
func targetsOf(entry json.RawMessage) []string {
	var one string
	if json.Unmarshal(entry, &one) == nil {
		return []string{one}
	}
	var choice map[string]json.RawMessage
	var found []string
	if json.Unmarshal(entry, &choice) == nil {
		for _, condition := range conditions() {
			if next, has := choice[condition]; has {
				found = append(found, targetsOf(next)...)
			}
		}
	}
	return found
}
