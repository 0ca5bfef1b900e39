package rules

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// sourcesOf parses files given as name and text.
func sourcesOf(t *testing.T, files map[string]string) *sources {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	found, err := parseSources(tree)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// importing is the text of a file that imports something.
func importing(name string, imports ...string) string {
	text := "package " + name + "\n"
	for _, imported := range imports {
		text += fmt.Sprintf("import _ %q\n", strings.Replace(imported, "atelier/", modulePath+"/", 1))
	}
	return text
}

// TestImportRulesBite breaks each rule once, in every way that it can be broken,
// and wants exactly that to be found.
func TestImportRulesBite(t *testing.T) {
	for _, c := range []struct {
		name, file, text string
		rule             int
	}{
		{"core imports a port", "core/x.go", importing("core", "atelier/ports/ai"), 1},
		{"core imports a use case", "core/x.go", importing("core", "atelier/core/chat"), 1},
		{"core imports a module", "core/x.go", importing("core", "golang.org/x/sync/errgroup"), 6},
		{"core imports a module for tests", "core/x.go", importing("core", "golang.org/x/text/unicode/norm"), 6},
		{"a port imports a port", "ports/ai/x.go", importing("ai", "atelier/ports/storage"), 2},
		{"a port imports a use case", "ports/ai/x.go", importing("ai", "atelier/core/chat"), 2},
		{"a port imports a vendor", "ports/ai/x.go", importing("ai", "github.com/ollama/ollama/api"), 6},
		{"a port imports a suite", "ports/ai/x.go", importing("ai", "atelier/ports/storage/storagetest"), 2},
		{"a port imports its own suite", "ports/ai/x.go", importing("ai", "atelier/ports/ai/aitest"), 2},
		{"a suite imports an adapter", "ports/ai/aitest/x.go", importing("aitest", "atelier/adapters/memory"), 2},
		{"a suite imports another port", "ports/ai/aitest/x.go", importing("aitest", "atelier/ports/storage"), 2},
		{"a suite imports another suite", "ports/worktree/worktreetest/x.go", importing("worktreetest", "atelier/ports/vcs/vcstest"), 2},
		{"a part of a suite imports another port", "ports/storage/storagetest/chats/x.go", importing("chats", "atelier/ports/ai"), 2},
		{"a suite imports a use case", "ports/ai/aitest/x.go", importing("aitest", "atelier/core/chat"), 2},
		{"what suites share imports a port", "ports/conformance/x.go", importing("conformance", "atelier/ports/ai"), 2},
		{"what suites share imports a suite", "ports/conformance/x.go", importing("conformance", "atelier/ports/locks/lockstest"), 2},
		{"memberships import the models", "core/workspaces/x.go", importing("workspaces", "atelier/core/models"), 3},
		{"memberships import the agent", "core/workspaces/x.go", importing("workspaces", "atelier/core/agent"), 3},
		{"a use case imports an adapter", "core/chat/x.go", importing("chat", "atelier/adapters/memory"), 3},
		{"a use case imports a suite", "core/chat/x.go", importing("chat", "atelier/ports/ai/aitest"), 3},
		{"a use case imports what suites share", "core/chat/x.go", importing("chat", "atelier/ports/conformance"), 3},
		{"an adapter imports a suite", "adapters/git/x.go", importing("git", "atelier/ports/vcs/vcstest"), 4},
		{"a driving adapter imports a part of a suite", "adapters/httpapi/x.go", importing("httpapi", "atelier/ports/storage/storagetest/chats"), 5},
		{"a use case imports a module", "core/chat/x.go", importing("chat", "golang.org/x/sync/errgroup"), 6},
		{"a driven adapter imports another", "adapters/git/x.go", importing("git", "atelier/adapters/disk"), 4},
		{"a driven adapter imports a use case", "adapters/git/x.go", importing("git", "atelier/core/files"), 4},
		{"a driven adapter below another imports a third", "adapters/git/pack/x.go", importing("pack", "atelier/adapters/disk"), 4},
		{"what builders share imports what compiles style sheets", "adapters/esbuild/project/x.go", importing("project", "atelier/adapters/esbuild/styles"), 4},
		{"a driven adapter imports a part of another", "adapters/git/x.go", importing("git", "atelier/adapters/memory/storage"), 4},
		{"a part of an adapter imports the whole", "adapters/memory/storage/x.go", importing("storage", "atelier/adapters/memory"), 4},
		{"a part of an adapter imports another part", "adapters/memory/storage/x.go", importing("storage", "atelier/adapters/memory/worktree"), 4},
		{"what adapters share imports an adapter", "adapters/internal/durable/x.go", importing("durable", "atelier/adapters/disk"), 4},
		{"an adapter imports the programs", "adapters/git/x.go", importing("git", "atelier/bootstrap"), 4},
		{"an adapter imports the migrations of another", "adapters/git/x.go", importing("git", "atelier/migrations"), 4},
		{"the migrations import the core", "migrations/x.go", importing("migrations", "atelier/core"), 4},
		{"a driving adapter imports a driven one", "adapters/httpapi/x.go", importing("httpapi", "atelier/adapters/memory"), 5},
		{"a driving adapter imports a driving one", "adapters/httpapi/x.go", importing("httpapi", "atelier/adapters/sitehost"), 5},
		{"the web kit imports a use case", "adapters/httpapi/rest/x.go", importing("rest", "atelier/core/chat"), 5},
		{"the web kit imports a handler", "adapters/httpapi/rest/x.go", importing("rest", "atelier/adapters/httpapi"), 5},
		{"the middleware imports a use case", "adapters/httpapi/observe/x.go", importing("observe", "atelier/core/chat"), 5},
		{"the rate limits import the guard", "adapters/internal/ratelimit/x.go", importing("ratelimit", "atelier/adapters/httpapi/guard"), 4},
		{"a test of an adapter imports a program", "adapters/git/x_test.go", importing("git", "atelier/bootstrap/local"), 5},
		{"the settings import the wiring", "bootstrap/settings/x.go", importing("settings", "atelier/bootstrap"), 4},
		{"a program imports a suite", "bootstrap/x.go", importing("bootstrap", "atelier/ports/storage/storagetest"), 4},
		{"a program imports what suites share", "bootstrap/x.go", importing("bootstrap", "atelier/ports/conformance"), 4},
		{"a program imports what runs it in tests", "bootstrap/tools/demo/x.go", importing("main", "atelier/bootstrap/stories/process"), 4},
		{"a program imports what the stories share", "bootstrap/x.go", importing("bootstrap", "atelier/bootstrap/stories/storytest"), 4},
		{"a program imports what is for tests", "bootstrap/x.go", importing("bootstrap", "atelier/adapters/httpapi/conform"), 4},
		{"a module of tests in the program", "adapters/httpapi/x.go", importing("httpapi", "github.com/getkin/kin-openapi/openapi3"), 6},
		{"a module in another's adapter", "adapters/disk/x.go", importing("disk", "github.com/uptrace/bun"), 6},
		{"a package of a module in another's adapter", "adapters/disk/x.go", importing("disk", "github.com/uptrace/bun/dialect/pgdialect"), 6},
		{"a module whose name only begins like an owned one", "adapters/bunstore/x.go", importing("bunstore", "github.com/uptrace/bunrouter"), 6},
		{"a module in another's test", "adapters/disk/x_test.go", importing("disk", "github.com/uptrace/bun"), 6},
		{"a module without an owner", "adapters/git/x.go", importing("git", "example.com/new"), 6},
		{"wire in the binary", "bootstrap/local/x.go", importing("local", "github.com/google/wire"), 6},
		{"wire behind another constraint", "bootstrap/local/x.go", "//go:build !wireinject\n\n" + importing("local", "github.com/google/wire"), 6},
		{"wire outside of the programs", "adapters/git/x.go", "//go:build wireinject\n\n" + importing("git", "github.com/google/wire"), 6},
		{"main outside of bootstrap", "core/x.go", "package main\n", 7},
		{"an init", "adapters/git/x.go", "package git\nfunc init() {}\n", 7},
		{"an init in a test", "adapters/git/x_test.go", "package git\nfunc init() {}\n", 7},
		{"an empty name", "core/util/x.go", "package util\n", 7},
		{"an empty name of a test", "core/shared/x_test.go", "package shared_test\n", 7},
		{"a place that no rule knows", "lib/x.go", importing("lib", "atelier/core"), 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			found := sourcesOf(t, map[string]string{c.file: c.text}).violations()
			if want := fmt.Sprintf("rule %d: ", c.rule); len(found) != 1 || !strings.Contains(found[0], want) || !strings.HasPrefix(found[0], c.file) {
				t.Errorf("got %q, want one violation of %s in %s", found, want, c.file)
			}
		})
	}
}

