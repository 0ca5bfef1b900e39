package evals

import (
	"errors"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/ports/build"
)

func texts(pairs ...string) map[string][]byte {
	files := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		files[pairs[i]] = []byte(pairs[i+1])
	}
	return files
}

func TestChecksJudgeWhatWasLeft(t *testing.T) {
	there, gone := true, false
	left := outcome{
		before: texts("a.txt", "one\ntwo\nthree\n", "src/b.tsx", "same", "src/old.tsx", "old", "n.png", "x"),
		after:  texts("a.txt", "one\n2\nthree\n", "src/b.tsx", "same", "src/new.tsx", "new", "n.png", "x"),
		pages:  []byte("<h1>Hello</h1>"),
		answer: "It is in src/b.tsx.\n\n1. First\n2. Second\n",
	}
	broken := left
	broken.problem, broken.pages = "src/b.tsx:1:1: no", nil
	idle := left
	idle.after = left.before
	for _, row := range []struct {
		check Check
		left  outcome
		why   string
	}{
		{Check{File: "a.txt", Contains: "2"}, left, ""},
		{Check{File: "a.txt", Contains: "two"}, left, "not found"},
		{Check{File: "src/*.tsx", Contains: "new"}, left, ""},
		{Check{File: "lib/**", Contains: "new"}, left, "no such file"},
		{Check{File: "a.txt", Lacks: "two"}, left, ""},
		{Check{File: "src/**", Lacks: "new"}, left, "found in src/new.tsx"},
		{Check{File: "src/old.tsx", Lacks: "new"}, left, "no such file"},
		{Check{File: "a.txt", Matches: `(?m)^\d$`}, left, ""},
		{Check{File: "a.txt", Matches: `^\d$`}, left, "not found"},
		{Check{File: "a.txt", LacksMatch: `\r`}, left, ""},
		{Check{File: "a.txt", LacksMatch: `th.ee`}, left, "found in a.txt"},
		{Check{File: "src/new.tsx", Exists: &there}, left, ""},
		{Check{File: "src/old.tsx", Exists: &there}, left, "it is not there"},
		{Check{File: "src/old.tsx", Exists: &gone}, left, ""},
		{Check{File: "src/**", Exists: &gone}, left, "it is there"},
		{Check{File: "a.txt", ChangedLines: 2}, left, ""},
		{Check{File: "a.txt", ChangedLines: 1}, left, "2 lines came or went"},
		{Check{File: "src/b.tsx", ChangedLines: 1}, left, "nothing was changed"},
		{Check{File: "src/old.tsx", ChangedLines: 1}, left, "no such file"},
		{Check{Unchanged: []string{"src/b.tsx", "n.png"}}, left, ""},
		{Check{Unchanged: []string{"**"}}, left, "a.txt is not what it was"},
		{Check{Unchanged: []string{"src/new.tsx"}}, left, "there was no such file"},
		{Check{Unchanged: []string{"src/*"}}, left, "src/new.tsx is not what it was"},
		{Check{OnlyChanged: []string{"a.txt", "src/**"}}, left, ""},
		{Check{OnlyChanged: []string{"src/**"}}, left, "a.txt was changed, too"},
		{Check{OnlyChanged: []string{"**"}}, idle, "nothing was changed"},
		{Check{Builds: true}, left, ""},
		{Check{Builds: true}, broken, "src/b.tsx:1:1: no"},
		{Check{Page: "Hello"}, left, ""},
		{Check{Page: "Bye"}, left, "it is not there"},
		{Check{Page: "Hello"}, broken, "there is no page"},
		{Check{PageLacks: "Bye"}, left, ""},
		{Check{PageLacks: "Hello"}, left, "it is there"},
		{Check{PageLacks: "Hello"}, broken, "there is no page"},
		{Check{Answer: `src/\w`}, left, ""},
		{Check{Answer: `lib/`}, left, "the answer is"},
		{Check{Plan: 2}, left, ""},
		{Check{Plan: 3}, left, "it has 2"},
		{Check{Plan: 1}, outcome{answer: "No."}, errNoPlan.Error()},
		{Check{FirstPage: true}, left, ""},
		{Check{FirstPage: true}, outcome{faults: []string{"too wide", "too grey"}}, "too wide; too grey"},
		{Check{Tokens: true}, outcome{after: map[string][]byte{"src/a.tsx": []byte("bg-card")}}, ""},
		{Check{Tokens: true}, outcome{after: map[string][]byte{"src/a.tsx": []byte("bg-red-500")}}, "src/a.tsx has bg-red-500"},
	} {
		if err := row.check.validate(); err != nil {
			t.Errorf("%s: got %v, want a valid check", row.check.Label(), err)
		}
		got := row.check.judge(row.left)
		if (got == "") != (row.why == "") || !strings.Contains(got, row.why) {
			t.Errorf("%s: got %q, want %q", row.check.Label(), got, row.why)
		}
	}
}

