package modelhttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Answer passes on the meaning of an answer's events, and records what the final verdict
// needs. The decoder returns the errors of its methods unchanged.
type Answer struct {
	ctx      context.Context
	emit     func(ai.Chunk) error
	exchange *exchange
	calls    calls
	ids      map[string]bool
	// hasOutput means that text or a tool call has arrived; reasoning does not count.
	hasOutput bool
	finished  bool
	reason    string
	// reported is the usage that the vendor reported. receivedBytes is the size of the answer in
	// bytes, from which missing counts are estimated.
	reported      core.Usage
	receivedBytes int
}

// sinkError marks an error of the receiver of the chunks.
type sinkError struct{ error }

func newAnswer(ctx context.Context, emit func(ai.Chunk) error, exchange *exchange) *Answer {
	return &Answer{ctx: ctx, emit: emit, exchange: exchange, ids: map[string]bool{}}
}

// Text passes on a piece of the answer's text. It ignores an empty piece.
func (a *Answer) Text(text string) error {
	if text == "" {
		return nil
	}
	a.hasOutput = true
	return a.send(ai.Chunk{Text: text}, len(text))
}

// Reasoning passes on a piece of the model's reasoning. It ignores an empty piece.
func (a *Answer) Reasoning(text string) error {
	if text == "" {
		return nil
	}
	return a.send(ai.Chunk{Reasoning: text}, len(text))
}

// Signed passes on a thought that the vendor has signed.
func (a *Answer) Signed(thought ai.Thought) error {
	return a.send(ai.Chunk{Signed: &thought}, 0)
}

// Call passes on a whole tool call. Args is JSON in any form, or empty. An id that is
// missing, or that the answer used before, is replaced.
func (a *Answer) Call(id, tool string, args []byte) error {
	if id == "" || a.ids[id] {
		id = "call_" + strings.ReplaceAll(string(core.NewID()), "-", "")
	}
	a.ids[id] = true
	a.hasOutput = true
	call := &ai.Call{ID: id, Tool: tool, Args: wholeArgs(args)}
	return a.send(ai.Chunk{Call: call}, len(tool)+len(args))
}

// Piece adds a part of a tool call. Close or Finish passes the call on.
func (a *Answer) Piece(piece Piece) error { return a.calls.add(piece) }

// Extend adds arguments to the call at the index. Without such a call it does nothing.
func (a *Answer) Extend(index int, args string) error {
	if a.calls.at(&index) == nil {
		return nil
	}
	return a.calls.add(Piece{Index: &index, Args: []byte(args)})
}

// Close passes on the call at the index, if there is one.
func (a *Answer) Close(index int) error {
	if call := a.calls.take(index); call != nil {
		return a.Call(call.id, call.tool, call.args)
	}
	return nil
}

// Finish handles the end of the answer and passes on the tool calls that are still open.
// The reason is the vendor's, and may be empty.
func (a *Answer) Finish(reason string) error {
	a.finished = true
	if reason != "" {
		a.reason = reason
	}
	for _, call := range a.calls.takeAll() {
		if err := a.Call(call.id, call.tool, call.args); err != nil {
			return err
		}
	}
	return nil
}

// isCut reports whether the vendor ended the answer because of its length.
func (a *Answer) isCut() bool {
	return slices.Contains([]string{"length", "max_tokens", "model_context_window_exceeded"}, a.reason)
}

// maxTokens is more than any call can use. A larger count is a mistake of the server and
// is ignored.
const maxTokens = 100_000_000

// Use takes the vendor's counts so far, which can only grow. It ignores impossible
// counts.
func (a *Answer) Use(input, output int64) {
	if input <= maxTokens {
		a.reported.InputTokens = max(a.reported.InputTokens, input)
	}
	if output <= maxTokens {
		a.reported.OutputTokens = max(a.reported.OutputTokens, output)
	}
}

