package lib0

import (
	"errors"
	"unicode/utf8"
)

// MaxInteger is the greatest number that the format allows: JavaScript's
// MAX_SAFE_INTEGER.
const MaxInteger = 1<<53 - 1

// maxDepth is the maximum nesting of a value of any type.
const maxDepth = 64

// Errors about an input. Readers of a client's input wrap these.
var (
	ErrShort   = errors.New("lib0: the input ends too early")
	ErrInteger = errors.New("lib0: a number is too large")
	ErrText    = errors.New("lib0: a text is not valid UTF-8")
	ErrAny     = errors.New("lib0: a value has an unknown type or is nested too deep")
)

// Reader decodes a slice from front to back. The first failure is kept: after it, every
// read returns a zero value, and Err returns the failure.
type Reader struct {
	input []byte
	at    int
	err   error
}

// NewReader returns a reader of input, which it never changes.
func NewReader(input []byte) *Reader { return &Reader{input: input} }

// Err returns the first failure, or nil.
func (r *Reader) Err() error { return r.err }

// Len returns the number of remaining bytes.
func (r *Reader) Len() int { return len(r.input) - r.at }

// Offset returns how many bytes have been read.
func (r *Reader) Offset() int { return r.at }

// Since returns the bytes from an offset to the reader's position. They alias the input.
func (r *Reader) Since(offset int) []byte { return r.input[offset:r.at:r.at] }

// Fail makes err the reader's failure unless it has one, and moves the reader to the end.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.at = len(r.input)
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if r.at >= len(r.input) {
		r.Fail(ErrShort)
		return 0
	}
	b := r.input[r.at]
	r.at++
	return b
}

// Uint reads a number.
func (r *Reader) Uint() uint64 {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := r.Byte()
		n |= uint64(b&0x7f) << shift
		if n > MaxInteger || shift > 49 && b >= 0x80 {
			r.Fail(ErrInteger)
		}
		if r.err != nil {
			return 0
		}
		if b < 0x80 {
			return n
		}
	}
}

// Count decodes a number of elements that take at least size bytes each.
func (r *Reader) Count(size int) int {
	n := r.Uint()
	if n > uint64(r.Len()/size) {
		r.Fail(ErrShort)
		return 0
	}
	return int(n)
}

// Bytes decodes bytes preceded by their length. They alias the input.
func (r *Reader) Bytes() []byte { return r.take(r.Count(1)) }

// Text decodes a text in UTF-8. It aliases the input.
func (r *Reader) Text() []byte {
	text := r.Bytes()
	if !utf8.Valid(text) {
		r.Fail(ErrText)
		return nil
	}
	return text
}

func (r *Reader) take(n int) []byte {
	if n > r.Len() {
		r.Fail(ErrShort)
		return nil
	}
	r.at += n
	return r.input[r.at-n : r.at : r.at]
}

// The first bytes of a value of any type.
const (
	anyBytes = 116 + iota
	anyArray
	anyObject
	anyText
	anyTrue
	anyFalse
	anyBigInt
	anyFloat64
	anyFloat32
	anyInteger
	anyNull
	anyUndefined
)

// SkipAny skips a value of any type.
func (r *Reader) SkipAny() { r.skipAny(maxDepth) }

func (r *Reader) skipAny(depth int) {
	if depth == 0 {
		r.Fail(ErrAny)
		return
	}
	switch r.Byte() {
	case anyUndefined, anyNull, anyFalse, anyTrue:
	case anyInteger:
		r.skipInteger()
	case anyFloat32:
		r.take(4)
	case anyFloat64, anyBigInt:
		r.take(8)
	case anyText:
		r.Text()
	case anyBytes:
		r.Bytes()
	case anyArray:
		for n := r.Count(1); n > 0 && r.err == nil; n-- {
			r.skipAny(depth - 1)
		}
	case anyObject:
		for n := r.Count(2); n > 0 && r.err == nil; n-- {
			r.Text()
			r.skipAny(depth - 1)
		}
	default:
		r.Fail(ErrAny)
	}
}

// skipInteger skips a signed number: its first byte holds the sign and six bits.
func (r *Reader) skipInteger() {
	if r.Byte() >= 0x80 {
		r.Uint()
	}
}
