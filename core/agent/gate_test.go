package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// call lets the model make a call with arguments.
func (s *scene) call(t *testing.T, tool string, args map[string]string) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	s.model.Call(tool, string(raw))
}

// wantGiven checks the n-th outcome of a tool.
func (s *scene) wantGiven(t *testing.T, n int, failed bool, parts ...string) {
	t.Helper()
	got, gotFailed := s.given(t, n)
	for _, part := range parts {
		if gotFailed != failed || !strings.Contains(got, part) {
			t.Errorf("outcome %d: got %q (failed %v), want %q (failed %v)", n, got, gotFailed, part, failed)
		}
	}
}

func TestAnEditNeedsARead(t *testing.T) {
	s := newScene()
	current := strings.Trim(etag(s.project.files["src/App.tsx"]), `"`)
	s.model.Call("edit_file", `{"path":"src/App.tsx","oldText":"Hello","newText":"Bye"}`)
	s.model.Call("edit_file", fmt.Sprintf(`{"path":"src/App.tsx","oldText":"Hello","newText":"Bye","hash":"%s."}`, current))
	s.model.Call("edit_file", `{"path":"src/App.tsx","oldText":"Bye","newText":"Hi"}`)
	s.model.Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 0, true, "read src/App.tsx with read_file", current)
	s.wantGiven(t, 1, false, "src/App.tsx modified, now with the hash "+strings.Trim(etag("<h1>Bye</h1>\n"), `"`))
	s.wantGiven(t, 2, false, "modified")
	if got := s.project.files["src/App.tsx"]; got != "<h1>Hi</h1>\n" {
		t.Errorf("got %q, want both edits", got)
	}
}

func TestWhatOthersChangedIsReadBeforeItIsReplaced(t *testing.T) {
	for tool, args := range map[string]map[string]string{
		"edit_file":  {"path": "src/App.tsx", "oldText": "Hello", "newText": "Bye"},
		"write_file": {"path": "src/App.tsx", "content": "<h1>Bye</h1>\n"},
	} {
		s := newScene()
		s.project.commands = effects{"others": func(files map[string]string) (string, []core.FileChanged, error) {
			files["src/App.tsx"] = "<h1>Hello, Ann</h1>\n"
			return "Exit code 0.\n", nil, nil
		}}
		s.model.Call("read_file", `{"path":"src/App.tsx"}`).Call("run_command", `{"command":"others"}`)
		s.call(t, tool, args)
		s.model.Say("Done.")
		s.run(t.Context())
		s.wantGiven(t, 2, true, "precondition_failed", "read it again")
		if got := s.project.files["src/App.tsx"]; got != "<h1>Hello, Ann</h1>\n" {
			t.Errorf("%s: got %q, want what others wrote", tool, got)
		}
	}
}

func TestSeveralEditsOfOneVersionLandInOneAnswer(t *testing.T) {
	s := newScene()
	s.project.files["a.ts"] = "const a = 1\nconst b = 2\n"
	hash := strings.Trim(etag(s.project.files["a.ts"]), `"`)
	s.model.Call("read_file", `{"path":"a.ts"}`)
	s.call(t, "edit_file", map[string]string{"path": "a.ts", "oldText": "a = 1", "newText": "a = 3", "hash": hash})
	s.call(t, "edit_file", map[string]string{"path": "a.ts", "oldText": "b = 2", "newText": "b = 4", "hash": hash})
	s.model.Say("Done.")
	s.run(t.Context())
	if got := s.project.files["a.ts"]; got != "const a = 3\nconst b = 4\n" {
		t.Errorf("got %q, want both edits", got)
	}
}

func TestAMissOfAnEditShowsTheLinesAtOnce(t *testing.T) {
	s := newScene()
	s.model.Call("read_file", `{"path":"src/App.tsx"}`)
	s.model.Call("edit_file", `{"path":"src/App.tsx","oldText":"<h1>Hallo</h1>","newText":"x"}`)
	s.model.Say("Well.")
	s.run(t.Context())
	s.wantGiven(t, 1, true, "\n1|<h1>Hello</h1>\n", "copy exactly these lines")
}

func TestTheGateRefusesWithAPlaceAndAWayOut(t *testing.T) {
	long := "export function a() {\n" + strings.Repeat("  step(1)\n", 40) + "}\n"
	for name, c := range map[string]struct{ path, before, content, place, hint string }{
		"a script that does not parse": {"src/a.ts", "", "export const a = [1, 2)\n", "src/a.ts:1:23", "write the whole file again"},
		"a style sheet that is cut":    {"a.css", "a { b: c }\n", "a { b: c;", "a.css:1:3", "write the whole file again"},
		"invalid JSON":                 {"a.json", "", "{\"a\" 1}", "a.json:1:6", "write the whole file again"},
		"a page that is cut":           {"a.html", "", "<main>\n<p>a", "a.html:1:1", "write the whole file again"},
		"code that is left out":        {"src/a.ts", long, "export function a() {\n  // ... rest of the code\n}\n", "src/a.ts:2:3", "Replace the line with the complete code"},
		"a file that shrinks":          {"src/a.ts", long, "export const a = 1\n", "src/a.ts:2:1", "make the same call again, unchanged"},
		"an end that is missing":       {"a.md", "# A\n\nText.\n\n# B\n", "# A\n\nText.\n", "a.md:4:1", "use edit_file"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			if c.before != "" {
				s.project.files[c.path] = c.before
			}
			s.call(t, "write_file", map[string]string{"path": c.path, "content": c.content})
			s.model.Say("Well.")
			s.run(t.Context())
			s.wantGiven(t, 0, true, "validation_failed: ", c.place, c.hint)
			if got := s.project.files[c.path]; got != c.before {
				t.Errorf("got %q, want the file untouched", got)
			}
		})
	}
}

