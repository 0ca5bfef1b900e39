package agent

import (
	"encoding/json"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// interruptedResult stands in for the result of a call that was cut off: vendors
// refuse a conversation with a call that nobody answered.
const interruptedResult = "The run was interrupted before this call finished. Look at the files before you go on."

// conversationOf rebuilds the conversation with the model from a chat's log.
func conversationOf(history []core.Event) []ai.Message {
	var c transcript
	for _, event := range history {
		c.add(event.Payload)
	}
	c.closeCalls()
	return c.messages
}

// transcript gathers messages. An assistant's message is open while its deltas
// and calls come in, until something else follows.
type transcript struct {
	messages []ai.Message
	// open says that the last message is an assistant's that may still grow.
	open bool
	// waiting are the calls that no result has answered.
	waiting []ai.Call
}

func (c *transcript) add(payload core.Payload) {
	switch p := payload.(type) {
	case core.UserMessage:
		c.closeCalls()
		c.append(ai.Message{Role: ai.RoleUser, Text: p.Text})
	case core.MessageDelta:
		c.assistant().Text += p.Delta
	case core.ToolCall:
		call := ai.Call{ID: p.ID, Tool: p.Tool, Args: p.Args}
		message := c.assistant()
		message.Calls = append(message.Calls, call)
		c.waiting = append(c.waiting, call)
	case core.ToolResult:
		c.answer(p.ID, p.Result, false)
	case core.ToolError:
		c.answer(p.ID, p.Error, true)
	case core.UsageInfo:
		c.open = false
	}
}

func (c *transcript) append(message ai.Message) {
	c.messages = append(c.messages, message)
	c.open = false
}

// assistant returns the assistant's message that is open, or a new one.
func (c *transcript) assistant() *ai.Message {
	if !c.open {
		c.closeCalls()
		c.append(ai.Message{Role: ai.RoleAssistant})
		c.open = true
	}
	return &c.messages[len(c.messages)-1]
}

// answer adds the result of a call. A result without its call is dropped.
func (c *transcript) answer(id, text string, failed bool) {
	for i, call := range c.waiting {
		if call.ID != id {
			continue
		}
		c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
		c.append(ai.Message{Role: ai.RoleTool, CallID: id, Tool: call.Tool, Text: text, Failed: failed})
		return
	}
}

// closeCalls answers what was left open by a run that was cut off.
func (c *transcript) closeCalls() {
	waiting := c.waiting
	c.waiting = nil
	for _, call := range waiting {
		c.append(ai.Message{Role: ai.RoleTool, CallID: call.ID, Tool: call.Tool, Text: interruptedResult, Failed: true})
	}
}

// normalArgs returns arguments as the JSON object that a model meant: one that
// stands inside a JSON string is taken out of it, and nothing at all is an empty
// object. Anything else stays what it is and is refused by the tool.
func normalArgs(args json.RawMessage) json.RawMessage {
	var inner string
	if json.Unmarshal(args, &inner) == nil && json.Valid([]byte(inner)) {
		args = json.RawMessage(inner)
	}
	if len(args) == 0 || string(args) == "null" {
		return json.RawMessage("{}")
	}
	if !json.Valid(args) {
		quoted, _ := json.Marshal(string(args))
		return quoted
	}
	return args
}

// estimateTokens guesses the size of a request. Four bytes a token is what the
// common vocabularies average on source code; it serves for reservations, not
// for bills.
func estimateTokens(request ai.Request) int64 {
	bytes := len(request.System)
	for _, message := range request.Messages {
		bytes += len(message.Text)
		for _, call := range message.Calls {
			bytes += len(call.Args) + len(call.Tool)
		}
	}
	for _, tool := range request.Tools {
		bytes += len(tool.Description) + len(tool.Parameters)
	}
	return int64(bytes/4) + 1
}

// Windows to ask for where the provider must be told: enough for the loop with a
// few files in it, and no more than that, because the memory is the user's own.
const (
	defaultWindow = 16_384
	largestWindow = 32_768
)

func windowFor(model int) int {
	if model == 0 {
		return defaultWindow
	}
	return min(model, largestWindow)
}
