package project

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/build"
)

// viteConfigNames are the files in which a project configures Vite.
var viteConfigNames = [...]string{"vite.config.ts", "vite.config.js", "vite.config.mts", "vite.config.mjs", "vite.config.cts", "vite.config.cjs"}

var (
	aliasKey = regexp.MustCompile(`\balias\s*:\s*([{\[])`)
	// aliasEntry is '@': path.resolve(__dirname, "./src"), or the same as find and replacement.
	aliasEntry  = regexp.MustCompile("([\\w$]+|[\"'`][^\"'`\\n]+[\"'`])\\s*:\\s*")
	aliasFind   = regexp.MustCompile("\\bfind\\s*:\\s*[\"'`]([^\"'`\\n]+)[\"'`]\\s*,\\s*replacement\\s*:\\s*([^\\n]*)")
	aliasString = regexp.MustCompile("[\"'`]([^\"'`\\n]*)[\"'`]")
)

// addViteAliases reads resolve.alias of a Vite configuration, which is never run: an entry
// is a name, and an expression whose strings are the parts of a path.
func (c *config) addViteAliases(src *Sources) {
	for _, name := range viteConfigNames {
		if !src.IsFile(name) {
			continue
		}
		text, err := src.Read(name, MaxModuleBytes)
		if err != nil {
			return
		}
		if at := aliasKey.FindSubmatchIndex(text); at != nil {
			c.readAliases(string(text[at[2]:closing(text, at[2])]))
		}
		return
	}
}

// closing returns the offset of the bracket that closes the one at i, or the text's end.
func closing(text []byte, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			end := bytes.IndexByte(text[i+1:], c)
			if end < 0 {
				return len(text)
			}
			i += end + 1
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

func (c *config) readAliases(object string) {
	if entries := aliasFind.FindAllStringSubmatch(object, -1); entries != nil {
		for _, entry := range entries {
			c.addViteAlias(entry[1], entryOf(entry[2]))
		}
		return
	}
	for rest := object; ; {
		at := aliasEntry.FindStringSubmatchIndex(rest)
		if at == nil {
			return
		}
		name := strings.Trim(rest[at[2]:at[3]], "\"'`")
		expression := entryOf(rest[at[1]:])
		rest = rest[at[1]+len(expression):]
		c.addViteAlias(name, expression)
	}
}

// addViteAlias adds an alias if its expression names a place below the root. Names of
// packages, to which aliases may lead as well, resolve by themselves.
func (c *config) addViteAlias(name, expression string) {
	var parts []string
	for _, found := range aliasString.FindAllStringSubmatch(expression, -1) {
		parts = append(parts, found[1])
	}
	target := strings.TrimPrefix(path.Join(parts...), "/")
	isPath := strings.ContainsAny(expression, "(/")
	if !isPath || target == "" || strings.HasPrefix(target, "..") {
		return
	}
	stem := strings.TrimSuffix(name, "/")
	c.Aliases = append(c.Aliases, newAlias(".", stem+"/*", []string{target + "/*"}))
	if stem == name {
		c.Aliases = append(c.Aliases, newAlias(".", name, []string{target}))
	}
}

// entryOf cuts an expression at the comma or bracket that ends it.
func entryOf(expression string) string {
	depth := 0
	for i, c := range expression {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
		if depth < 0 || depth == 0 && c == ',' {
			return expression[:i]
		}
	}
	return expression
}

// maxLocalPackages bounds the packages that are folders of one project.
const maxLocalPackages = 100

// addLocalPackages makes the names of packages that are folders of the project aliases of
// their modules: package.json names them as "file:packages/ui".
func (c *config) addLocalPackages(src *Sources) {
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
}

func readPackage(src *Sources, folder string) packageFile {
	var about packageFile
	if text, err := src.Read(path.Join(folder, "package.json"), MaxModuleBytes); err == nil && json.Unmarshal(text, &about) != nil {
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
