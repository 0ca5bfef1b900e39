package agent

import (
	"strings"

	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// todoHead precedes the list of steps where the call that wrote it is no longer shown.
const todoHead = "\n\n[The list of steps, as you last wrote it:]\n"

// todoNote returns the list of steps for a conversation that goes on with messages, "" if
// they show it, or if there is none.
func (c *transcript) todoNote(messages []ai.Message) string {
	list := tools.TodoOf(c.todo)
	if list == "" {
		return ""
	}
	note := todoHead + list
	for _, message := range messages {
		if strings.Contains(message.Text, note) {
			return ""
		}
		for _, call := range message.Calls {
			if call.ID == c.todo.ID {
				return ""
			}
		}
	}
	return note
}
