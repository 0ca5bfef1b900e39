package rules

import (
	"fmt"
	"go/ast"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// mostMethods is how many methods a type has at most. Each of them can reach all fields,
// so a type with more usually has several subjects.
const mostMethods = 25

// largeTypes are types of more methods than mostMethods, as package and type, and why.
func largeTypes() map[string]string {
	return map[string]string{
		"adapters/memory/backend request": "one request to an engine, from its body to its answer",
		"adapters/memory/backend state":   "all records of a place",
	}
}

// TestTypeSizes checks types against mostMethods, and that the exceptions are needed.
func TestTypeSizes(t *testing.T) {
	t.Parallel()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found.overgrown(largeTypes()) {
		t.Error(complaint)
	}
}

// overgrown returns a sentence for every type that has too many methods, and for every
// exception that nothing needs.
func (s *sources) overgrown(large map[string]string) []string {
	large = maps.Clone(large)
	var all []string
	for name, methods := range s.methods() {
		if len(methods) <= mostMethods {
			continue
		}
		if large[name] == "" {
			all = append(all, fmt.Sprintf("%s has %d methods, want at most %d: divide it by what it is about, or say in largeTypes why it is one idea", name, len(methods), mostMethods))
		}
		delete(large, name)
	}
	for name := range large {
		all = append(all, fmt.Sprintf("%s has no more than %d methods: take it out of largeTypes", name, mostMethods))
	}
	slices.Sort(all)
	return all
}

// methods returns the names of the methods that each type declares, by package and type.
// Tests and generated files do not count, nor do the methods of embedded types. A name
// that files for different systems declare counts once.
func (s *sources) methods() map[string]map[string]bool {
	methods := map[string]map[string]bool{}
	for _, file := range s.files {
		if file.isTest() || ast.IsGenerated(file.syntax) || !fitsAny([]string{"core/**", "ports/**", "adapters/**", "bootstrap/**"}, file.dir()) {
			continue
		}
		for _, declared := range file.syntax.Decls {
			function, ok := declared.(*ast.FuncDecl)
			if !ok || function.Recv == nil {
				continue
			}
			name := file.dir() + " " + receiverType(function.Recv.List[0].Type)
			if methods[name] == nil {
				methods[name] = map[string]bool{}
			}
			methods[name][function.Name.Name] = true
		}
	}
	return methods
}

// receiverType names the type of a receiver, without its pointer and type parameters.
func receiverType(receiver ast.Expr) string {
	for {
		switch part := receiver.(type) {
		case *ast.StarExpr:
			receiver = part.X
		case *ast.ParenExpr:
			receiver = part.X
		case *ast.IndexExpr:
			receiver = part.X
		case *ast.IndexListExpr:
			receiver = part.X
		case *ast.Ident:
			return part.Name
		default:
			return ""
		}
	}
}

func TestTypeSizesBite(t *testing.T) {
	t.Parallel()
	methods := func(receiver string, from, n int) string {
		var text strings.Builder
		text.WriteString("package x\n")
		for i := range n {
			fmt.Fprintf(&text, "func (%s) m%d() {}\n", receiver, from+i)
		}
		return text.String()
	}
	file := func(name, text string) map[string]string { return map[string]string{name: text} }
	many := file("core/x/a.go", methods("t *T", 0, mostMethods+1))
	none := map[string]string{}
	for name, c := range map[string]struct {
		files, large map[string]string
		want         string
	}{
		"a type at the bound":              {file("core/x/a.go", methods("t *T", 0, mostMethods)), none, ""},
		"a type beyond the bound":          {many, none, "core/x T has 26 methods"},
		"values and pointers together":     {map[string]string{"ports/x/a.go": methods("T", 0, 13), "ports/x/b.go": methods("*T", 13, 13)}, none, "ports/x T has 26 methods"},
		"a generic type":                   {file("adapters/x/a.go", methods("t *T[K]", 0, 26)), none, "adapters/x T has 26 methods"},
		"a type of two parameters":         {file("bootstrap/x/a.go", methods("T[K, V]", 0, 26)), none, "bootstrap/x T has 26 methods"},
		"in the package core":              {file("core/a.go", methods("T", 0, 26)), none, "core T has 26 methods"},
		"an interface":                     {file("core/x/a.go", "package x\ntype T interface {"+strings.Repeat("\nM()", 26)+"\n}\n"), none, ""},
		"a name for two systems":           {map[string]string{"core/x/a.go": methods("T", 0, 25), "core/x/a_linux.go": methods("T", 0, 25)}, none, ""},
		"one name in two packages":         {map[string]string{"core/x/a.go": methods("T", 0, 13), "core/y/a.go": methods("T", 13, 13)}, none, ""},
		"two types":                        {map[string]string{"core/x/a.go": methods("T", 0, 13), "core/x/b.go": methods("U", 13, 13)}, none, ""},
		"tests do not count":               {map[string]string{"core/x/a.go": methods("T", 0, 13), "core/x/a_test.go": methods("T", 13, 13)}, none, ""},
		"generated code does not count":    {file("core/x/a.go", "// Code generated by x. DO NOT EDIT.\n"+methods("T", 0, 26)), none, ""},
		"functions do not count":           {file("core/x/a.go", strings.ReplaceAll(methods("T", 0, 26), "func (T) ", "func ")), none, ""},
		"an exception":                     {many, map[string]string{"core/x T": "one idea"}, ""},
		"an exception without a reason":    {many, map[string]string{"core/x T": ""}, "core/x T has 26 methods"},
		"an exception that nothing needs":  {file("core/x/a.go", methods("T", 0, 25)), map[string]string{"core/x T": "one idea"}, "take it out of largeTypes"},
		"an exception for a type not here": {none, map[string]string{"core/x T": "one idea"}, "take it out of largeTypes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := sourcesOf(t, c.files).overgrown(c.large)
			if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("got %q, want %q alone", found, c.want)
			}
		})
	}
}
