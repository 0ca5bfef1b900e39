package agent

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/ports/ai"
)

// squeeze cuts the largest parts of the conversation until it fits: first the agent's work,
// then the person's earlier pictures and words, then whole messages. It cuts the person's
// newest message only when nothing else is left.
func (r *run) squeeze() {
	newest := r.newestWish()
	steps := []func(){
		func() { r.level(func(i int) bool { return r.messages[i].Role != ai.RoleUser }) },
		func() { r.dropImages(newest) },
		func() { r.level(func(i int) bool { return i != newest }) },
		func() { r.dropOldest(); newest = r.newestWish() },
		func() { r.level(func(int) bool { return true }) },
		func() { r.dropImages(-1) },
	}
	for _, step := range steps {
		if !r.budget.isFull(r.size()) {
			return
		}
		step()
	}
}

// newestWish is the index of the person's newest message, -1 if there is none.
func (r *run) newestWish() int {
	for i, message := range slices.Backward(r.messages) {
		if message.Role == ai.RoleUser && !isOwnWord(message.Text) {
			return i
		}
	}
	return -1
}

// piece is a text in the conversation that can be cut to a number of bytes.
type piece struct {
	length int
	cut    func(limit int)
}

// level cuts the longest texts of the messages that may be cut to one common length, the
// largest with which the conversation fits.
func (r *run) level(may func(i int) bool) {
	var pieces []piece
	longest := shortResult
	for i := range r.messages {
		if may(i) {
			pieces = append(pieces, piecesOf(&r.messages[i])...)
		}
	}
	for _, p := range pieces {
		longest = max(longest, p.length)
	}
	excess := r.excess()
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
	pieces := []piece{{len(message.Text), func(limit int) { message.Text = cutMiddle(message.Text, limit, why) }}}
	if len(message.Calls) > 0 {
		// The log and the run's guards have the same calls.
		message.Calls = slices.Clone(message.Calls)
	}
	for i := range message.Calls {
		call := &message.Calls[i]
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
		for name, value := range members {
			if text, is := value.(string); is {
				members[name] = cutMiddle(text, share, argsCut)
			}
		}
		if shorter, err := json.Marshal(members); err == nil && len(shorter) <= limit {
			return shorter
		}
	}
	return json.RawMessage(`{}`)
}

// cutMiddle removes the middle of a text that is longer than limit, and says so there.
func cutMiddle(text string, limit int, why string) string {
	if len(text) <= limit {
		return text
	}
	note := fmt.Sprintf("\n[… %d of %d bytes %s …]\n", len(text)-max(limit, 0), len(text), why)
	keep := max(limit-len(note), 0)
	head, _ := cutText(text, keep*2/3)
	tail := len(text) - keep/3
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return head + note + text[tail:]
}

// dropImages removes pictures from all messages but one, the oldest first, until the rest fits.
func (r *run) dropImages(but int) {
	for i := range r.messages {
		message := &r.messages[i]
		if i == but || len(message.Images) == 0 {
			continue
		}
		had := len(message.Images)
		for len(message.Images) > 0 && r.budget.isFull(r.size()) {
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
func (r *run) dropOldest() {
	first := 0
	if len(r.messages) > 0 && r.messages[0].Role == ai.RoleUser {
		first = 1
	}
	last := len(r.messages) - 1
	for last > first && r.messages[last].Role == ai.RoleTool {
		last--
	}
	excess, newest, at := r.excess(), r.newestWish(), first
	var kept []int
	for ; at < last && (excess > 0 || r.messages[at].Role == ai.RoleTool); at++ {
		if at == newest {
			kept = append(kept, at)
			continue
		}
		excess -= sizeOfMessage(r.messages[at])
	}
	if at-first == len(kept) {
		return
	}
	messages, seqs := slices.Clone(r.messages[:first]), slices.Clone(r.seqs[:min(first, len(r.seqs))])
	for _, i := range kept {
		messages = append(messages, r.messages[i])
		if i < len(r.seqs) {
			seqs = append(seqs, r.seqs[i])
		}
	}
	r.messages = append(messages, r.messages[at:]...)
	r.seqs = append(seqs, r.seqs[min(at, len(r.seqs)):]...)
	if first > 0 {
		r.messages[0].Text += messagesDropped
	}
}

// excess is how many bytes must be cut for the conversation to fit.
func (r *run) excess() int {
	return r.budget.bytes(r.size()-r.budget.part(fullPercent)) + frameBytes
}

// messagesDropped tells the model that messages were removed.
const messagesDropped = "\n\n[Messages after this one were left out to save room.]"
