package rules

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestWhatIsSharedIsInTheTable checks that every package which makes a semaphore or a pool of
// workers says in the table of core/fair who bounds it.
func TestWhatIsSharedIsInTheTable(t *testing.T) {
	t.Parallel()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found.unbounded() {
		t.Error(complaint)
	}
}

// TestASharedResourceWithoutARowIsFound adds resources of each kind, and rows that are wrong.
func TestASharedResourceWithoutARowIsFound(t *testing.T) {
	t.Parallel()
	const table = "// Package fair shares.\n//\n//\tresource | package | by workspace | by person | by installation\n//\tplaces | core/known | 2 | - | 4\n"
	for name, c := range map[string]struct{ table, source, want string }{
		"a known one":         {table, "func f() { fair.New(b) }", ""},
		"a lock":              {table, "func f() { make(chan struct{}, 1) }", ""},
		"a semaphore":         {strings.Replace(table, "known", "other", 1), "func f() { fair.New(b) }", "core/known makes a semaphore or a pool of workers"},
		"a channel":           {strings.Replace(table, "known", "other", 1), "func f() { make(chan struct{}, most) }", "core/known makes a semaphore or a pool of workers"},
		"a pool":              {strings.Replace(table, "known", "other", 1), "func f() { workerprocess.NewSupervisor(idle, start) }", "core/known makes a semaphore or a pool of workers"},
		"a row of no package": {table + "//\tmore | core/gone | 2 | - | 4\n", "func f() { fair.New(b) }", "there is no package core/gone"},
		"an empty column":     {table + "//\tmore | core/known | 2 | | 4\n", "func f() { fair.New(b) }", "wants five columns"},
	} {
		found, err := parseSources(fstest.MapFS{
			"core/fair/doc.go": {Data: []byte(c.table + "package fair\n")}, "core/known/known.go": {Data: []byte("package known\n\n" + c.source + "\n")},
			"core/other/other.go": {Data: []byte("package other\n")},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(found.unbounded(), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// unbounded returns a sentence for each package without a row, and each row that is wrong.
func (s *sources) unbounded() []string {
	rows, all := s.sharedRows()
	for _, file := range s.files {
		inside := strings.HasPrefix(file.name, "core/") || strings.HasPrefix(file.name, "adapters/")
		if !inside || file.isTest() || strings.HasPrefix(file.name, "adapters/memory/") || rows[file.dir()] || !isSharing(file.syntax) {
			continue
		}
		rows[file.dir()] = true // once
		all = append(all, fmt.Sprintf("%s makes a semaphore or a pool of workers: say in the table of core/fair/doc.go who bounds it", file.dir()))
	}
	slices.Sort(all)
	return all
}

// sharedRows returns the packages of the table, and what is wrong with it.
func (s *sources) sharedRows() (rows map[string]bool, wrong []string) {
	rows = map[string]bool{}
	for _, file := range s.files {
		if file.name != "core/fair/doc.go" || file.syntax.Doc == nil {
			continue
		}
		for _, comment := range file.syntax.Doc.List {
			columns := strings.Split(strings.TrimPrefix(comment.Text, "//"), "|")
			if len(columns) == 1 || strings.TrimSpace(columns[1]) == "package" {
				continue
			}
			isEmpty := slices.ContainsFunc(columns, func(column string) bool { return strings.TrimSpace(column) == "" })
			if len(columns) != 5 || isEmpty {
				wrong = append(wrong, fmt.Sprintf("the row %q of core/fair wants five columns, with - for nobody", strings.TrimSpace(comment.Text)))
				continue
			}
			place := strings.TrimSpace(columns[1])
			if !s.has(place) {
				wrong = append(wrong, fmt.Sprintf("the table of core/fair has a row for %s, but there is no package %s", place, place))
			}
			rows[place] = true
		}
	}
	return rows, wrong
}

// isSharing reports whether a file makes a semaphore, or a pool of workers.
func isSharing(file *ast.File) bool {
	sharing := false
	ast.Inspect(file, func(node ast.Node) bool {
		call, isCall := node.(*ast.CallExpr)
		if !isCall {
			return true
		}
		switch made := call.Fun.(type) {
		case *ast.SelectorExpr:
			of, isName := made.X.(*ast.Ident)
			sharing = sharing || isName && (of.Name == "fair" && made.Sel.Name == "New" || of.Name == "workerprocess" && made.Sel.Name == "NewSupervisor")
		case *ast.Ident:
			sharing = sharing || made.Name == "make" && len(call.Args) == 2 && isSignals(call.Args[0]) && !isOne(call.Args[1])
		}
		return true
	})
	return sharing
}

// isSignals reports whether a type is chan struct{}.
func isSignals(of ast.Expr) bool {
	channel, isChannel := of.(*ast.ChanType)
	if !isChannel {
		return false
	}
	inner, isStruct := channel.Value.(*ast.StructType)
	return isStruct && len(inner.Fields.List) == 0
}

// isOne reports whether a channel holds one signal, and so is a lock or a wake-up.
func isOne(size ast.Expr) bool {
	literal, isLiteral := size.(*ast.BasicLit)
	return isLiteral && literal.Kind == token.INT && literal.Value == "1"
}