func TestTheSameCallConfirmsALoss(t *testing.T) {
	long := strings.Repeat("const a = 1\n", 40)
	short := map[string]string{"path": "a.md", "content": "Short.\n"}
	s := newScene()
	s.project.files["a.md"] = long
	s.call(t, "write_file", short)
	s.call(t, "write_file", map[string]string{"path": "a.md", "content": "Shorter.\n"})
	s.call(t, "write_file", short)
	s.model.Call("read_file", `{"path":"a.md"}`)
	s.call(t, "write_file", short)
	s.model.Say("Done.")
	s.run(t.Context())
	for n := range 3 {
		s.wantGiven(t, n, true, "make the same call again")
	}
	s.wantGiven(t, 4, false, "a.md modified")
	if got := s.project.files["a.md"]; got != "Short.\n" {
		t.Errorf("got %q, want the short file", got)
	}
}

func TestTheSameCallConfirmsNothingElse(t *testing.T) {
	s := newScene()
	for range 2 {
		s.call(t, "write_file", map[string]string{"path": "a.ts", "content": "// ...\n"})
	}
	for range 2 {
		s.call(t, "write_file", map[string]string{"path": "a.ts", "content": "const a = (\n"})
	}
	s.model.Say("Well.")
	s.run(t.Context())
	if got, found := s.project.files["a.ts"]; found {
		t.Errorf("got %q, want no file", got)
	}
}

func TestABrokenFileIsMendedInSteps(t *testing.T) {
	s := newScene()
	s.project.files["a.ts"] = "const a = (1]\nconst b = [2)\n"
	s.model.Call("read_file", `{"path":"a.ts"}`)
	s.model.Call("write_file", `{"path":"a.ts","content":"const a = 1\nconst b = [2)\n"}`)
	s.model.Call("edit_file", `{"path":"a.ts","oldText":"(1]","newText":"1"}`)
	s.model.Call("edit_file", `{"path":"a.ts","oldText":"[2)","newText":"2"}`)
	s.model.Call("edit_file", `{"path":"a.ts","oldText":"a = 1","newText":"a = (1"}`)
	s.model.Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 1, true, "would not be valid")
	s.wantGiven(t, 2, false, "modified")
	s.wantGiven(t, 3, false, "modified")
	s.wantGiven(t, 4, true, "would not be valid", "Correct newText", "\n1|const a = (1\n")
	if got := s.project.files["a.ts"]; got != "const a = 1\nconst b = 2\n" {
		t.Errorf("got %q, want it mended", got)
	}
}

func TestAFileKeepsItsHabits(t *testing.T) {
	s := newScene()
	s.project.files["a.txt"] = "\ufeffone\r\ntwo\r\n"
	s.model.Call("write_file", `{"path":"a.txt","content":"one\n2\nthree\n"}`)
	s.model.Call("edit_file", `{"path":"a.txt","oldText":"one\n2","newText":"1\n2"}`)
	s.model.Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 1, false, "(oldText did not match exactly: line endings")
	if got := s.project.files["a.txt"]; got != "\ufeff1\r\n2\r\nthree\r\n" {
		t.Errorf("got %q, want the mark and the line endings kept", got)
	}
}

func TestWhatIsNoTextIsReplacedWholeOrNotAtAll(t *testing.T) {
	s := newScene()
	s.project.files["a.bin"] = "\x00\x01" + strings.Repeat("x", 3000)
	s.model.Call("edit_file", `{"path":"a.bin","oldText":"x","newText":"y"}`)
	s.model.Call("write_file", `{"path":"a.bin","content":"text\n"}`)
	s.model.Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 0, true, "unsupported")
	s.wantGiven(t, 1, false, "modified")
}

func TestARunThatGoesOnRemembersWhatItRead(t *testing.T) {
	s := newScene()
	hash := strings.Trim(etag(s.project.files["src/App.tsx"]), `"`)
	s.before = []core.Payload{
		core.UserMessage{Text: "look"},
		core.ToolCall{ID: "1", Tool: "read_file", Args: json.RawMessage(`{"path":"src/App.tsx"}`)}, core.UsageInfo{},
		core.ToolResult{ID: "1", Result: "src/App.tsx hash " + hash + "\n<h1>Hello</h1>\n"},
	}
	s.model.Call("edit_file", `{"path":"src/App.tsx","oldText":"Hello","newText":"Bye"}`).Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 0, false, "modified")
}
