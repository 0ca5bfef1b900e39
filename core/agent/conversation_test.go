package agent

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

func events(payloads ...core.Payload) []core.Event {
	log := make([]core.Event, len(payloads))
	for i, p := range payloads {
		log[i] = core.Event{Seq: int64(i + 1), Payload: p}
	}
	return log
}

func TestConversationOfRebuildsTheTurns(t *testing.T) {
	got := conversationOf(events(
		core.UserMessage{Text: "hi"},
		core.ReasoningDelta{Delta: "hm"}, core.MessageDelta{Delta: "Let me "}, core.MessageDelta{Delta: "look."},
		core.ToolCall{ID: "1", Tool: "list_files", Args: json.RawMessage(`{}`)},
		core.ToolCall{ID: "2", Tool: "read_file", Args: json.RawMessage(`{}`)},
		core.UsageInfo{}, core.ToolResult{ID: "1", Result: "a"}, core.ToolError{ID: "2", Error: "no"},
		core.MessageDelta{Delta: "Done."}, core.UsageInfo{}, core.AssistantMessage{Text: "Done."}, core.TaskComplete{},
	))
	if len(got) != 5 {
		t.Fatalf("got %d messages: %+v, want 5", len(got), got)
	}
	if got[1].Text != "Let me look." || len(got[1].Calls) != 2 {
		t.Fatalf("got %+v, want the text with both calls", got[1])
	}
	if got[2].Tool != "list_files" || got[3].CallID != "2" || !got[3].Failed || got[4].Text != "Done." {
		t.Fatalf("got %+v, want results in order, then the answer", got[2:])
	}
}

func TestConversationOfAnswersCallsThatWereCutOff(t *testing.T) {
	got := conversationOf(events(
		core.UserMessage{Text: "hi"},
		core.ToolCall{ID: "1", Tool: "read_file"},
		core.SessionError{Error: core.CodeInterrupted},
		core.UserMessage{Text: "again"},
		core.ToolCall{ID: "2", Tool: "read_file"},
	))
	var roles []ai.Role
	for _, m := range got {
		roles = append(roles, m.Role)
	}
	want := []ai.Role{ai.RoleUser, ai.RoleAssistant, ai.RoleTool, ai.RoleUser, ai.RoleAssistant, ai.RoleTool}
	if len(roles) != len(want) {
		t.Fatalf("got %v, want %v", roles, want)
	}
	for i := range want {
		if roles[i] != want[i] {
			t.Fatalf("got %v, want %v", roles, want)
		}
	}
}

func TestConversationOfDropsResultsWithoutTheirCall(t *testing.T) {
	got := conversationOf(events(core.ToolResult{ID: "9", Result: "?"}, core.UserMessage{Text: "hi"}))
	if len(got) != 1 || got[0].Role != ai.RoleUser {
		t.Fatalf("got %+v, want only the user's message", got)
	}
}

func FuzzNormalArgs(f *testing.F) {
	for _, seed := range []string{"", "null", "{}", `"{}"`, `"x"`, `{"a":`, "\xff", `"\"{}\""`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, args []byte) {
		if got := normalArgs(args); !json.Valid(got) {
			t.Fatalf("got %q for %q, want valid JSON", got, args)
		}
	})
}
