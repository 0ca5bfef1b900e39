package rules

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// mapFile is the page that a newcomer reads first. It has at most mostMapWords
// words: a longer one takes more time to read than it saves.
const (
	mapFile      = "ARCHITECTURE.md"
	mostMapWords = 2500
)

// TestTheMapIsTrue holds ARCHITECTURE.md to its length, the files and folders that it
// names to being there, and every package to being named.
func TestTheMapIsTrue(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	found, err := parseSources(tree)
	if err != nil {
		t.Fatal(err)
	}
	complaints, err := mapComplaints(tree, found)
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range complaints {
		t.Error(complaint)
	}
}

// mapComplaints returns a sentence for everything that is wrong with the map of a tree.
func mapComplaints(tree fs.FS, packages *sources) ([]string, error) {
	text, err := fs.ReadFile(tree, mapFile)
	if err != nil {
		return nil, err
	}
	prose := outsideOfCode(string(text))
	var all []string
	if words := len(strings.Fields(string(text))); words > mostMapWords {
		all = append(all, fmt.Sprintf("%s has %d words, want at most %d: move what only one package needs to its package comment", mapFile, words, mostMapWords))
	}
	names := namesIn(prose)
	for _, name := range append(slices.Clone(names), targetsIn(prose)...) {
		there, err := isThere(tree, name)
		if err != nil {
			return nil, err
		}
		if !there {
			all = append(all, fmt.Sprintf("%s names %s, which is not there", mapFile, name))
		}
	}
	for _, dir := range packages.unnamed(names) {
		all = append(all, fmt.Sprintf("%s does not name the package %s", mapFile, dir))
	}
	return all, nil
}

// outsideOfCode is a page without its code blocks.
func outsideOfCode(page string) string {
	var prose strings.Builder
	code := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "```") {
			code = !code
		} else if !code {
			prose.WriteString(line)
		}
	}
	return prose.String()
}

var (
	inBackticks = regexp.MustCompile("`([^`]+)`")
	linkTarget  = regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`)
	// pathLike is what names a file or a folder: elements with slashes between them, or a
	// file by its ending. An element is a name or a pattern.
	pathLike = regexp.MustCompile(`^[\w.*-]+(/[\w.*-]+)+/?$|^[\w.*-]+\.(go|md|mod|ts|tsx|js|css|yaml|yml|json)$`)
)

// namesIn are the files and folders that a page names between backticks, from the
// module's root. One word alone is a name when it is one of a folder at the top.
func namesIn(page string) []string {
	top := []string{"core", "migrations", "testdata", "bootstrap"}
	var names []string
	for _, span := range inBackticks.FindAllStringSubmatch(page, -1) {
		if pathLike.MatchString(span[1]) || slices.Contains(top, span[1]) {
			names = append(names, strings.TrimSuffix(span[1], "/"))
		}
	}
	return names
}

// targetsIn are the files that a page links.
func targetsIn(page string) []string {
	var targets []string
	for _, link := range linkTarget.FindAllStringSubmatch(page, -1) {
		if !strings.Contains(link[1], "://") {
			targets = append(targets, link[1])
		}
	}
	return targets
}

// isThere reports whether a tree has a file or a folder that a name or a pattern fits.
func isThere(tree fs.FS, name string) (bool, error) {
	matches, err := fs.Glob(tree, name)
	return len(matches) > 0, err
}

// unnamed returns the packages that no name fits, sorted. A pattern that ends below the
// top, such as core/*, names nothing: it would fit whatever is added.
func (s *sources) unnamed(names []string) []string {
	telling := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return strings.Contains(name, "**") || strings.Count(name, "/") == 1 && strings.Contains(path.Base(name), "*")
	})
	lacking := map[string]bool{}
	for _, file := range s.files {
		if !fitsAny(telling, file.dir()) {
			lacking[file.dir()] = true
		}
	}
	return slices.Sorted(maps.Keys(lacking))
}

func TestTheMapTestBites(t *testing.T) {
	t.Parallel()
	const complete = "Here are `core`, `core/files` and `ports/ai/*test`, see [them](core/files/pipeline.go).\n"
	files := map[string]string{
		"core/user.go":             "package core\n",
		"core/files/pipeline.go":   "package files\n",
		"ports/ai/aitest/suite.go": "package aitest\n",
	}
	for name, c := range map[string]struct{ page, want string }{
		"a true map":                        {complete, ""},
		"what is no path":                   {complete + "`PUT /projects/:id`, `agent.Agent`, `/docs`, `make lint`, `If-Match`", ""},
		"as many words as there may be":     {complete + strings.Repeat("word ", mostMapWords-8), ""},
		"too many words":                    {complete + strings.Repeat("word ", mostMapWords-7), "2501 words"},
		"too many words in a table":         {complete + strings.Repeat("| word |\n", mostMapWords/3), "words, want at most"},
		"too many words in a picture":       {complete + "```\n" + strings.Repeat("word ", mostMapWords) + "\n```\n", "words, want at most"},
		"a file that is not there":          {complete + "`core/files/gone.go`", "names core/files/gone.go, which"},
		"a folder that is not there":        {complete + "`core/gone/`", "names core/gone, which"},
		"a file of no folder":               {complete + "`gone.go`", "names gone.go, which"},
		"a pattern that fits nothing":       {complete + "`adapters/*`", "names adapters/*, which"},
		"a link that leads nowhere":         {complete + "[gone](core/gone.go#L1)", "names core/gone.go, which"},
		"a link to elsewhere":               {complete + "[there](https://example.com/gone.go)", ""},
		"an unnamed package":                {strings.ReplaceAll(complete, "`core/files`", "files"), "does not name the package core/files"},
		"the root of core is unnamed":       {strings.ReplaceAll(complete, "`core`", "core"), "does not name the package core"},
		"a pattern that fits all names one": {strings.ReplaceAll(complete, "`core/files`", "`core/*`"), "does not name the package core/files"},
		"packages named in a picture alone": {strings.ReplaceAll(complete, "`core/files`", "\n```\n`core/files`\n```\n"), "does not name the package core/files"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := fstest.MapFS{mapFile: {Data: []byte(c.page)}}
			for file, text := range files {
				tree[file] = &fstest.MapFile{Data: []byte(text)}
			}
			found, err := mapComplaints(tree, sourcesOf(t, files))
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("got %q, want %q alone", found, c.want)
			}
		})
	}
}
