package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// others changes files behind the run's back, between two calls of the model.
func (s *scene) others(write map[string]string) *memory.Model {
	s.project.commands = effects{"others": func(files map[string]string) (string, []core.FileChanged, error) {
		for path, content := range write {
			files[path] = content
		}
		return "Exit code 0.\n", nil, nil
	}}
	return s.model.Call("run_command", `{"command":"others"}`)
}

func TestWhatOthersWroteDuringARunIsNotLostUnread(t *testing.T) {
	for name, c := range map[string]struct{ tool, args string }{
		"replacing it":           {"write_file", `{"path":"notes/mine.txt","content":"theirs"}`},
		"deleting it":            {"delete_file", `{"path":"notes/mine.txt"}`},
		"deleting its directory": {"delete_file", `{"path":"notes"}`},
		"moving onto it":         {"rename_file", `{"from":"src/App.tsx","to":"notes/mine.txt"}`},
		"moving onto its folder": {"rename_file", `{"from":"src/App.tsx","to":"notes"}`},
	} {
		for _, before := range []string{"", "an older state"} {
			s := newScene()
			if before != "" {
				s.project.files["notes/mine.txt"] = before
			}
			s.others(map[string]string{"notes/mine.txt": "mine"}).Call(c.tool, c.args).Say("Done.")
			s.run(t.Context())
			text, failed := s.given(t, 1)
			if !failed || !strings.Contains(text, "notes") || s.project.files["notes/mine.txt"] != "mine" || s.project.files["src/App.tsx"] == "" {
				t.Errorf("%s: got %q and %v, want it refused and the file kept", name, text, s.project.files)
			}
		}
	}
}

func TestWhatTheModelKnowsItMayReplaceAndDelete(t *testing.T) {
	mine := map[string]string{"mine.txt": "mine"}
	for name, play := range map[string]func(*scene){
		"what it read":   func(s *scene) { s.others(mine).Call("read_file", `{"path":"mine.txt"}`) },
		"what was there": func(s *scene) { s.project.files["mine.txt"] = "old" },
		"what it wrote":  func(s *scene) { s.model.Call("write_file", `{"path":"mine.txt","content":"one"}`) },
		"what it moved":  func(s *scene) { s.model.Call("rename_file", `{"from":"src/App.tsx","to":"mine.txt"}`) },
		"what a command left": func(s *scene) {
			s.project.commands = effects{"make": func(files map[string]string) (string, []core.FileChanged, error) {
				files["mine.txt"] = "made"
				return "Exit code 0.\n", []core.FileChanged{{Path: "mine.txt", Action: core.FileCreated}}, nil
			}}
			s.model.Call("run_command", `{"command":"make"}`)
		},
	} {
		s := newScene()
		play(s)
		s.model.Call("write_file", `{"path":"mine.txt","content":"two"}`).Call("delete_file", `{"path":"mine.txt"}`).Say("Done.")
		s.run(t.Context())
		if _, there := s.project.files["mine.txt"]; there || strings.Contains(s.types(), "tool.error") {
			t.Errorf("%s: got %s and %v, want it deleted", name, s.types(), s.project.files)
		}
	}
}

func TestARunThatGoesOnLeavesWhatChangedSinceItsMessage(t *testing.T) {
	for changed, kept := range map[core.Time]bool{90: false, 110: true} {
		s := newScene()
		s.project.files["mine.txt"] = "mine"
		s.project.times = map[string]core.Time{"mine.txt": changed}
		s.alter = func(task *agent.Task) {
			task.Resume, task.History[len(task.History)-1].CreatedAt = true, 100
		}
		s.model.Call("delete_file", `{"path":"mine.txt"}`).Say("Done.")
		s.run(t.Context())
		if _, there := s.project.files["mine.txt"]; there != kept {
			t.Errorf("changed at %d, asked at 100: got it there %v, want %v", changed, there, kept)
		}
	}
}

func TestNothingIsMovedOntoWhatIsThere(t *testing.T) {
	s := newScene()
	s.project.files["b.txt"] = "b"
	s.model.Call("rename_file", `{"from":"src/App.tsx","to":"b.txt"}`).Call("rename_file", `{"from":"b.txt","to":"src"}`).Say("Done.")
	s.run(t.Context())
	s.wantGiven(t, 0, true, "conflict: b.txt already exists")
	s.wantGiven(t, 1, true, "conflict: src already exists")
	if len(s.project.files) != 2 || s.project.files["b.txt"] != "b" {
		t.Errorf("got %v, want both files as they were", s.project.files)
	}
}

func TestEveryCallOfAChatHasAnIdOfItsOwn(t *testing.T) {
	s := newScene()
	s.before = []core.Payload{
		core.UserMessage{Text: "first"}, core.ToolCall{ID: "call_0", Tool: "list_files"}, core.UsageInfo{}, core.ToolResult{ID: "call_0"},
		core.AssistantMessage{Text: "Done."}, core.TaskComplete{},
	}
	for i := range 3 {
		s.model.Answer(ai.Chunk{Call: &ai.Call{ID: "call_0", Tool: "write_file", Args: fmt.Appendf(nil, `{"path":"%d.txt","content":"x"}`, i)}})
	}
	s.model.Say("Done.")
	s.run(t.Context())
	calls, outcomes := map[string]int{"call_0": 1}, map[string]int{"call_0": 1}
	for _, event := range s.events {
		switch p := event.(type) {
		case core.ToolCall:
			calls[p.ID]++
		case core.ToolResult:
			outcomes[p.ID]++
		}
	}
	for id, n := range calls {
		if n != 1 || outcomes[id] != 1 || len(calls) != 4 {
			t.Errorf("got %v called and %v answered, want four ids, once each", calls, outcomes)
		}
	}
}
