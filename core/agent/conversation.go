package agent

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// interruptedResult is the result of a call that was interrupted: vendors refuse a
// conversation with a call that has no result.
const interruptedResult = "The run was interrupted before this call finished. Look at the files before you continue."

// transcriptOf rebuilds the conversation with the model from a chat's log.
func transcriptOf(task Task, told *briefing) *transcript {
	c := &transcript{model: task.Model, briefing: told, thoughts: thoughts{keeps: task.KeepsThoughts}}
	for _, event := range task.History {
		c.add(event, task.Images[event.Seq])
	}
	return c
}

// transcript collects messages. An assistant's message is open while its deltas and calls
// arrive, until the usage of the model call says that it is complete.
type transcript struct {
	messages []ai.Message
	// thoughts are the reasoning before the answer that is open, if model had it: what other
	// models signed is dropped.
	thoughts thoughts
	model    string
	// seqs has, for each message, the seq of the event that closed it.
	seqs []int64
	// open says that the last message is an assistant's that may still grow.
	open bool
	// cut says that the last message is the partial text of an answer that broke off. It
	// is removed once the run has asked for the answer again.
	cut bool
	// ids are those of all calls so far.
	ids map[string]bool
	// waiting are the calls without a result.
	waiting []ai.Call
	// steps counts the answers since the user's last message. changed are the files that
	// the agent changed since then, changing those since the last result. edits counts the
	// calls of this run that changed any.
	steps    int
	changed  bool
	edits    int
	changing []core.FileChanged
	// works are the files that the agent has changed in this chat, the newest last.
	works workList
	// briefing is what the model was told with messages of the person. wishSeq is the seq of the
	// newest of these.
	briefing *briefing
	wishSeq  int64
	// todo is the call that last wrote the list of steps, planned says that it was in this run.
	todo    ai.Call
	planned bool
	// approval is the request for a person's yes that waits. allowed is the one that the person's newest
	// message allows.
	approval, allowed *core.ApprovalRequest
	// said says that the log has the last answer, which called no tool, as a complete
	// message.
	said bool
}

func (c *transcript) add(event core.Event, images []ai.Image) {
	switch p := event.Payload.(type) {
	case core.UserMessage:
		c.leave()
		c.thoughts.take(false)
		c.closeCalls()
		c.steps, c.changed, c.changing, c.planned = 0, false, nil, false
		c.wishSeq = event.Seq
		c.approval, c.allowed = nil, c.allows(p.Approval)
		c.append(ai.Message{Role: ai.RoleUser, Briefing: c.briefing.said(event.Seq), Text: cmp.Or(p.Prompt, p.Text) + notShown(p, images) + c.briefing.hint(event.Seq, 0), Images: images})
	case core.ReasoningDelta:
		c.think(p)
	case core.MessageDelta:
		c.assistant().Text += p.Delta
	case core.ToolCall:
		c.freshID(p.ID)
		call := ai.Call{ID: p.ID, Tool: p.Tool, Args: p.Args}
		message := c.assistant()
		message.Calls = append(message.Calls, call)
		c.waiting = append(c.waiting, call)
	case core.UsageInfo:
		if c.open && p.Retry == nil {
			last := c.assistant()
			last.Thoughts = c.thoughts.take(len(last.Calls) > 0)
			c.open = false
			c.steps++
		}
		c.thoughts.take(false)
	case core.ApprovalRequest:
		c.approval = &p
	case core.FileChanged:
		c.changed, c.changing = true, append(c.changing, p)
		c.works.add(p)
	case core.ToolResult:
		c.answer(p.ID, p.Result, false)
	case core.ToolError:
		c.answer(p.ID, p.Error, true)
	case core.AssistantMessage:
		c.said = !c.open && !c.cut
		c.breakOff()
	case core.TaskComplete, core.SessionError:
		c.leave()
	}
	c.mark(event.Seq)
}

// notShown tells the model which images were left out.
func notShown(message core.UserMessage, images []ai.Image) string {
	if len(message.Attachments) <= len(images) {
		return ""
	}
	return imagesDropped
}

// mark notes that the messages so far cover the log up to seq.
func (c *transcript) mark(seq int64) {
	for len(c.seqs) < len(c.messages) {
		c.seqs = append(c.seqs, 0)
	}
	c.seqs = c.seqs[:len(c.messages)]
	if n := len(c.seqs); n > 0 {
		c.seqs[n-1] = seq
	}
}

func (c *transcript) append(message ai.Message) {
	c.messages = append(c.messages, message)
	c.open, c.cut, c.said = false, false, false
}

// followedBy returns the messages with a hint, which the conversation does not keep.
func (c *transcript) followedBy(text string) []ai.Message {
	return append(slices.Clip(c.messages), ai.Message{Role: ai.RoleUser, Hint: true, Text: text})
}

// results returns the indexes of the messages that are results of tools.
func (c *transcript) results() []int {
	var at []int
	for i, message := range c.messages {
		if message.Role == ai.RoleTool {
			at = append(at, i)
		}
	}
	return at
}