// TestChangedVariablesAreFound changes a package variable in every way that the
// syntax shows.
func TestChangedVariablesAreFound(t *testing.T) {
	declared := "package git\nimport \"net/http\"\nvar x, y = 1, map[string][]int{}\nvar _ = http.MethodGet\ntype s struct{ x int }\n"
	for body, want := range map[string]bool{
		"x = 2": true, "x += 2": true, "x++": true, "_, x = 1, 2": true, "(x) = 2": true, "for x = range 3 {}": true, "for _, x = range []int{} {}": true,
		`y["a"] = nil`: true, `y["a"][0] = 1`: true, `delete(y, "a")`: true, "clear(y)": true, "func() { x = 2 }()": true, "{ x := 1; _ = x }; x = 2": true,
		"http.DefaultClient = nil": true, "http.DefaultClient.Timeout = 1": true,
		"x := 2; x = 3": false, "_ = x": false, "var x int; x++; x = 1": false, "func(x int) { x = 2 }(1)": false, "for x := range 3 { x++ }": false, "z := s{x: 1}; z.x = 2": false,
		"y := y; y[\"a\"] = nil": false, "http := s{}; http.x = 1": false, "switch x := any(x).(type) { case int: x = 2 }": false,
	} {
		files := map[string]string{
			"adapters/git/declared.go": declared,
			"adapters/git/user.go":     "package git\nimport \"net/http\"\nvar _ = http.MethodGet\nfunc f() { " + body + " }\n",
		}
		apart := sourcesOf(t, files).violations()
		together := sourcesOf(t, map[string]string{"adapters/git/x.go": declared + "func f() { " + body + " }\n"}).violations()
		for _, found := range [][]string{apart, together} {
			if (len(found) == 1) != want || len(found) > 1 || want && !strings.Contains(found[0], "rule 7") {
				t.Errorf("%s: got %q, want a violation %v", body, found, want)
			}
		}
	}
}

