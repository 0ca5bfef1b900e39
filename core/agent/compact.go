package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/ports/ai"
)

const (
	// keptResults is the number of newest results that are shortened only as a last
	// resort.
	keptResults = 4
	// shortResult is the length in bytes up to which a text is not shortened.
	shortResult = 400
)

// compact makes room in the conversation when it fills the model's window. In order:
// it shortens old results, drops reads that a later read or write has replaced, has
// the oldest part summarised, and finally cuts the largest texts. The log stays whole.
// The system prompt with the project's rules is not part of the conversation and
// stays.
func (r *run) compact(ctx context.Context) error {
	before := r.size()
	if !r.budget.isFull(before) {
		return nil
	}
	r.shortenResults()
	if r.size() > r.budget.part(emptyPercent) {
		r.dropSuperseded()
	}
	if r.size() > r.budget.part(enoughPercent) {
		if err := r.summarise(ctx, before); err != nil {
			return err
		}
	}
	r.squeeze()
	return nil
}

// size is the size of the next request in tokens: the conversation, the system prompt
// and the tools.
func (r *run) size() int64 { return r.sizeWith(r.messages) }

func (r *run) sizeWith(conversation []ai.Message) int64 {
	return r.budget.tokens(r.client.request(conversation))
}

// shortenResults replaces old results by a short note, the oldest first, until there
// is room.
func (r *run) shortenResults() {
	results := r.results()
	excess := r.budget.bytes(r.size() - r.budget.part(emptyPercent))
	for _, i := range results[:max(0, len(results)-keptResults)] {
		if excess <= 0 {
			return
		}
		excess -= r.shorten(i, "left out to save room; call the tool again if you need it")
	}
}

// results returns the indexes of the messages that are results of tools.
func (r *run) results() []int {
	var at []int
	for i, message := range r.messages {
		if message.Role == ai.RoleTool {
			at = append(at, i)
		}
	}
	return at
}

// shorten replaces a result by a short note, and returns how many bytes that saves.
func (r *run) shorten(i int, why string) (saved int) {
	message := &r.messages[i]
	had := len(message.Text)
	if had <= shortResult {
		return 0
	}
	head, _, _ := strings.Cut(message.Text, "\n")
	head, _ = cutText(head, shortResult/2)
	message.Text = fmt.Sprintf("%s\n[%d bytes %s]", head, had, why)
	return had - len(message.Text)
}

// dropSuperseded shortens results about a file that has been read or changed again
// since: what was read of it, and what was written, which is in the file. Different
// parts of a file do not supersede each other.
func (r *run) dropSuperseded() {
	newer := map[string]bool{}
	about := r.subjectsOfCalls()
	for i := len(r.messages) - 1; i >= 0; i-- {
		message := r.messages[i]
		subject := about[message.CallID]
		if message.Role != ai.RoleTool || message.Failed || subject.path == "" {
			continue
		}
		if newer[subject.path] || newer[subject.path+subject.part] {
			r.shorten(i, "that are no longer the file's content")
		}
		newer[subject.path+subject.part] = true
	}
}

// subject is the file that a call is about, and the part of it; "" is all of it.
type subject struct{ path, part string }

// subjectsOfCalls returns what each call is about, by the call's id.
func (r *run) subjectsOfCalls() map[string]subject {
	subjects := map[string]subject{}
	for _, message := range r.messages {
		for _, call := range message.Calls {
			subjects[call.ID] = subjectOf(call)
		}
	}
	return subjects
}

// subjectOf returns the path that a call names, and its range of lines.
func subjectOf(call ai.Call) subject {
	var args struct {
		Path string          `json:"path"`
		From json.RawMessage `json:"from"`
		To   json.RawMessage `json:"to"`
	}
	// Arguments of any other form name no path.
	if json.Unmarshal(call.Args, &args) != nil || args.Path == "" {
		return subject{}
	}
	about := subject{path: plainPath(args.Path)}
	if call.Tool == readTool && len(args.From)+len(args.To) > 0 {
		about.part = "\x00" + string(args.From) + "-" + string(args.To)
	}
	return about
}
