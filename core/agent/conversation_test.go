package agent

import (
	"encoding/json"
	"strings"
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

// rebuilt is the conversation that a new run begins with.
func rebuilt(history []core.Event) []ai.Message {
	c := transcriptOf(Task{History: history}, &briefing{})
	c.closeCalls()
	return c.messages
}

func TestConversationOfRebuildsTheTurns(t *testing.T) {
	got := rebuilt(events(
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

// rolesOf joins the roles of messages.
func rolesOf(messages []ai.Message) string {
	var roles []string
	for _, m := range messages {
		roles = append(roles, string(m.Role))
	}
	return strings.Join(roles, " ")
}

func TestWhatWasCutOffIsPutInOrder(t *testing.T) {
	call := core.ToolCall{ID: "1", Tool: "read_file"}
	for name, c := range map[string]struct {
		log  []core.Payload
		want string
	}{
		"a call that a run was at": {
			[]core.Payload{core.UserMessage{}, call, core.UsageInfo{}, core.SessionError{}, core.UserMessage{}, call, core.UsageInfo{}},
			"user assistant tool user assistant tool",
		},
		"an answer that was not whole, with calls alone": {
			[]core.Payload{core.UserMessage{}, call, core.SessionError{}, core.UserMessage{}}, "user user",
		},
		"an answer that was not whole, with text that was seen": {
			[]core.Payload{core.UserMessage{}, core.MessageDelta{Delta: "I wi"}, call, core.TaskComplete{}, core.UserMessage{}}, "user assistant user",
		},
		"an answer that was begun anew after a crash": {
			[]core.Payload{core.UserMessage{}, core.MessageDelta{Delta: "I wi"}, call, core.ToolError{ID: "1"}, core.AssistantMessage{Text: "I wi"}, core.MessageDelta{Delta: "I will"}, core.UsageInfo{}},
			"user assistant",
		},
		"a last answer that was asked to go on": {
			[]core.Payload{core.UserMessage{}, core.MessageDelta{Delta: "Done."}, core.UsageInfo{}, core.AssistantMessage{Text: "Done."}, core.MessageDelta{Delta: "Mended."}, core.UsageInfo{}, core.AssistantMessage{Text: "Mended."}},
			"user assistant user assistant",
		},
		"thoughts alone": {[]core.Payload{core.UserMessage{}, core.ReasoningDelta{Delta: "hm"}}, "user"},
	} {
		if got := rolesOf(rebuilt(events(c.log...))); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestConversationOfDropsResultsWithoutTheirCall(t *testing.T) {
	got := rebuilt(events(core.ToolResult{ID: "9", Result: "?"}, core.UserMessage{Text: "hi"}))
	if len(got) != 1 || got[0].Role != ai.RoleUser {
		t.Fatalf("got %+v, want only the user's message", got)
	}
}