// TestImportRulesAllowWhatTheyShall shows that not everything is a violation.
func TestImportRulesAllowWhatTheyShall(t *testing.T) {
	found := sourcesOf(t, map[string]string{
		"core/x.go":                            importing("core", "context", "unicode/utf8"),
		"core/x_test.go":                       importing("core_test", "atelier/core", "atelier/adapters/memory", "golang.org/x/text/unicode/norm"),
		"ports/ai/x.go":                        importing("ai", "context", "atelier/core"),
		"ports/ai/aitest/x.go":                 importing("aitest", "testing", "atelier/core", "atelier/ports/ai", "atelier/ports/conformance"),
		"ports/vcs/vcstest/x.go":               importing("vcstest", "atelier/ports/vcs", "atelier/ports/worktree", "atelier/ports/worktree/worktreetest"),
		"ports/storage/storagetest/x.go":       importing("storagetest", "atelier/ports/storage", "atelier/ports/storage/storagetest/chats"),
		"ports/storage/storagetest/chats/x.go": importing("chats", "atelier/ports/storage/storagetest/fixture"),
		"ports/conformance/x.go":               importing("conformance", "testing", "atelier/core", "atelier/ports/locks"),
		"core/chat/x.go":                       importing("chat", "atelier/core", "atelier/core/access", "atelier/ports/ai"),
		"bootstrap/stories/process/x.go":       importing("process", "testing", "atelier/ports/conformance"),
		"core/chat/x_test.go":                  importing("chat_test", "atelier/adapters/memory", "atelier/ports/ai/aitest"),
		"adapters/git/x.go":                    importing("git", "atelier/core", "atelier/ports/vcs", "atelier/adapters/internal/durable", "github.com/go-git/go-git/v5/plumbing", "golang.org/x/sync/errgroup"),
		"adapters/git/x_test.go":               importing("git_test", "atelier/adapters/disk", "atelier/ports/vcs/vcstest"),
		"adapters/memory/vcs/x.go":             importing("vcs", "atelier/adapters/memory/worktree"),
		"adapters/memory/x.go":                 importing("memory", "atelier/adapters/memory/storage"),
		"adapters/bunstore/x.go":               importing("bunstore", "atelier/migrations", "github.com/uptrace/bun", "github.com/jackc/pgx/v5/stdlib"),
		"adapters/httpapi/x.go":                importing("httpapi", "atelier/core/chat", "atelier/ports/search", "atelier/adapters/httpapi/rest"),
		"migrations/x.go":                      importing("migrations", "embed", "github.com/uptrace/bun/migrate"),
		"bootstrap/local/wire.go":              "//go:build wireinject\n\n" + importing("local", "github.com/google/wire", "atelier/bootstrap", "atelier/adapters/git"),
		"bootstrap/atelier/main.go":            importing("main", "atelier/bootstrap/local") + "func main() {}\n",
		"adapters/git/method.go":               "package git\ntype s struct{}\nfunc (s) init() {}\n",
		"adapters/git/testdata/x.go":           "package util\n",
		"adapters/git/.hidden/x.go":            "package util\n",
		"adapters/git/readme.md":               "package util",
		"core/chat/variables.go":               "package chat\nvar limit = 3\nvar _ = limit\n",
		"core/chat/variables_test.go":          "package chat_test\nfunc f() { limit := 1; limit++ }\n",
	}).violations()
	if len(found) > 0 {
		t.Errorf("got %q, want none", found)
	}
}
