package modelhttp

import (
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Bounds of what one answer may keep in memory for its open tool calls.
const (
	maxCalls     = 128
	maxCallBytes = maxEventBytes
)

// Piece is a part of a tool call. Servers leave out, repeat and confuse its
// members in every way.
type Piece struct {
	// Index is nil when the server gave none.
	Index *int
	ID    string
	Tool  string
	// Args is the next part of the arguments' text.
	Args []byte
}

// openCall is a tool call whose arguments still grow.
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

// scan follows the brackets of a JSON text as it comes, so that asking whether
// it is whole costs nothing however many pieces there are.
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

// calls puts tool calls together.
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

// find returns the open call that the piece continues, or nil for a new one. An
// id decides before an index, because servers number several calls all 0, give
// the first piece of a call one number and its rest another, or give no number.
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

// begins reports whether the piece is the first of another call than the one
// whose number it bears.
func (p Piece) begins(call *openCall) bool {
	switch {
	case p.Tool == "":
		// Without a name it is a continuation, unless it has an id of its own and
		// the call before it is whole.
		return p.ID != "" && call.id != "" && call.scan.complete
	case p.ID != "" && call.id != "":
		return true
	}
	return call.tool != "" && (p.Tool != call.tool || call.scan.complete)
}

// at returns the newest call of the index; without an index, the newest of all
// when it has none either.
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
