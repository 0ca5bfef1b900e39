package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// TestALongChatKeepsItsGoal: however many events it has.
func TestALongChatKeepsItsGoal(t *testing.T) {
	r := newRoom(t)
	var log []core.Payload
	for i := range 1300 {
		log = append(log, core.UserMessage{Text: fmt.Sprintf("Wish %d.", i)}, core.MessageDelta{Delta: "Yes."}, core.UsageInfo{InputTokens: 1},
			core.AssistantMessage{Text: "Yes."}, core.TaskComplete{Reason: core.ReasonDone})
	}
	r.append(log...)
	r.model.Say("Yes.")
	_, err := r.send("The last wish.")
	must(t, err)
	asked := r.model.Requests()[0].Messages
	if first, second := asked[0], asked[1]; first.Role != ai.RoleUser || first.Text != "Wish 0." || second.Text != "Yes." || len(asked) != 2601 {
		t.Errorf("got %d messages, beginning with %+v, want all of them", len(asked), first)
	}
}

// TestALogTooLargeForMemoryKeepsItsGoalAndItsEnd: the middle is left out, and the
// conversation continues with a message of the person.
func TestALogTooLargeForMemoryKeepsItsGoalAndItsEnd(t *testing.T) {
	r := newRoom(t)
	r.append(core.UserMessage{Text: "The goal."}, core.MessageDelta{Delta: "Yes."}, core.UsageInfo{InputTokens: 1}, core.AssistantMessage{Text: "Yes."}, core.TaskComplete{Reason: core.ReasonDone})
	for i := range 60 {
		id := fmt.Sprint("call", i)
		r.append(core.UserMessage{Text: fmt.Sprintf("Wish %d.", i)}, core.ToolCall{ID: id, Tool: "read_file", Args: []byte(`{"path":"a"}`)}, core.UsageInfo{InputTokens: 1},
			core.ToolResult{ID: id, Result: strings.Repeat("x", 512<<10)}, core.TaskComplete{Reason: core.ReasonDone})
	}
	r.model.Say("A summary.").Say("Yes.")
	_, err := r.send("The last wish.")
	must(t, err)
	requests := r.model.Requests()
	text := ""
	for _, message := range requests[len(requests)-1].Messages {
		text += string(message.Role) + ":" + message.Text + "\n"
	}
	if !strings.HasPrefix(text, "user:") || !strings.Contains(text, "The goal.") || !strings.Contains(text, "The last wish.") || strings.Contains(text, "Wish 3.") {
		t.Errorf("got %.300q, want the goal, the end and nothing of the middle", text)
	}
}
