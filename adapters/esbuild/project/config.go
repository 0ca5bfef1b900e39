package project

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// config is what the project's compiler options and its configuration of Vite say, as far as a
// build needs it.
type config struct {
	Aliases []alias
	Renames []rename
	// Define are expressions by the global names that they replace.
	Define map[string]string
	// BaseURLs are directories in which bare imports are looked up first.
	BaseURLs []string
	// JSXSource is the package that provides the JSX runtime.
	JSXSource string
	// compiler holds the options that change what esbuild makes of a source.
	compiler map[string]json.RawMessage
	// Messages report files that extend one another in a circle, or too deeply.
	Messages []api.Message
	// Warnings report what a file extends and nobody can read.
	Warnings []core.Diagnostic
}

// alias is an entry of compilerOptions.paths, or an alias of Vite.
type alias struct {
	// prefix and suffix surround the star; an exact alias has no star.
	prefix, suffix string
	exact          bool
	// expression is a regular expression instead, whose groups the target refers to.
	expression string
	targets    []string
}

// tsconfigNames are the files in which a project keeps its compiler options: one file, or
// one that refers to the application's.
var tsconfigNames = [...]string{"tsconfig.json", "tsconfig.app.json", "jsconfig.json"}

// compilerOptions are passed on to esbuild.
var compilerOptions = [...]string{"experimentalDecorators", "useDefineForClassFields", "verbatimModuleSyntax", "jsxFactory", "jsxFragmentFactory"}

// maxExtends bounds the total number of files that extend one another.
const maxExtends = 32

// ReadConfig reads the compiler options, which win over Vite's settings. It ignores files that are
// missing or do not parse; editors report the latter.
func ReadConfig(src *Sources, packages *Packages, vite build.ViteSettings) config {
	result := config{JSXSource: "react", compiler: make(map[string]json.RawMessage)}
	options := &optionsReader{config: &result, src: src, packages: packages, left: maxExtends}
	for _, name := range tsconfigNames {
		options.add(name, nil)
	}
	result.addVite(vite)
	result.addLocalPackages(src)
	slices.SortStableFunc(result.Aliases, func(a, b alias) int { return len(b.prefix) - len(a.prefix) })
	return result
}

// optionsReader adds the options of files and of those that they extend. The names of files are paths of
// the project, or absolute ones of files of packages.
type optionsReader struct {
	*config
	src      *Sources
	packages *Packages
	// left is how many more files may follow, those that cannot be read among them.
	left int
}

// add applies the options of one file on top of the present ones, those of the files that it extends
// first, and reports whether it could be read. chain are the files that led here.
func (r *optionsReader) add(name string, chain []string) bool {
	var file struct {
		Extends         json.RawMessage            `json:"extends"`
		CompilerOptions map[string]json.RawMessage `json:"compilerOptions"`
	}
	text, err := r.read(name)
	if err != nil || json.Unmarshal(PlainJSON(text), &file) != nil {
		return false
	}
	if r.left--; r.left < 0 || slices.Contains(chain, name) {
		problem := fmt.Sprintf("%q extends itself, or more than %d files extend one another", withoutStore(name), maxExtends)
		r.Messages = []api.Message{{Text: problem, Location: &api.Location{File: withoutStore(name), Namespace: NsProject}}}
	}
	chain = append(slices.Clone(chain), name)
	for _, parent := range oneOrMany(file.Extends) {
		if len(r.Messages) > 0 || r.left < 0 {
			return true
		}
		candidates := r.candidates(name, parent)
		if !slices.ContainsFunc(candidates, func(candidate string) bool { return r.add(candidate, chain) }) {
			r.warn(name, parent, len(candidates) > 0)
		}
	}
	r.lay(path.Dir(name), file.CompilerOptions)
	return true
}

func (r *optionsReader) read(name string) ([]byte, error) {
	if !path.IsAbs(name) {
		return r.src.Read(name, MaxModuleBytes)
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, err
	}
	return r.packages.ReadFile(real)
}

// candidates are the files that a file may mean by what it extends. There are none if it is of a package
// that is not there.
func (r *optionsReader) candidates(name, parent string) []string {
	if strings.HasPrefix(parent, ".") {
		at := path.Join(path.Dir(name), parent)
		return []string{at, at + ".json"}
	}
	var found []string
	for _, folder := range r.folders(name, PackageOf(parent)) {
		at := path.Join(folder, strings.TrimPrefix(parent, PackageOf(parent)))
		found = append(found, at, at+".json", at+"/tsconfig.json")
	}
	return found
}

