package agent_test

import (
	"strings"
	"testing"
)

// TestATrueCommentIsConfirmedByRepeating: for comments that only look like
// elisions.
func TestATrueCommentIsConfirmedByRepeating(t *testing.T) {
	for name, c := range map[string]struct{ path, before, tool, oldText, content string }{
		"a generated rest":  {"a.ts", "", "write_file", "", "export const version = 1\n// the rest of the file is generated\nexport const made = version\n"},
		"a rule for people": {"a.ts", "const first = 1\nconst second = 2\n", "edit_file", "const second = 2\n", "// keep the existing code below\nconst second = 2\nconst third = 3\n"},
		"a style sheet":     {"a.css", "", "write_file", "", "body { color: red }\n/* ... */\nmain { color: blue }\n"},
		"a body in Python":  {"a.py", "", "write_file", "", "def later():\n    ...\n\nlater()\n"},
	} {
		s := newScene()
		args := map[string]string{"path": c.path, "content": c.content}
		if c.before != "" {
			s.project.files[c.path] = c.before
			s.model.Call("read_file", `{"path":"`+c.path+`"}`)
			args = map[string]string{"path": c.path, "oldText": c.oldText, "newText": c.content}
		}
		s.call(t, c.tool, args)
		s.call(t, c.tool, args)
		s.model.Say("Done.")
		s.run(t.Context())
		if got := s.project.files[c.path]; !strings.Contains(got, strings.TrimSpace(c.content)) {
			t.Errorf("%s: got %q, want what was written twice; %s", name, got, s.types())
		}
	}
}

// TestAnElisionThatLosesCodeIsNeverConfirmed: however often it is repeated.
func TestAnElisionThatLosesCodeIsNeverConfirmed(t *testing.T) {
	before := "const first = 1\nconst second = 2\nconst third = 3\nconst fourth = 4\n"
	s := newScene()
	s.project.files["a.ts"] = before
	s.model.Call("read_file", `{"path":"a.ts"}`)
	for range 2 {
		s.call(t, "write_file", map[string]string{"path": "a.ts", "content": "const first = 10\n// ... existing code ...\nconst fourth = 4\n"})
	}
	for range 2 {
		s.call(t, "edit_file", map[string]string{"path": "a.ts", "oldText": "const second = 2\nconst third = 3\n", "newText": "// ... rest of the code ...\n"})
	}
	s.model.Say("Well.")
	s.run(t.Context())
	if got := s.project.files["a.ts"]; got != before {
		t.Errorf("got %q, want the file untouched", got)
	}
}
