package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core/agent/tools"
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
// The system prompt is not part of the conversation and stays, with the project's rules, which
// move there.
func (r *run) compact(ctx context.Context) error {
	before := r.window.size()
	if !r.budget.isFull(before) {
		return nil
	}
	r.guards.forget()
	r.conversation.forgetThoughts()
	r.window.foldBriefing()
	if err := r.storeBriefing(ctx); err != nil {
		return err
	}
	r.window.shortenResults()
	if r.window.size() > r.budget.part(emptyPercent) {
		r.window.dropSuperseded()
	}
	if r.window.size() > r.budget.part(enoughPercent) {
		if err := r.summariser.summarise(ctx, before); err != nil {
			return err
		}
	}
	r.window.squeeze()
	return nil
}

// contextWindow measures a conversation against the model's context window, and makes
// it shorter.
type contextWindow struct {
	conversation *transcript
	client       *modelClient
	budget       *budget
}

// size is the size of the next request in tokens: the conversation, the system prompt
// and the tools.
func (w *contextWindow) size() int64 { return w.sizeWith(w.conversation.messages) }

func (w *contextWindow) sizeWith(conversation []ai.Message) int64 {
	return w.budget.tokens(w.client.request(conversation))
}

// excess is how many bytes must be cut for the conversation to fit.
func (w *contextWindow) excess() int {
	return w.budget.bytes(w.size()-w.budget.part(fullPercent)) + frameBytes
}

// shortenResults replaces old results by a short note, the oldest first, until there
// is room.
func (w *contextWindow) shortenResults() {
	results := w.conversation.results()
	excess := w.budget.bytes(w.size() - w.budget.part(emptyPercent))
	for _, i := range results[:max(0, len(results)-keptResults)] {
		if excess <= 0 {
			return
		}
		excess -= w.shorten(i, "left out to save room; call the tool again if you need it")
	}
}

// shorten replaces a result by a short note, and returns how many bytes that saves.
func (w *contextWindow) shorten(i int, why string) (saved int) {
	message := &w.conversation.messages[i]
	had := len(message.Text)
	if had <= shortResult {
		return 0
	}
	head, _, _ := strings.Cut(message.Text, "\n")
	head, _ = tools.CutText(head, shortResult/2)
	message.Text = fmt.Sprintf("%s\n[%d bytes %s]", head, had, why)
	return had - len(message.Text)
}

// dropSuperseded shortens results about a file that has been read or changed again
// since: what was read of it, and what was written, which is in the file. Different
// parts of a file do not supersede each other.
func (w *contextWindow) dropSuperseded() {
	newer := map[string]bool{}
	messages := w.conversation.messages
	about := subjectsOfCalls(messages)
	for i, message := range slices.Backward(messages) {
		subject := about[message.CallID]
		if message.Role != ai.RoleTool || message.Failed || subject.Path == "" {
			continue
		}
		if newer[subject.Path] || newer[subject.Path+subject.Part] {
			w.shorten(i, "that are no longer the file's content")
		}
		newer[subject.Path+subject.Part] = true
	}
}

// subjectsOfCalls returns what each call is about, by the call's id.
func subjectsOfCalls(messages []ai.Message) map[string]tools.Subject {
	subjects := map[string]tools.Subject{}
	for _, message := range messages {
		for _, call := range message.Calls {
			subjects[call.ID] = tools.SubjectOf(call)
		}
	}
	return subjects
}
