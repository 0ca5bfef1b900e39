package core_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

const soundCheck = `{
  "title": "Adding a task",
  "path": "/tasks?list=1",
  "as": "anna@example.com",
  "steps": [
    {"do": "fill", "target": {"role": "textbox", "name": "New task"}, "value": "Milk"},
    {"do": "press", "value": "Enter"},
    {"do": "click", "target": {"role": "button", "name": "Delete", "nth": 2, "state": "focused"}},
    {"do": "select", "target": {"role": "combobox"}, "value": "Done"},
    {"do": "goto", "value": "/about"},
    {"do": "wait"},
    {"expect": "visible", "target": {"role": "heading", "name": "Tasks"}},
    {"expect": "hidden", "target": {"role": "alert"}},
    {"expect": "text", "value": "Milk"},
    {"expect": "text", "target": {"role": "status"}, "value": "1 task"},
    {"expect": "url", "value": "/about"},
    {"expect": "count", "target": {"role": "listitem"}, "count": 0}
  ]
}`

func TestParseCheck(t *testing.T) {
	check, err := core.ParseCheck([]byte(soundCheck))
	if err != nil {
		t.Fatal(err)
	}
	if check.Title != "Adding a task" || check.Path != "/tasks?list=1" || check.As != "anna@example.com" || len(check.Steps) != 12 {
		t.Errorf("got %+v, want what the file says", check)
	}
	if step := check.Steps[2]; step.Do != core.CheckClick || step.Target.Nth != 2 || step.Target.State != "focused" || step.Target.Role != "button" || step.Target.Name != "Delete" {
		t.Errorf("got %+v, want the click on the second button", step)
	}
	if step := check.Steps[11]; step.Expect != core.ExpectCount || step.Count == nil || *step.Count != 0 {
		t.Errorf("got %+v, want a count of 0", step)
	}
	again, err := core.ParseCheck(check.Encode())
	if err != nil || !reflect.DeepEqual(again, check) {
		t.Errorf("got %+v, %v, want the check that was written", again, err)
	}
}

func TestChecksAreGuestsUnlessTheySay(t *testing.T) {
	check, err := core.ParseCheck([]byte(`{"title":"a","path":"/","steps":[{"expect":"text","value":"a"}]}`))
	if err != nil || check.As != core.CheckGuest {
		t.Errorf("got %+v, %v, want a guest", check, err)
	}
}

