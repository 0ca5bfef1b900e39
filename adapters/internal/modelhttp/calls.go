package modelhttp

import (
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Bounds on the memory of one answer's open tool calls.
const (
	maxCalls     = 128
	maxCallBytes = maxEventBytes
)

// Piece is a part of a tool call. Servers omit, repeat and mix up its fields in every
// way.
type Piece struct {
	// Index is nil if the server gave none.
	Index *int
	ID    string
	Tool  string
	// Args is the next part of the arguments' text.
	Args []byte
}

// openCall is a tool call whose arguments are still growing.
type openCall struct {
	index *int
	id    string
	tool  string
	args  []byte
	scan  scan
}

func (c *openCall) grow(args []byte) {
	c.args = append(c.args, args...)
	for _, b := range args {
		c.scan.step(b)
	}
}

// scan follows the brackets of a JSON text as it arrives, so that checking for
// completeness costs nothing, however many pieces there are.
type scan struct {
	depth            int
	quoted, escaped  bool
	opened, complete bool
}

func (s *scan) step(b byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case s.quoted && b == '\\':
		s.escaped = true
	case b == '"':
		s.quoted = !s.quoted
	case s.quoted:
	case b == '{' || b == '[':
		s.depth++
		s.opened = true
	case b == '}' || b == ']':
		s.depth--
	}
	s.complete = s.opened && s.depth <= 0 && !s.quoted
}

// calls assembles tool calls from pieces.
type calls struct {
	open  []*openCall
	bytes int
}

// add finds the call that the piece belongs to, or begins one.
func (c *calls) add(piece Piece) error {
	call := c.find(piece)
	if call == nil {
		call = &openCall{}
		c.open = append(c.open, call)
	}
	if piece.Index != nil && call.index == nil {
		call.index = piece.Index
	}
	if call.id == "" {
		call.id = piece.ID
	}
	if call.tool == "" {
		call.tool = piece.Tool
	}
	call.grow(piece.Args)
	c.bytes += len(piece.ID) + len(piece.Tool) + len(piece.Args)
	if len(c.open) > maxCalls || c.bytes > maxCallBytes {
		return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the model's tool calls are too long")}
	}
	return nil
}

// find returns the open call that the piece continues, or nil for a new one. An id takes
// precedence over an index, because servers number several calls 0, number the first
// piece of a call differently from its rest, or give no number.
func (c *calls) find(piece Piece) *openCall {
	if piece.ID != "" {
		if call := c.last(func(call *openCall) bool { return call.id == piece.ID }); call != nil {
			return call
		}
	}
	call := c.at(piece.Index)
	switch {
	case call == nil && piece.ID == "" && piece.Tool == "":
		return c.last(func(*openCall) bool { return true })
	case call == nil:
		return nil
	case piece.begins(call):
		return nil
	}
	return call
}

// begins reports whether the piece begins a new call although its number is that of an
// open one.
func (p Piece) begins(call *openCall) bool {
	switch {
	case p.Tool == "":
		// Without a name it is a continuation, unless it has its own id and the call
		// before it is complete.
		return p.ID != "" && call.id != "" && call.scan.complete
	case p.ID != "" && call.id != "":
		return true
	}
	return call.tool != "" && (p.Tool != call.tool || call.scan.complete)
}

// at returns the newest call of the index. Without an index it returns the newest of all,
// if that has none either.
func (c *calls) at(index *int) *openCall {
	if index != nil {
		return c.last(func(call *openCall) bool { return call.index != nil && *call.index == *index })
	}
	if len(c.open) == 0 || c.open[len(c.open)-1].index != nil {
		return nil
	}
	return c.open[len(c.open)-1]
}

func (c *calls) last(match func(*openCall) bool) *openCall {
	for _, call := range slices.Backward(c.open) {
		if match(call) {
			return call
		}
	}
	return nil
}

// take removes and returns the newest call of the index, or nil.
func (c *calls) take(index int) *openCall {
	call := c.at(&index)
	if call != nil {
		c.open = slices.DeleteFunc(c.open, func(other *openCall) bool { return other == call })
	}
	return call
}

func (c *calls) takeAll() []*openCall {
	open := c.open
	c.open = nil
	return open
}
