package agent_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestOneCallMakesSeveralEdits(t *testing.T) {
	const before = "one\ntwo\nthree\ntwo\n"
	for name, c := range map[string]struct{ args, want, told string }{
		"a list":                    {`{"path":"a.txt","edits":[{"oldText":"one","newText":"1"},{"oldText":"three","newText":"3"}]}`, "1\ntwo\n3\ntwo\n", "now with the hash"},
		"one, in the old form":      {`{"path":"a.txt","oldText":"one","newText":"1"}`, "1\ntwo\nthree\ntwo\n", "now with the hash"},
		"one and a list":            {`{"path":"a.txt","oldText":"one","newText":"1","edits":[{"oldText":"1","newText":"I"}]}`, "I\ntwo\nthree\ntwo\n", "now with the hash"},
		"all places":                {`{"path":"a.txt","oldText":"two","newText":"2","replaceAll":true}`, "one\n2\nthree\n2\n", "now with the hash"},
		"all places, in a list":     {`{"path":"a.txt","edits":[{"oldText":"two","newText":"2","replaceAll":true},{"oldText":"one\n","newText":""}]}`, "2\nthree\n2\n", "now with the hash"},
		"a list that is text":       {`{"path":"a.txt","edits":"[{\"oldText\":\"one\",\"newText\":\"1\"}]"}`, "1\ntwo\nthree\ntwo\n", "now with the hash"},
		"a remark in the list":      {`{"path":"a.txt","edits":[{"oldText":"one","newText":"1","why":"shorter"}]}`, "1\ntwo\nthree\ntwo\n", "now with the hash"},
		"one of them does not fit":  {`{"path":"a.txt","edits":[{"oldText":"one","newText":"1"},{"oldText":"thre","newText":"3"},{"oldText":"nine","newText":"9"}]}`, before, "edit 3 of 3: oldText does not fit"},
		"none":                      {`{"path":"a.txt","edits":[]}`, before, "give oldText and newText, or edits"},
		"a list of something else":  {`{"path":"a.txt","edits":["one"]}`, before, "the arguments are wrong"},
		"a text that is no list":    {`{"path":"a.txt","edits":"one"}`, before, "the arguments are wrong"},
		"one without its new text":  {`{"path":"a.txt","edits":[{"oldText":"one"}]}`, before, "oldText and newText are both needed"},
		"more than one call's load": {`{"path":"a.txt","edits":[` + strings.Repeat(`{"oldText":"one","newText":"1"},`, 100) + `{"oldText":"one","newText":"1"}]}`, before, "1 to 100 such pairs"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.project.files["a.txt"] = before
			s.model.Call("read_file", `{"path":"a.txt"}`).Call("edit_file", c.args).Say("Done.")
			s.run(t.Context())
			got, _ := s.given(t, 1)
			if s.project.files["a.txt"] != c.want || !strings.Contains(got, c.told) {
				t.Errorf("got %q and %q, want %q and %q", s.project.files["a.txt"], got, c.want, c.told)
			}
		})
	}
}

// TestALongListOfEditsIsConfirmedAsAWhole: the fingerprint of a doubted write covers all of
// its edits.
func TestALongListOfEditsIsConfirmedAsAWhole(t *testing.T) {
	s := newScene()
	s.project.files["a.ts"] = "const a = 1\nconst b = 2\n"
	elided := `{"path":"a.ts","edits":[{"oldText":"const a = 1\n","newText":"const a = 1\n// ...\nconst c = 3\nconst d = 4\n"},{"oldText":"b = 2","newText":"b = 3"}]}`
	other := strings.Replace(elided, "b = 3", "b = 4", 1)
	s.model.Call("read_file", `{"path":"a.ts"}`).Call("edit_file", elided).Call("edit_file", other).Call("edit_file", other).Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 1, true, "make the same call again, unchanged")
	s.wantGiven(t, 2, true, "make the same call again, unchanged")
	s.wantGiven(t, 3, false, "now with the hash")
	if s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %v, want the run done", s.outcome)
	}
}