func TestEveryKindOfCheckHasALabel(t *testing.T) {
	seen := map[string]bool{}
	there := true
	all := Check{
		File: "f", Contains: "c", Lacks: "l", Matches: "m", LacksMatch: "x", Exists: &there, ChangedLines: 1,
		Unchanged: []string{"u"}, OnlyChanged: []string{"o"}, Builds: true, Page: "p", PageLacks: "q", Answer: "a", Plan: 1, FirstPage: true, Tokens: true,
	}
	for _, k := range kinds() {
		if label := k.label(all); label == "" || seen[label] || !k.given(all) || k.given(Check{}) {
			t.Errorf("%s: got the label %q, want one of its own", k.name, label)
		} else {
			seen[label] = true
		}
	}
}

func TestMalformedTasksAreNamed(t *testing.T) {
	const good = `"name":"x","template":"blank","prompt":"Do it","checks":[{"builds":true}]`
	for content, want := range map[string]string{
		`{` + good + `}`: "",
		`{` + strings.Replace(good, `"x"`, `"y"`, 1) + `}`:                                 `its name is "y"`,
		`{` + strings.Replace(good, `"blank"`, `""`, 1) + `}`:                              "template is missing",
		`{` + strings.Replace(good, `"Do it"`, `" "`, 1) + `}`:                             "prompt",
		`{` + good + `,"mode":"fly"}`:                                                      `no mode "fly"`,
		`{` + good + `,"changes":"many"}`:                                                  `changes is "many"`,
		`{` + good + `,"colour":"red"}`:                                                    "unknown field",
		`{` + strings.Replace(good, `{"builds":true}`, ``, 1) + `}`:                        "no checks",
		`{` + strings.Replace(good, `{"builds":true}`, `{}`, 1) + `}`:                      "checks[0]: a check has one of",
		`{` + strings.Replace(good, `"builds":true`, `"builds":true,"page":"x"`, 1) + `}`:  "not 2",
		`{` + strings.Replace(good, `"builds":true`, `"contains":"x"`, 1) + `}`:            "contains and file",
		`{` + strings.Replace(good, `"builds":true`, `"builds":true,"file":"x"`, 1) + `}`:  "builds and file",
		`{` + strings.Replace(good, `"builds":true`, `"file":"x","matches":"("`, 1) + `}`:  "missing closing",
		`{` + strings.Replace(good, `"builds":true`, `"file":"[","contains":"x"`, 1) + `}`: "syntax error in pattern",
		`{` + strings.Replace(good, `"builds":true`, `"unchanged":["["]`, 1) + `}`:         "syntax error in pattern",
		`[]`: "cannot unmarshal",
	} {
		_, err := Load(fstest.MapFS{"README.md": {Data: []byte("no task")}, "x/task.json": {Data: []byte(content)}})
		if (err == nil) != (want == "") || err != nil && (!strings.HasPrefix(err.Error(), "task x: ") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", content, err, want)
		}
	}
	bad := fstest.MapFS{"x/task.json": {Data: []byte(`{` + good + `}`)}, "x/files/.git/config": {Data: nil}}
	if _, err := Load(bad); err == nil || !strings.Contains(err.Error(), "files: ") {
		t.Errorf("got %v, want the path refused", err)
	}
	if _, err := Load(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "no task") {
		t.Errorf("got %v, want an empty folder refused", err)
	}
	if _, err := Load(fstest.MapFS{"y/other": {}}); err == nil || !strings.Contains(err.Error(), "task y") {
		t.Errorf("got %v, want a folder without a task refused", err)
	}
}