// folders are those of a package that a file may mean: a folder of the project, or where it is installed.
func (r *optionsReader) folders(name, pkg string) []string {
	about := readPackage(r.src, ".")
	for _, dependencies := range []map[string]string{about.Dependencies, about.DevDependencies} {
		if folder, is := build.LocalFolder(dependencies[pkg], "."); is {
			return []string{folder}
		}
	}
	if r.packages.Dir == "" {
		return nil
	}
	places := []string{filepath.Join(r.packages.Dir, "node_modules")}
	if beside, _, inPackage := CutLast(name, "/node_modules/"); inPackage {
		places = append([]string{beside + "/node_modules"}, places...)
	}
	var found []string
	for _, place := range places {
		if folder, err := filepath.EvalSymlinks(filepath.Join(place, pkg)); err == nil {
			found = append(found, folder)
		}
	}
	return found
}

// warn says that a file extends one that cannot be read.
func (r *optionsReader) warn(name, parent string, hasPackage bool) {
	r.left--
	problem := fmt.Sprintf("%q, which this file extends, cannot be read, so its options do not apply: correct the name, or remove it", parent)
	if !hasPackage {
		problem = fmt.Sprintf("%q, which this file extends, is not installed, so its options do not apply: "+
			"add %q to the devDependencies in package.json, in a version that the registry has", parent, PackageOf(parent))
	}
	r.Warnings = append(r.Warnings, core.Diagnostic{Path: withoutStore(name), Message: problem})
}

// withoutStore returns the name of a file as people know it.
func withoutStore(name string) string {
	if _, inside, found := CutLast(name, "/node_modules/"); found {
		return "node_modules/" + inside
	}
	return name
}

// lay applies the options of a file in dir.
func (c *config) lay(dir string, options map[string]json.RawMessage) {
	base := dir
	var baseURL, jsxSource string
	if json.Unmarshal(options["baseUrl"], &baseURL) == nil {
		base = within(dir, baseURL)
		c.BaseURLs = append(c.BaseURLs, base)
	}
	if json.Unmarshal(options["jsxImportSource"], &jsxSource) == nil && jsxSource != "" {
		c.JSXSource = jsxSource
	}
	var paths map[string][]string
	if json.Unmarshal(options["paths"], &paths) == nil && paths != nil {
		c.Aliases = nil
		for pattern, targets := range paths {
			c.Aliases = append(c.Aliases, newAlias(base, pattern, targets))
		}
		slices.SortFunc(c.Aliases, func(a, b alias) int { return strings.Compare(a.prefix+"*"+a.suffix, b.prefix+"*"+b.suffix) })
	}
	for _, name := range compilerOptions {
		if value, set := options[name]; set {
			c.compiler[name] = value
		}
	}
}

func newAlias(base, pattern string, targets []string) alias {
	prefix, suffix, star := strings.Cut(pattern, "*")
	result := alias{prefix: prefix, suffix: suffix, exact: !star}
	for _, target := range targets {
		result.targets = append(result.targets, within(base, target))
	}
	return result
}

// within joins a path to the folder that it is written for. ${configDir} is that of the file that extends
// all others, which is the project's root.
func within(folder, name string) string {
	if below, found := strings.CutPrefix(name, "${configDir}"); found {
		return path.Join(".", below)
	}
	return path.Join(folder, name)
}

// Candidates returns the project paths that an import may mean by an alias or by baseUrl.
// They include paths outside the project, where no file exists.
func (c *config) Candidates(spec string) []string {
	var names []string
	for _, a := range c.Aliases {
		if a.expression != "" {
			if found := regexp.MustCompile(a.expression); found.MatchString(spec) {
				names = append(names, path.Clean(found.ReplaceAllString(spec, a.targets[0])))
			}
			continue
		}
		middle, matches := a.match(spec)
		for _, target := range a.targets {
			if matches {
				names = append(names, path.Clean(strings.Replace(target, "*", middle, 1)))
			}
		}
	}
	for _, base := range c.BaseURLs {
		names = append(names, path.Join(base, spec))
	}
	return names
}

func (a *alias) match(spec string) (middle string, ok bool) {
	if a.exact {
		return "", spec == a.prefix
	}
	rest, ok := strings.CutPrefix(spec, a.prefix)
	if !ok || !strings.HasSuffix(rest, a.suffix) {
		return "", false
	}
	return strings.TrimSuffix(rest, a.suffix), true
}

// Raw returns the options for esbuild, which then does not look for a tsconfig.json
// itself.
func (c *config) Raw() string {
	text, err := json.Marshal(map[string]any{"compilerOptions": c.compiler})
	if err != nil {
		panic(err) // values that were read as JSON always marshal
	}
	return string(text)
}

func oneOrMany(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var many []string
	if json.Unmarshal(raw, &many) != nil {
		return nil
	}
	return many
}