// wrongChecks are files with a mistake, and where it is and what is said about it.
var wrongChecks = []struct {
	file, message string
	line, column  int
}{
	{``, "not valid JSON", 1, 1},
	{"{\"title\": \"a\",\n\n  oops}", "not valid JSON", 3, 3},
	{`[]`, "must be an object", 1, 1},
	{"{\"path\":\"/\",\n\"steps\":[]}", "title is missing", 1, 1},
	{`{"title":"a","steps":[]}`, "path is missing", 1, 1},
	{`{"title":"a","path":"/"}`, "steps is missing", 1, 1},
	{"{\"title\":\"\u202e\",\"path\":\"/\"}", "title must have 1 to 100 characters", 1, 10},
	{"{\"title\":\"a\",\n\"path\":\"//evil.example\"}", "path must be a path of the project's own pages", 2, 8},
	{`{"title":"a","path":"about"}`, "path must be a path", 1, 21},
	{`{"title":"a","path":"/\\evil"}`, "path must be a path", 1, 21},
	{`{"title":"a","path":"/","as":"anna"}`, `as must be "guest" or the e-mail address`, 1, 30},
	{`{"title":"a","path":"/","steps":{}}`, "steps must be an array", 1, 33},
	{`{"title":"a","path":"/","steps":[]}`, "steps must have 1 to 50 steps", 1, 33},
	{`{"title":"a","path":"/","steps":[{"do":"wait"}]}`, "steps must have at least one expect", 1, 33},
	{"{\"title\":\"a\",\"path\":\"/\",\"steps\":[\n{\"do\":\"wait\"},\n{\"do\":\"hover\"}]}", "steps[1].do must be one of click, fill, goto, press, select, wait", 3, 7},
	{`{"title":"a","path":"/","steps":[{"expect":"blue"}]}`, "steps[0].expect must be one of count, hidden, text, url, visible", 1, 44},
	{`{"title":"a","path":"/","steps":[{}]}`, "steps[0] must have either do or expect", 1, 34},
	{`{"title":"a","path":"/","steps":[{"do":"wait","expect":"text"}]}`, "steps[0] must have either do or expect", 1, 34},
	{`{"title":"a","path":"/","steps":[{"do":"click"}]}`, `steps[0] needs a target, because it is "do click"`, 1, 34},
	{`{"title":"a","path":"/","steps":[{"do":"wait","value":"9"}]}`, `steps[0].value does not belong to "do wait"`, 1, 55},
	{`{"title":"a","path":"/","steps":[{"expect":"count","target":{"role":"link"}}]}`, "steps[0] needs a count", 1, 34},
	{`{"title":"a","path":"/","steps":[{"expect":"count","target":{"role":"link"},"count":-1}]}`, "steps[0].count must be a whole number from 0 to 1000", 1, 85},
	{`{"title":"a","path":"/","steps":[{"expect":"count","target":{"role":"link"},"count":1.5}]}`, "steps[0].count must be a whole number", 1, 85},
	{`{"title":"a","path":"/","steps":[{"expect":"visible","target":"x"}]}`, "steps[0].target must be an object", 1, 63},
	{`{"title":"a","path":"/","steps":[{"expect":"visible","target":{"name":"x"}}]}`, "steps[0].target has no role", 1, 63},
	{`{"title":"a","path":"/","steps":[{"expect":"visible","target":{"role":"x","nth":0}}]}`, "steps[0].target.nth must be a whole number from 1", 1, 81},
	{`{"title":"a","path":"/","steps":[{"expect":"visible","target":{"ref":"e1"}}]}`, "steps[0].target.ref is unknown: here are role, name, nth, state", 1, 70},
	{`{"title":"a","path":"/","steps":[{"expect":"visible","target":{"role":"x","state":"on"}}]}`, "steps[0].target.state must be one of checked, collapsed, disabled, expanded, focused, invalid, pressed, required, selected", 1, 83},
	{`{"title":"a","path":"/","steps":[{"expect":"text","value":""}]}`, "steps[0].value must not be empty", 1, 59},
	{`{"title":"a","path":"/","steps":[{"expect":"text","value":null}]}`, "steps[0].value must be a string", 1, 59},
	{`{"title":"a","path":"/","steps":[{"do":"goto","value":"https://example.com"}]}`, "steps[0].value must be a path", 1, 55},
	{`{"title":"a","title":"b"}`, "title is there twice", 1, 22},
	{`{"Title":"a"}`, "Title is unknown: here are title, path, as, steps", 1, 10},
	{`{"a` + strings.Repeat("b", 500) + `":1}`, "… is unknown", 1, 506},
	{"{\"title\":\"\xff\"}", "not valid UTF-8", 1, 1},
	{strings.Repeat(" ", core.MaxCheckBytes+1), "larger than 64 KiB", 1, 1},
	{`{"title":"a","path":"/","steps":[{"expect":"text","value":"` + strings.Repeat("x", core.MaxCheckText+1) + `"}]}`, "steps[0].value must have at most 1000 bytes", 1, 59},
	{`{"title":"a","path":"/","steps":[` + strings.Repeat(`{"do":"wait"},`, core.MaxCheckSteps) + `{"do":"wait"}]}`, "steps must have 1 to 50 steps", 1, 33},
}

func TestWrongChecksAreRefusedWithTheirPlace(t *testing.T) {
	for _, wrong := range wrongChecks {
		_, err := core.ParseCheck([]byte(wrong.file))
		var known *core.Error
		if !errors.As(err, &known) || known.Code != core.CodeValidationFailed || len(known.Diagnostics) != 1 {
			t.Errorf("%.200s: got %v, want %s with a diagnostic", wrong.file, err, core.CodeValidationFailed)
			continue
		}
		got := known.Diagnostics[0]
		if !strings.Contains(got.Message, wrong.message) || got.Line != wrong.line || got.Column != wrong.column || len(got.Message) > 400 {
			t.Errorf("%.200s: got %d:%d %s, want %d:%d %s", wrong.file, got.Line, got.Column, got.Message, wrong.line, wrong.column, wrong.message)
		}
	}
}

