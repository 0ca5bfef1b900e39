package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../../.."

// TestTheNoticesAreWholeAndUpToDate makes the notices from the modules, packages and
// copies that are there now.
func TestTheNoticesAreWholeAndUpToDate(t *testing.T) {
	written, err := os.ReadFile(filepath.Join(root, noticesFile))
	if err != nil {
		t.Fatal(err)
	}
	composed, err := compose(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if composed != string(written) {
		t.Error("notices.txt does not say what the binary links and carries now: run make notices")
	}
}

// embeds are the places whose embedded files are the house's own, and those with others'
// files, with the component in notices.txt.
func embeds() map[string]string {
	const own = ""
	return map[string]string{
		"adapters/chromium/web":                 own,
		"adapters/demo/guestbook":               own,
		"adapters/demo/starters":                own,
		"adapters/esbuild/preview/refresh":      "react-refresh, in adapters/esbuild/preview/refresh",
		"adapters/esbuild/preview/runtime.js":   own,
		"adapters/esbuild/project/node":         own,
		"adapters/httpapi":                      own,
		"adapters/internal/messages":            own,
		"adapters/esbuild/viteconfig":           own,
		"adapters/internal/tailwind":            "tailwindcss, in adapters/internal/tailwind",
		"adapters/internal/tailwind/glue.js":    own,
		"adapters/internal/tailwind/prelude.js": own,
		"adapters/memory":                       own,
		"adapters/npm/seed":                     "npm package react@",
		"adapters/quickjs/web":                  own,
		"adapters/scaffold":                     own,
		"adapters/scaffold/shared":              "lucide, in adapters/scaffold/shared",
		"adapters/sitehost":                     own,
		"adapters/studio/dist":                  "npm package preact@",
		"bootstrap/atelier/notices.txt":         own,
		"bootstrap/evals/firstpage":             own,
		"core":                                  own,
		"core/password_leaked.txt":              "zxcvbn, in core/password_leaked.txt",
		"migrations":                            own,
		"testdata/evals":                        own,
	}
}

// TestEverythingEmbeddedHasAnOrigin finds what the sources embed. Anything new needs a
// line in embeds, and a licence if others wrote it.
func TestEverythingEmbeddedHasAnOrigin(t *testing.T) {
	written, err := os.ReadFile(filepath.Join(root, noticesFile))
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, name := range embedded(t) {
		place := name
		for place != "." {
			if component, known := embeds()[place]; known {
				used[place] = true
				if component != "" && !strings.Contains(string(written), "\n"+component) {
					t.Errorf("%s: notices.txt has no %s", name, component)
				}
				break
			}
			place = filepath.Dir(place)
		}
		if place == "." {
			t.Errorf("%s is embedded: say in embeds who wrote it", name)
		}
	}
	for place := range embeds() {
		if !used[place] {
			t.Errorf("%s: nothing is embedded from there", place)
		}
	}
}

// embedded are the names in the go:embed lines of the product.
func embedded(t *testing.T) []string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && file != root {
			return fs.SkipDir
		}
		if filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(file))
		for _, group := range syntax.Comments {
			for _, comment := range group.List {
				patterns, found := strings.CutPrefix(comment.Text, "//go:embed ")
				for _, pattern := range strings.Fields(patterns) {
					if found {
						names = append(names, filepath.Join(dir, strings.TrimPrefix(pattern, "all:")))
					}
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestNoticesSurviveBeingWritten(t *testing.T) {
	before := notices{}
	before.add("one", "MIT\r\n  indented  \n")
	before.add("two", "MIT\n  indented")
	before.add("two", "its notice\n")
	after := parse(before.String())
	if after.String() != before.String() || len(after) != 2 || len(after["two"]) != 2 || strings.Count(after.String(), "MIT") != 1 {
		t.Errorf("got %q, want %q with each text once", after.String(), before.String())
	}
	if err := before.merge(notices{"three": nil}); err == nil {
		t.Error("a component without a licence: got no error")
	}
}

func TestTheListOfComponentsHasPackageURLs(t *testing.T) {
	for called, want := range map[string]component{
		"Go module example.com/x/v2 v2.1.0": {"library", "pkg:golang/example.com/x/v2@v2.1.0", "example.com/x/v2", "v2.1.0", "pkg:golang/example.com/x/v2@v2.1.0"},
		"npm package @lezer/lr@1.4.2":       {"library", "pkg:npm/%40lezer/lr@1.4.2", "@lezer/lr", "1.4.2", "pkg:npm/%40lezer/lr@1.4.2"},
		"npm package yjs@13.6.33":           {"library", "pkg:npm/yjs@13.6.33", "yjs", "13.6.33", "pkg:npm/yjs@13.6.33"},
		"something copied":                  {Type: "library", Name: "something copied"},
	} {
		if got := componentOf(called); got != want {
			t.Errorf("%s: got %+v, want %+v", called, got, want)
		}
	}
	var out strings.Builder
	if err := writeBOM(&out, "v1", notices{"npm package yjs@13.6.33": {"MIT"}}); err != nil || !strings.Contains(out.String(), `"purl": "pkg:npm/yjs@13.6.33"`) {
		t.Errorf("got %s, %v, want the package", out.String(), err)
	}
}

func TestNamesOfLicences(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENCE.md": true, "license.txt": true, "COPYING": true, "NOTICE": true, "UNLICENSE": true, "LICENSE-3RD-PARTY.md": true,
		"license.go": false, "licenses": false, "noticeboard.txt": false, "README.md": false,
	} {
		if got := isLicence(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