// UseCache takes the vendor's counts of input tokens that it read from its prompt cache
// and that it wrote there. Both are part of the input that Use takes.
func (a *Answer) UseCache(read, written int64) {
	if read <= maxTokens {
		a.reported.CachedTokens = max(a.reported.CachedTokens, read)
	}
	if written <= maxTokens {
		a.reported.WrittenTokens = max(a.reported.WrittenTokens, written)
	}
}

func (a *Answer) send(chunk ai.Chunk, size int) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	a.receivedBytes += size
	a.exchange.patience = a.exchange.limits.Idle
	if err := a.emit(chunk); err != nil {
		return sinkError{err}
	}
	return nil
}

// bytesPerToken is the usual rule of thumb for English text and code.
const bytesPerToken = 4

// usage returns the vendor's counts, with estimates for missing ones. If an answer breaks
// off, a vendor has reported at most the counts of its beginning.
func (a *Answer) usage() core.Usage {
	used := a.reported
	if used.InputTokens == 0 {
		used.InputTokens = tokens(a.exchange.sent)
	}
	// More than all of the input cannot have a price of its own.
	used.CachedTokens = min(used.CachedTokens, used.InputTokens)
	used.WrittenTokens = min(used.WrittenTokens, used.InputTokens-used.CachedTokens)
	if used.OutputTokens == 0 || !a.finished {
		used.OutputTokens = max(used.OutputTokens, tokens(a.receivedBytes))
	}
	return used
}

func tokens(bytes int) int64 { return int64(bytes+bytesPerToken-1) / bytesPerToken }

// end returns the verdict on a stream that ended by itself.
func (a *Answer) end() error {
	switch {
	case !a.finished:
		return errNoLastWord
	case a.hasOutput && a.isCut():
		return a.send(ai.Chunk{Cut: true}, 0)
	case a.hasOutput:
		return nil
	}
	message := "the model gave an empty answer"
	switch {
	case a.isCut():
		message = "the model reached the limit of its answer before it wrote anything"
	case a.reason == "content_filter", a.reason == "refusal":
		message = "the provider's content filter withheld the answer"
	}
	return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "%s", message), Empty: true, Overthought: a.isCut()}
}

// wholeArgs returns a model's arguments as JSON: empty arguments become an empty object,
// and text that is not JSON becomes a JSON string.
func wholeArgs(text []byte) json.RawMessage {
	text = bytes.TrimSpace(text)
	switch {
	case len(text) == 0:
		return json.RawMessage("{}")
	case json.Valid(text):
		return bytes.Clone(text)
	}
	quoted, err := json.Marshal(string(text))
	if err != nil {
		return json.RawMessage("{}")
	}
	return quoted
}

// ObjectArgs returns the arguments of an earlier call as they are sent back to a vendor.
// Vendors accept only an object there, so other values are wrapped in one.
func ObjectArgs(args json.RawMessage) json.RawMessage {
	args = bytes.TrimSpace(args)
	switch {
	case len(args) == 0:
		return json.RawMessage("{}")
	case args[0] == '{' && json.Valid(args):
		return args
	case !json.Valid(args):
		args = wholeArgs(args)
	}
	return append(append(json.RawMessage(`{"arguments":`), args...), '}')
}

// DecodeJSON is json.Unmarshal that skips values of an unexpected type: one odd member
// does not spoil an answer.
func DecodeJSON(data []byte, into any) error {
	err := json.Unmarshal(data, into)
	var mistyped *json.UnmarshalTypeError
	if errors.As(err, &mistyped) {
		return nil
	}
	return err
}

// ArgsText returns the text of arguments that a server sends as a text or as an object,
// with U+FFFD in place of invalid UTF-8.
func ArgsText(args json.RawMessage) []byte {
	args = bytes.TrimSpace(args)
	switch {
	case len(args) == 0, string(args) == "null":
		return nil
	case args[0] == '"':
		return []byte(word(args))
	}
	return bytes.ToValidUTF8(args, []byte("\uFFFD"))
}
