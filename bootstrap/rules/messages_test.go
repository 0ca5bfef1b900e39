package rules

import (
	"encoding/json"
	"go/ast"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
)

// TestTranslatedMessagesExist checks that every message in the catalogs of translations is one
// that an error has: a message that is worded anew has to be translated anew.
func TestTranslatedMessagesExist(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	found, err := parseSources(tree)
	if err != nil {
		t.Fatal(err)
	}
	formats := found.messages()
	for name, catalog := range catalogs(t, tree) {
		for format := range catalog {
			if _, exists := formats[format]; !exists {
				t.Errorf("%s translates %q, which nothing says: translate its new wording, or take it out", name, format)
			}
		}
	}
}

// translated are the sources whose messages all have to be translated, because a page of the
// studio shows each of them: what admins see of the installation, what is wrong with a connector or
// with a file of records, and what the editor says of types.
func translated() []string {
	return []string{
		"bootstrap/health.go", "core/health/", "core/backups/", "core/backends/recordfile/", "core/codeintel/", "core/typecheck/", "adapters/mcpclient/", "adapters/smtp/",
		"adapters/outbox/", "adapters/nats/conn.go", "adapters/bwrap/runner.go", "adapters/bwrap/node.go", "adapters/bwrap/tools.go", "adapters/bwrap/types.go",
		"adapters/bwrap/languageservers.go", "adapters/chromium/cage.go", "adapters/chromium/browser.go", "adapters/s3/s3.go", "adapters/disk/trees.go",
		"adapters/bunstore/store.go",
	}
}

// TestWhatPagesShowIsTranslated checks that no catalog lacks a phrase, or a message of the sources
// whose messages are shown.
func TestWhatPagesShowIsTranslated(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	found, err := parseSources(tree)
	if err != nil {
		t.Fatal(err)
	}
	formats := found.messages()
	for name, catalog := range catalogs(t, tree) {
		for format, said := range formats {
			isShown := said.phrase
			for _, source := range translated() {
				isShown = isShown || strings.HasPrefix(said.file, source)
			}
			if _, known := catalog[format]; isShown && format != "%s" && !known {
				t.Errorf("%s lacks %q of %s", name, format, said.file)
			}
		}
	}
}

// catalogs returns the translations by the names of their files.
func catalogs(t *testing.T, tree fs.FS) map[string]map[string]string {
	t.Helper()
	names, err := fs.Glob(tree, "adapters/internal/messages/*.json")
	if err != nil || len(names) == 0 {
		t.Fatalf("got the catalogs %q, %v, want some", names, err)
	}
	all := make(map[string]map[string]string)
	for _, name := range names {
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			t.Fatal(err)
		}
		var catalog map[string]string
		if err := json.Unmarshal(content, &catalog); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[path.Base(name)] = catalog
	}
	return all
}

// origin is where a message is made.
type origin struct {
	file   string
	phrase bool
}

// messages returns the formats of all phrases and errors that are made from a literal.
func (s *sources) messages() map[string]origin {
	// place is which argument has the format. fail wraps an error in some packages.
	place := map[string]int{"Errorf": 1, "Wrap": 2, "NotFound": 0, "Phrasef": 0, "fail": 1}
	all := make(map[string]origin)
	for _, file := range s.files {
		if file.isTest() {
			continue
		}
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			name := calledName(call)
			at, known := place[name]
			if !known || len(call.Args) <= at {
				return true
			}
			literal, is := call.Args[at].(*ast.BasicLit)
			if !is {
				return true
			}
			format, err := strconv.Unquote(literal.Value)
			if err != nil {
				return true
			}
			if name == "NotFound" {
				format = "no such " + format
			}
			if first, known := all[format]; !known || !first.phrase {
				all[format] = origin{file.name, name == "Phrasef"}
			}
			return true
		})
	}
	return all
}

// calledName returns the name of a called function, without its package.
func calledName(call *ast.CallExpr) string {
	switch function := call.Fun.(type) {
	case *ast.SelectorExpr:
		return function.Sel.Name
	case *ast.Ident:
		return function.Name
	}
	return ""
}