func TestSelectTakesNames(t *testing.T) {
	tasks := []Task{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	if got, err := Select(tasks, "c, a"); err != nil || len(got) != 2 || got[0].Name != "c" {
		t.Errorf("got %v and %v, want c and a", got, err)
	}
	if got, err := Select(tasks, ""); err != nil || len(got) != 3 {
		t.Errorf("got %v and %v, want all", got, err)
	}
	if _, err := Select(tasks, "d"); err == nil || !strings.Contains(err.Error(), "a, b, c") {
		t.Errorf("got %v, want the names there are", err)
	}
}

func TestOnlyPagesAndScriptsAreThePage(t *testing.T) {
	got := string(pagesOf([]build.File{
		{Path: "index.html", Content: []byte("page")}, {Path: "assets/a.js", Content: []byte("script")},
		{Path: "a.css", Content: []byte("style")}, {Path: "a.png", Content: []byte("picture")},
	}))
	if got != "page\nscript\n" {
		t.Errorf("got %q, want the page and the script", got)
	}
}

func TestTheTableNamesWhatFailed(t *testing.T) {
	results := []Result{
		{Task: "good", Passed: true, Landed: true, Built: true, End: "done", Checks: []CheckResult{{Check: "c", Passed: true}},
			Edits: 2, EditsLanded: 1, Steps: 3, InputTokens: 1000, CachedTokens: 900, OutputTokens: 234, Cost: 0.5, Millis: 1500},
		{Task: "bad", End: "done", Checks: []CheckResult{{Check: "builds", Why: "no"}}, Edits: 1, Steps: 1, InputTokens: 6, Millis: 500},
		{Task: "worse", End: "model_unavailable", Message: "it is down", Error: "odd"},
	}
	var out strings.Builder
	if err := WriteTable(&out, results); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for i, want := range []string{
		"task     passed           landed  built  checks  edits  steps  tokens  cached  cost     time",
		"good     yes              yes     yes    1/1     1/2    3      1234    900     $0.5000  1.5s",
		"bad      no               no      no     0/1     0/1    1      6       0       $0.0000  500ms",
		"worse    no               no      no     0/0     0/0    0      0       0       $0.0000  0s",
		"3 tasks  1/3 33% (6–79%)  1/3     1/3    1/2     1/3    4      1240    900     $0.5000  2s",
		"", "bad", "  it did not land: 0 of 1 edits did", "  failed: builds: no",
		"", "worse", "  error: odd", `  it ended with "model_unavailable": it is down`, "",
	} {
		if i >= len(lines) || strings.TrimRight(lines[i], " ") != want {
			t.Fatalf("line %d: got %q, want %q in\n%s", i+1, lines[min(i, len(lines)-1)], want, out.String())
		}
	}
	if got := Failed(results); got != 2 {
		t.Errorf("failed: got %d, want 2", got)
	}
	if err := WriteTable(brokenWriter{}, results); err == nil {
		t.Error("got no error of an output that fails")
	}
}

func TestAttemptsAreSummedUpByTask(t *testing.T) {
	var results []Result
	for n := range 10 {
		results = append(results, Result{Task: "often", Attempt: n + 1, Passed: n != 3, Landed: true, End: "done", InputTokens: 10, CachedTokens: 5, Cost: 0.1, Millis: 100})
	}
	for n := range 10 {
		results = append(results, Result{Task: "always", Attempt: n + 1, Passed: true, Landed: true, Built: true})
	}
	var out strings.Builder
	if err := WriteTable(&out, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"often    9/10 90% (60–98%)", "always   10/10 100% (72–100%)", "2 tasks  19/20 95% (76–99%)", "100     50      $1.0000  1s", "\noften, attempt 4\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q", out.String(), want)
		}
	}
}

// TestTheIntervalOfARateIsWilsons compares with values of Wilson's formula from tables.
func TestTheIntervalOfARateIsWilsons(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1}, {0, 1, 0, 0.7935}, {1, 1, 0.2065, 1}, {0, 10, 0, 0.2775}, {5, 10, 0.2366, 0.7634}, {10, 10, 0.7225, 1}, {81, 263, 0.2553, 0.3662},
	} {
		low, high := wilson(c.k, c.n)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken") }
