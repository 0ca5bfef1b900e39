package project

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

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
func ReadConfig(src *Sources, vite build.ViteSettings) config {
	result := config{JSXSource: "react", compiler: make(map[string]json.RawMessage)}
	left := maxExtends
	for _, name := range tsconfigNames {
		result.add(src, name, nil, &left)
	}
	result.addVite(vite)
	result.addLocalPackages(src)
	slices.SortStableFunc(result.Aliases, func(a, b alias) int { return len(b.prefix) - len(a.prefix) })
	return result
}

// add applies the options of one file on top of the present ones, those of the files that
// it extends first. chain are the files that led here; left is how many more may follow.
func (c *config) add(src *Sources, name string, chain []string, left *int) {
	if !src.IsFile(name) || len(c.Messages) > 0 {
		return
	}
	if *left--; *left < 0 || slices.Contains(chain, name) {
		problem := fmt.Sprintf("%q extends itself, or more than %d files extend one another", name, maxExtends)
		c.Messages = []api.Message{{Text: problem, Location: &api.Location{File: name, Namespace: NsProject}}}
		return
	}
	text, err := src.Read(name, MaxModuleBytes)
	if err != nil {
		return
	}
	var file struct {
		Extends         json.RawMessage            `json:"extends"`
		CompilerOptions map[string]json.RawMessage `json:"compilerOptions"`
	}
	if json.Unmarshal(PlainJSON(text), &file) != nil {
		return
	}
	for _, parent := range oneOrMany(file.Extends) {
		if strings.HasPrefix(parent, ".") {
			if path.Ext(parent) != ".json" {
				parent += ".json"
			}
			c.add(src, path.Join(path.Dir(name), parent), append(slices.Clone(chain), name), left)
		}
	}
	c.lay(path.Dir(name), file.CompilerOptions)
}

// lay applies the options of a file in dir.
func (c *config) lay(dir string, options map[string]json.RawMessage) {
	base := dir
	var baseURL, jsxSource string
	if json.Unmarshal(options["baseUrl"], &baseURL) == nil {
		base = path.Join(dir, baseURL)
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
		result.targets = append(result.targets, path.Join(base, target))
	}
	return result
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
