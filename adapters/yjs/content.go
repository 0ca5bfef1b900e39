package yjs

import (
	"encoding/json"
	"slices"

	"github.com/atelierhq/atelier/adapters/internal/lib0"
)

// ref is the kind of a struct and of its content, by its number in updates.
type ref byte

const (
	refGC ref = iota
	refDeleted
	refJSON
	refBinary
	refString
	refEmbed
	refFormat
	refType
	refAny
	refDoc
	refSkip
)

// joins reports whether two contents of the kind can be merged.
func (r ref) joins() bool {
	return r == refDeleted || r == refJSON || r == refString || r == refAny
}

// content is the content of a struct. text holds a string as UTF-8; for other kinds it
// holds the bytes of the update, without the number of elements. Nothing else shares its
// memory. For a type, only the kind is stored: the items inside are structs of their own.
type content struct {
	ref  ref
	text []byte
}

// The kinds of types, by their numbers in updates.
const (
	typeText       = 2
	typeXMLElement = 3
	typeXMLHook    = 5
	typeLast       = 6
)

// readContent reads a content of a kind, and its length in units.
func readContent(r *lib0.Reader, kind ref) (content, uint32) {
	switch kind {
	case refDeleted:
		return content{ref: kind}, readClock(r)
	case refString:
		text := r.Text()
		return content{ref: kind, text: slices.Clone(text)}, utf16Length(text)
	}
	length := 1
	if kind == refJSON || kind == refAny {
		length = r.Count(1)
	}
	start := r.Offset()
	c := content{ref: kind}
	switch kind {
	case refJSON, refAny:
		for n := length; n > 0 && r.Err() == nil; n-- {
			skipElement(r, kind)
		}
	case refBinary:
		r.Bytes()
	case refEmbed:
		skipJSON(r)
	case refFormat:
		r.Text()
		skipJSON(r)
	case refType:
		skipType(r)
	case refDoc:
		r.Text()
		r.SkipAny()
	default:
		r.Fail(errKind)
	}
	if r.Err() == nil {
		c.text = slices.Clone(r.Since(start))
	}
	return c, uint32(length)
}

func skipType(r *lib0.Reader) {
	switch kind := r.Uint(); {
	case kind == typeXMLElement || kind == typeXMLHook:
		r.Text()
	case kind > typeLast:
		r.Fail(errKind)
	}
}

// skipJSON skips a JSON value. The replicas of others would fail on a value that does not
// parse.
func skipJSON(r *lib0.Reader) {
	if text := r.Text(); r.Err() == nil && !json.Valid(text) {
		r.Fail(errJSON)
	}
}

// skipElement skips one element of a content that has several.
func skipElement(r *lib0.Reader, kind ref) {
	if kind == refAny {
		r.SkipAny()
		return
	}
	if text := r.Text(); r.Err() == nil && string(text) != "undefined" && !json.Valid(text) {
		r.Fail(errJSON)
	}
}

// append encodes a content of a length, from an offset in units on.
func (c *content) append(to []byte, offset, length uint32) []byte {
	switch c.ref {
	case refGC, refDeleted:
		return lib0.AppendUint(to, uint64(length-offset))
	case refString:
		if offset == 0 {
			return lib0.AppendBytes(to, c.text)
		}
		at, inPair := cutAt(c.text, offset, length)
		if !inPair {
			return lib0.AppendBytes(to, c.text[at:])
		}
		return lib0.AppendBytes(to, replacement+string(c.text[at+4:]))
	case refJSON, refAny:
		to = lib0.AppendUint(to, uint64(length-offset))
		return append(to, c.text[c.elementAt(offset):]...)
	}
	return append(to, c.text...)
}

// elementAt returns the offset at which an element begins.
func (c *content) elementAt(n uint32) int {
	r := lib0.NewReader(c.text)
	for ; n > 0; n-- {
		skipElement(r, c.ref)
	}
	return r.Offset()
}

// split keeps the units before at and returns a content with the others.
func (c *content) split(at, length uint32) content {
	right := content{ref: c.ref}
	switch c.ref {
	case refString:
		cut, inPair := cutAt(c.text, at, length)
		if inPair {
			right.text = append([]byte(replacement), c.text[cut+4:]...)
			c.text = append(c.text[:cut:cut], replacement...)
			return right
		}
		right.text = slices.Clone(c.text[cut:])
		c.text = shortened(c.text, cut)
	case refJSON, refAny:
		cut := c.elementAt(at)
		right.text = slices.Clone(c.text[cut:])
		c.text = shortened(c.text, cut)
	}
	return right
}

// shortened shortens a slice, and reallocates it if that frees much memory.
func shortened(text []byte, length int) []byte {
	if cap(text) > 2*length+64 {
		return slices.Clone(text[:length])
	}
	return text[:length]
}
