package agent

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"

	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// squeeze cuts the largest parts of the conversation until it fits: first the agent's work,
// then the person's earlier pictures and words, then whole messages. It cuts the person's
// newest message only when nothing else is left.
func (w *contextWindow) squeeze() {
	newest := w.conversation.newestWish()
	steps := []func(){
		func() { w.level(func(i int) bool { return w.conversation.messages[i].Role != ai.RoleUser }) },
		func() { w.dropImages(newest) },
		func() { w.level(func(i int) bool { return i != newest }) },
		func() { w.dropOldest(); newest = w.conversation.newestWish() },
		func() { w.level(func(int) bool { return true }) },
		func() { w.dropImages(-1) },
	}
	for _, step := range steps {
		if !w.budget.isFull(w.size()) {
			return
		}
		step()
	}
}

// piece is a text in the conversation that can be cut to a number of bytes.
type piece struct {
	length int
	cut    func(limit int)
}

// level cuts the longest texts of the messages that may be cut to one common length, the
// largest with which the conversation fits.
func (w *contextWindow) level(may func(i int) bool) {
	var pieces []piece
	longest := shortResult
	for i := range w.conversation.messages {
		if may(i) {
			pieces = append(pieces, piecesOf(&w.conversation.messages[i])...)
		}
	}
	for _, p := range pieces {
		longest = max(longest, p.length)
	}
	excess := w.excess()
	saved := func(limit int) (bytes int) {
		for _, p := range pieces {
			bytes += max(0, p.length-limit)
		}
		return bytes
	}
	// The largest length that saves enough.
	limit := longest - sort.Search(longest-shortResult, func(less int) bool { return saved(longest-less) >= excess })
	for _, p := range pieces {
		if p.length > limit {
			p.cut(limit)
		}
	}
}

// Why texts are cut, for the model to read.
const (
	resultCut  = "left out to save room; call the tool again for the part that you need"
	messageCut = "of this message left out, because they do not fit into the model's window"
	argsCut    = "left out to save room"
)

func piecesOf(message *ai.Message) []piece {
	why := messageCut
	if message.Role == ai.RoleTool {
		why = resultCut
	}
	pieces := []piece{{len(message.Text), func(limit int) { message.Text = tools.CutMiddle(message.Text, limit, why) }}}
	if len(message.Calls) > 0 {
		// The log and the run's guards have the same calls.
		message.Calls = slices.Clone(message.Calls)
	}
	for i := range message.Calls {
		call := &message.Calls[i]
		if call.Tool == tools.TodoTool {
			// A list is short, and worth more than the texts around it.
			continue
		}
		pieces = append(pieces, piece{len(call.Args), func(limit int) { call.Args = cutArgs(call.Args, limit) }})
	}
	return pieces
}

// cutArgs cuts the texts in a call's arguments, so that they stay a JSON object of
// about limit bytes.
func cutArgs(args json.RawMessage, limit int) json.RawMessage {
	var members map[string]any
	if json.Unmarshal(args, &members) != nil {
		return json.RawMessage(`{}`)
	}
	for share := limit; share > 0; share /= 2 {
		if shorter, err := json.Marshal(cutTexts(members, share)); err == nil && len(shorter) <= limit {
			return shorter
		}
	}
	return json.RawMessage(`{}`)
}

// cutTexts cuts each text in a value of JSON to limit bytes.
func cutTexts(value any, limit int) any {
	switch value := value.(type) {
	case string:
		return tools.CutMiddle(value, limit, argsCut)
	case []any:
		for i := range value {
			value[i] = cutTexts(value[i], limit)
		}
	case map[string]any:
		for name := range value {
			value[name] = cutTexts(value[name], limit)
		}
	}
	return value
}

// dropImages removes pictures from all messages but one, the oldest first, until the rest fits.
func (w *contextWindow) dropImages(but int) {
	for i := range w.conversation.messages {
		message := &w.conversation.messages[i]
		if i == but || len(message.Images) == 0 {
			continue
		}
		had := len(message.Images)
		for len(message.Images) > 0 && w.budget.isFull(w.size()) {
			message.Images = message.Images[:len(message.Images)-1]
		}
		if len(message.Images) < had && !strings.HasSuffix(message.Text, imagesDropped) {
			message.Text += imagesDropped
		}
	}
}

// imagesDropped replaces pictures that were removed.
const imagesDropped = "\n\n[image no longer shown]"

// dropOldest removes messages, the oldest first, until the rest fits. It keeps the person's
// first message, which is the goal, the person's newest one, and the newest answer with its
// results.
func (w *contextWindow) dropOldest() {
	c, first := w.conversation, 0
	if len(c.messages) > 0 && c.messages[0].Role == ai.RoleUser {
		first = 1
	}
	last := len(c.messages) - 1
	for last > first && c.messages[last].Role == ai.RoleTool {
		last--
	}
	excess, newest, at := w.excess(), c.newestWish(), first
	var kept []int
	for ; at < last && (excess > 0 || c.messages[at].Role == ai.RoleTool); at++ {
		if at == newest {
			kept = append(kept, at)
			continue
		}
		excess -= sizeOfMessage(c.messages[at])
	}
	if at-first == len(kept) {
		return
	}
	messages, seqs := slices.Clone(c.messages[:first]), slices.Clone(c.seqs[:min(first, len(c.seqs))])
	for _, i := range kept {
		messages = append(messages, c.messages[i])
		if i < len(c.seqs) {
			seqs = append(seqs, c.seqs[i])
		}
	}
	c.messages = append(messages, c.messages[at:]...)
	c.seqs = append(seqs, c.seqs[min(at, len(c.seqs)):]...)
	if first > 0 {
		c.messages[0].Text += messagesDropped + c.todoNote(c.messages)
	}
}

// messagesDropped tells the model that messages were removed.
const messagesDropped = "\n\n[Messages after this one were left out to save room.]"