func TestStepsOfActMayHaveReferences(t *testing.T) {
	steps, err := core.ParseActSteps([]byte(`[{"do":"click","target":{"ref":"e4"}},{"expect":"visible","target":{"role":"alert"}}]`))
	if err != nil || len(steps) != 2 || steps[0].Target.Ref != "e4" {
		t.Errorf("got %+v, %v, want both steps", steps, err)
	}
	for file, message := range map[string]string{
		`[{"do":"click","target":{"ref":"e4","role":"button"}}]`:                    "steps[0].target.ref names the whole target",
		`[{"do":"click","target":{"ref":""}}]`:                                      "steps[0].target.ref must have 1 to 60 bytes",
		`[` + strings.Repeat(`{"do":"wait"},`, core.MaxActSteps) + `{"do":"wait"}]`: "steps must have 1 to 10 steps",
		`{"steps":[]}`: "steps must be an array",
		`[1]`:          "steps[0] must be an object",
	} {
		if _, err := core.ParseActSteps([]byte(file)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: got %v, want %q", file, err, message)
		}
	}
}

func TestReferencesAreNeverWritten(t *testing.T) {
	check := core.Check{Title: "a", Path: "/", Steps: []core.CheckStep{{Do: core.CheckClick, Target: &core.CheckTarget{Role: "button", Ref: "e4"}}}}
	if text := string(check.Encode()); strings.Contains(text, "e4") {
		t.Errorf("got %s, want no reference", text)
	}
}

func TestNamesOfChecks(t *testing.T) {
	for name, sound := range map[string]bool{
		"a": true, "add-a-task": true, "2024": true, strings.Repeat("a", 60): true,
		"": false, "-a": false, "a-": false, "a--b": false, "A": false, "a b": false, "a/b": false, "..": false, "a.json": false, "ä": false, "con": false, strings.Repeat("a", 61): false,
	} {
		if _, err := core.ParseCheckName(name); (err == nil) != sound {
			t.Errorf("%q: got %v, want sound: %t", name, err, sound)
		}
	}
	for path, want := range map[string]string{
		".atelier/checks/add-a-task.json": "add-a-task", ".atelier/checks/con.json": "", ".atelier/checks/A.json": "", ".atelier/checks/a.txt": "",
		".atelier/checks/x/a.json": "", ".atelier/a.json": "", "a.json": "", ".atelier/checks/json": "", ".atelier/checks/.json": "",
	} {
		parsed, err := core.ParsePath(path)
		if err != nil {
			continue
		}
		name, ok := core.CheckNameOf(parsed)
		if name != want || ok != (want != "") || ok && core.CheckPath(name) != parsed {
			t.Errorf("%s: got %q, %t, want %q", path, name, ok, want)
		}
	}
}

func FuzzParseCheck(f *testing.F) {
	f.Add([]byte(soundCheck))
	f.Add([]byte(`{"title":"0","path":"/","steps":[{"do":"fill","target":{"role":"textbox"},"value":""},{"expect":"text","value":"<&>\u2028"}]}`))
	for _, wrong := range wrongChecks {
		f.Add([]byte(wrong.file))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		check, err := core.ParseCheck(text)
		if err != nil {
			var known *core.Error
			if !errors.As(err, &known) || known.Code != core.CodeValidationFailed || len(known.Message) > 1000 {
				t.Fatalf("got %v, want a short error with %s", err, core.CodeValidationFailed)
			}
			return
		}
		encoded := check.Encode()
		again, err := core.ParseCheck(encoded)
		if len(encoded) > core.MaxCheckBytes {
			return
		}
		if err != nil || !reflect.DeepEqual(again, check) {
			t.Fatalf("got %+v, %v, want what was written", again, err)
		}
	})
}
