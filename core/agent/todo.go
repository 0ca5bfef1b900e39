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

// todoHint asks a model that ends with open steps in its list for them.
const todoHint = "Your list still has open steps. Do them; or, if they are done, write the list again; or tell the person why they are left. Open are:\n"

// openTodos returns the steps of the list that are not done, if the run wrote it.
func (c *transcript) openTodos() []string {
	if !c.planned {
		return nil
	}
	return tools.OpenTodos(c.todo)
}
