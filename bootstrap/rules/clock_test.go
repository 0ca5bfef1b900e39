package rules

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// clocked are the files and folders whose tests may use the clock, with the reason. Benchmarks may, and so may
// files whose tests run in a bubble of testing/synctest, where time is simulated.
func clocked() map[string]string {
	return map[string]string{
		"adapters/bwrap/orphans_test.go":                       "it cancels and kills at every moment of the start of real processes",
		"adapters/chromium/orphans_test.go":                    "it cancels and kills at every moment of the start of a real browser",
		"adapters/chromium/still_test.go":                      "a real browser waits for a server that answers late: the pause is what is tested",
		"adapters/dataworker/kill_test.go":                     "it kills a worker at random moments",
		"adapters/disk/crash_test.go":                          "it kills a writer at random moments",
		"adapters/git/crash_test.go":                           "it kills a writer at random moments",
		"core/preview":                                         "its fixture starts a bubble",
		"core/rooms":                                           "its fixture starts a bubble",
		"core/checks/checks_test.go":                           "only a test in a bubble lets its pages take time",
		"bootstrap/stories/agent/misbehaviour_answers_test.go": "its model trickles: the bytes of an answer come one by one",
		"bootstrap/stories/agent/resume_test.go":               "its model pauses between the pieces of an answer, and the process is killed in between",
		"bootstrap/stories/browser/studio_talker_test.go":      "its model speaks at a pace that a browser watches",
		"bootstrap/stories/cluster/clock_test.go":              "clocks are wrong for longer than real leases",
		"bootstrap/stories/cluster/faults_test.go":             "its faults come at any moment, and last longer than real leases",
		"bootstrap/stories/cluster/load_test.go":               "people work at a pace, and give up on processes that are suspended",
		"bootstrap/stories/cluster/wire_test.go":               "a slow network is one of its faults",
		"bootstrap/stories/files/crash_test.go":                "it kills a process at a random moment",
		"bootstrap/tools/peers":                                "it measures, and never fails for a time",
	}
}

// waits are the calls that wait for time, by package.
func waits() map[string][]string {
	return map[string][]string{
		"time":    {"Sleep", "After", "Tick", "NewTicker", "NewTimer", "AfterFunc"},
		"context": {"WithTimeout", "WithDeadline", "WithTimeoutCause", "WithDeadlineCause"},
	}
}

// TestTestsWaitForEvents checks that no test waits for time. On a busy machine time is no measure:
// a test waits for what happens (conformance.Eventually, Await), and a deadline that only guards
// against hanging comes from conformance.Bounded.
func TestTestsWaitForEvents(t *testing.T) {
	t.Parallel()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found.impatient(clocked()) {
		t.Error(complaint)
	}
}

// TestTheRuleOfTheClockBites plays the rule on tests of which it must refuse some.
func TestTheRuleOfTheClockBites(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, source, want string }{
		"a sleep":                   {"core/a/a_test.go", "import \"time\"\n\nfunc f() { time.Sleep(1) }", "core/a/a_test.go:5: time.Sleep waits for time"},
		"a deadline":                {"core/a/a_test.go", "import \"context\"\n\nfunc f() { context.WithTimeout(ctx, 1) }", "context.WithTimeout waits for time"},
		"a sleep in a bubble":       {"core/a/a_test.go", "import (\n\t\"testing/synctest\"\n\t\"time\"\n)\n\nfunc f() { time.Sleep(1) }", ""},
		"a sleep of a benchmark":    {"core/a/bench_test.go", "import \"time\"\n\nfunc f() { time.Sleep(1) }", ""},
		"a sleep of the product":    {"core/a/a.go", "import \"time\"\n\nfunc f() { time.Sleep(1) }", ""},
		"a sleep with a reason":     {"core/b/b_test.go", "import \"time\"\n\nfunc f() { time.Sleep(1) }", ""},
		"a reason without a use":    {"core/a/a_test.go", "", "core/b/b_test.go does not use the clock: take it off the list"},
		"a time that does not wait": {"core/a/a_test.go", "import \"time\"\n\nfunc f() { time.Now() }", ""},
	} {
		files := fstest.MapFS{c.file: {Data: []byte("package a\n\n" + c.source + "\n")}}
		reasons := map[string]string{}
		if strings.Contains(name, "reason") {
			reasons["core/b/b_test.go"] = "it is about time"
		}
		found, err := parseSources(files)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(found.impatient(reasons), "; ")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// impatient returns a sentence for each call of a test that waits for time, and for each reason
// that no file needs.
func (s *sources) impatient(reasons map[string]string) []string {
	var wrong []string
	used := map[string]bool{}
	for _, file := range s.files {
		if !file.isTest() || strings.Contains(path.Base(file.name), "bench") || importsBubble(file.syntax) {
			continue
		}
		for _, call := range clockCalls(file.syntax) {
			used[file.name], used[file.dir()] = true, true
			if reasons[file.name] == "" && reasons[file.dir()] == "" {
				wrong = append(wrong, fmt.Sprintf("%s:%d: %s waits for time: wait for what happens (conformance.Eventually, Await, Bounded), or use testing/synctest",
					file.name, s.positions.Position(call.Pos()).Line, call.X.(*ast.Ident).Name+"."+call.Sel.Name))
			}
		}
	}
	for name := range reasons {
		if !used[name] {
			wrong = append(wrong, name+" does not use the clock: take it off the list")
		}
	}
	return wrong
}

func importsBubble(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(one *ast.ImportSpec) bool { return one.Path.Value == `"testing/synctest"` })
}

// clockCalls returns the functions of waits that a file names.
func clockCalls(file *ast.File) []*ast.SelectorExpr {
	var found []*ast.SelectorExpr
	ast.Inspect(file, func(node ast.Node) bool {
		named, isNamed := node.(*ast.SelectorExpr)
		if !isNamed {
			return true
		}
		if of, isName := named.X.(*ast.Ident); isName && slices.Contains(waits()[of.Name], named.Sel.Name) {
			found = append(found, named)
		}
		return true
	})
	return found
}
