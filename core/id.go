package core

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// ID identifies a record: a UUID of version 7 in its canonical, lower-case text
// form. The zero value identifies nothing.
type ID string

// NewID returns a fresh ID. IDs made later sort later, down to a quarter of a
// microsecond (RFC 9562, section 6.2, method 3).
func NewID() ID {
	now := time.Now()
	var b [16]byte
	// crypto/rand.Read never fails: the runtime aborts instead.
	_, _ = rand.Read(b[8:])
	ms := uint64(now.UnixMilli())
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	fraction := uint16(now.Nanosecond() % 1_000_000 * 4096 / 1_000_000)
	b[6] = 0x70 | byte(fraction>>8)
	b[7] = byte(fraction)
	b[8] = 0x80 | b[8]&0x3f
	var text [36]byte
	at := 0
	for i, group := range [][]byte{b[0:4], b[4:6], b[6:8], b[8:10], b[10:16]} {
		if i > 0 {
			text[at] = '-'
			at++
		}
		at += hex.Encode(text[at:], group)
	}
	return ID(text[:])
}

// ParseID accepts the canonical text form of a UUID. Anything else names no
// record, so the error has code CodeNotFound.
func ParseID(text string) (ID, error) {
	if len(text) != 36 {
		return "", NotFound("record")
	}
	for i := range len(text) {
		c := text[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return "", NotFound("record")
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return "", NotFound("record")
			}
		}
	}
	return ID(text), nil
}
