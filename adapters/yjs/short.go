package yjs

import "unsafe"

// shortBytes is a slice of bytes whose length and capacity have 32 bits: 16 bytes in each item
// instead of 24. Contents are far shorter (see the limits of updates).
type shortBytes struct {
	first            *byte
	length, capacity uint32
}

func shortBytesOf(text []byte) shortBytes {
	return shortBytes{unsafe.SliceData(text), uint32(len(text)), uint32(cap(text))}
}

func (s shortBytes) bytes() []byte { return unsafe.Slice(s.first, s.capacity)[:s.length] }

func (s shortBytes) len() int { return int(s.length) }