// newestWish is the index of the person's newest message, or -1.
func (c *transcript) newestWish() int {
	for i, message := range slices.Backward(c.messages) {
		if message.Role == ai.RoleUser && !message.Hint {
			return i
		}
	}
	return -1
}

// assistant returns the open message of the assistant, or a new one. Some vendors merge
// two in a row, so the agent puts a message of its own between them.
func (c *transcript) assistant() *ai.Message {
	if !c.open {
		c.closeCalls()
		c.forgetCut()
		if n := len(c.messages); n > 0 && c.messages[n-1].Role == ai.RoleAssistant {
			c.append(ai.Message{Role: ai.RoleUser, Hint: true, Text: cmp.Or(c.briefing.hint(c.wishSeq, c.steps), goOnHint)})
		}
		c.append(ai.Message{Role: ai.RoleAssistant})
		c.open = true
	}
	return &c.messages[len(c.messages)-1]
}

// freshID notes the id of a call, and returns another if an earlier call has the same.
// Some servers number their calls from the start in every answer, but an id must be unique
// in the log and in the conversation.
func (c *transcript) freshID(id string) string {
	if c.ids[id] {
		id = string(core.NewID())
	}
	if c.ids == nil {
		c.ids = map[string]bool{}
	}
	c.ids[id] = true
	return id
}

// answer adds the result of a call. A result without its call is dropped. A result for a
// call of an open message only closes that call in the log: the message broke off before
// the call was carried out.
func (c *transcript) answer(id, text string, failed bool) {
	if c.open {
		c.breakOff()
		return
	}
	for i, call := range c.waiting {
		if call.ID != id {
			continue
		}
		c.waiting = append(c.waiting[:i:i], c.waiting[i+1:]...)
		if call.Tool == tools.TodoTool && !failed {
			c.todo, c.planned = call, true
		}
		c.append(ai.Message{Role: ai.RoleTool, CallID: id, Tool: call.Tool, Text: text, Failed: failed})
		c.changing = nil
		return
	}
}

// show adds pictures to the result of a call. They are not in the log, so no later run has them.
func (c *transcript) show(id string, images []ai.Image) {
	if last := len(c.messages) - 1; last >= 0 && c.messages[last].Role == ai.RoleTool && c.messages[last].CallID == id {
		c.messages[last].Images = images
	}
}

// breakOff closes a message that is incomplete. Its calls are dropped, because none was
// started; its text stays until forgetCut removes it.
func (c *transcript) breakOff() {
	if !c.open {
		return
	}
	last := &c.messages[len(c.messages)-1]
	last.Calls, c.waiting = nil, nil
	c.thoughts.take(false)
	c.open, c.cut = false, true
	if last.Text == "" {
		c.forgetCut()
	}
}

// forgetCut removes the partial text of an answer that broke off.
func (c *transcript) forgetCut() {
	if c.cut {
		c.messages = c.messages[:len(c.messages)-1]
		c.cut = false
	}
}

// leave ends a run; the partial text of an answer that broke off stays.
func (c *transcript) leave() {
	c.breakOff()
	c.cut = false
}

// closeCalls gives a result to each call that an interrupted run left open.
func (c *transcript) closeCalls() {
	waiting := c.waiting
	c.waiting = nil
	for _, call := range waiting {
		c.append(ai.Message{Role: ai.RoleTool, CallID: call.ID, Tool: call.Tool, Text: interruptedResult, Failed: true})
	}
}

// unreported returns the changes that the log does not have yet: an interrupted call may
// have recorded some of its own.
func (c *transcript) unreported(changed []core.FileChanged) []core.FileChanged {
	told := c.changing
	c.changing = nil
	return slices.DeleteFunc(slices.Clone(changed), func(file core.FileChanged) bool {
		return slices.ContainsFunc(told, func(t core.FileChanged) bool { return t.Path == file.Path })
	})
}

// throughSeq is the seq of the last event that a summary of the first end messages
// covers; 0 if their place in the log is unknown.
func (c *transcript) throughSeq(end int) int64 {
	at := min(end, len(c.seqs))
	if at == 0 {
		return 0
	}
	return c.seqs[at-1]
}

// replaceOldest replaces the first end messages by their summary.
func (c *transcript) replaceOldest(end int, summary core.Summary) {
	c.messages = append([]ai.Message{{Role: ai.RoleUser, Text: summaryHead + summary.Text}}, c.messages[end:]...)
	if end < len(c.seqs) {
		c.seqs = append([]int64{summary.Through}, c.seqs[end:]...)
	} else {
		c.seqs = nil
	}
}

// recall replaces messages by their summary.
func (c *transcript) recall(summary core.Summary) {
	c.forgetThoughts()
	covered := 0
	for covered < len(c.seqs) && c.seqs[covered] <= summary.Through {
		covered++
	}
	c.messages = append([]ai.Message{{Role: ai.RoleUser, Text: summaryHead + summary.Text}}, c.messages[covered:]...)
	c.seqs = append([]int64{summary.Through}, c.seqs[covered:]...)
}
