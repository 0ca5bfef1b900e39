package yjs

import "unsafe"

// short is a slice of bytes whose length and capacity have 32 bits: 16 bytes in each item
// instead of 24. Contents are far shorter (see the limits of updates).
type short struct {
	first            *byte
	length, capacity uint32
}

func shortOf(text []byte) short {
	return short{unsafe.SliceData(text), uint32(len(text)), uint32(cap(text))}
}

func (s short) bytes() []byte { return unsafe.Slice(s.first, s.capacity)[:s.length] }

func (s short) len() int { return int(s.length) }
