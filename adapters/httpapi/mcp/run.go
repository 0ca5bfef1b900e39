package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/core"
)

// Bounds on a call that follows a run. Programs give up on calls that take longer than a minute,
// and a model reads no more in one piece.
const (
	followTime     = 25 * time.Second
	maxFollowBytes = 256 << 10
)

// events reads the events of an answer that is a stream.
type events struct {
	pending []byte
	// each is called with every event, as JSON.
	each func(event json.RawMessage)
}

// take reads a piece of the stream. Comments and ids are passed over.
func (e *events) take(text []byte) {
	e.pending = append(e.pending, text...)
	for {
		frame, rest, whole := bytes.Cut(e.pending, []byte("\n\n"))
		if !whole {
			return
		}
		e.pending = rest
		for line := range bytes.SplitSeq(frame, []byte("\n")) {
			if data, is := bytes.CutPrefix(line, []byte("data: ")); is {
				e.each(bytes.Clone(data))
			}
		}
	}
}

// header is what the tools read of an event.
type header struct {
	Type core.EventType `json:"type"`
	Seq  int64          `json:"seq"`
}

// ends reports whether the event is the last of its run.
func (h header) ends() bool {
	return h.Type == core.EventTaskComplete || h.Type == core.EventSessionError
}

// isPiece reports whether a later event has the whole of the event's text, or nobody needs it.
func (h header) isPiece() bool {
	return h.Type == core.EventMessageDelta || h.Type == core.EventReasoningDelta
}

// begin begins a detached run, and returns as soon as its message is in the chat.
func begin(c *call) *sdk.CallToolResult {
	ctx, cancel := context.WithTimeout(c.ctx, followTime)
	defer cancel()
	var first *header
	refusal := c.stream(ctx, func(event json.RawMessage) {
		var h header
		if first == nil && json.Unmarshal(event, &h) == nil {
			first = &h
			cancel()
		}
	})
	switch {
	case refusal != nil:
		return refusal
	case first == nil:
		return refused(core.Errorf(core.CodeUnavailable, "the run has not begun yet: look at the chat with follow_run"))
	}
	return told(map[string]any{"chatId": c.arguments["chatId"], "after": first.Seq})
}

// follow returns the events of a chat's run since a place in its log.
func follow(c *call) *sdk.CallToolResult {
	ctx, cancel := context.WithTimeout(c.ctx, followTime)
	defer cancel()
	result := struct {
		Events []json.RawMessage `json:"events"`
		After  int64             `json:"after"`
		Ended  bool              `json:"ended"`
	}{Events: []json.RawMessage{}}
	_ = json.Unmarshal(c.arguments["after"], &result.After)
	bytes, last := 0, header{}
	refusal := c.stream(ctx, func(event json.RawMessage) {
		var h header
		if ctx.Err() != nil || json.Unmarshal(event, &h) != nil {
			return
		}
		last, result.After = h, h.Seq
		if !h.isPiece() {
			result.Events = append(result.Events, event)
			bytes += len(event)
		}
		if bytes > maxFollowBytes {
			cancel()
		}
	})
	if refusal != nil {
		return refusal
	}
	// A stream that ends without an event is that of a chat without a run.
	result.Ended = last.ends() || last.Seq == 0 && ctx.Err() == nil
	return told(result)
}
