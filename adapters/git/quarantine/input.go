package quarantine

import (
	"bufio"
	"context"
	"hash"
	"hash/crc32"

	"github.com/atelierhq/atelier/core"
)

// prefixWriter is an io.Writer that keeps the first bytes.
type prefixWriter struct {
	kept [20]byte
	n    int
}

// Write implements io.Writer.
func (h *prefixWriter) Write(data []byte) (int, error) {
	h.n += copy(h.kept[h.n:], data)
	return len(data), nil
}

func (h *prefixWriter) bytes() []byte { return h.kept[:h.n] }

// packInput reads a pack and copies what was read to a file. flate reads single bytes
// from it, so the bytes are collected and copied in pieces.
type packInput struct {
	ctx    context.Context
	from   *bufio.Reader
	to     *bufio.Writer
	sum    hash.Hash
	crc    uint32
	offset int64
	most   int64

	piece  [4096]byte
	filled int
	err    error
}

// ReadByte implements io.ByteReader.
func (p *packInput) ReadByte() (byte, error) {
	b, err := p.from.ReadByte()
	if err != nil {
		return 0, err
	}
	p.piece[p.filled] = b
	if p.filled++; p.filled == len(p.piece) {
		p.flush()
	}
	return b, p.err
}

// Read implements io.Reader.
func (p *packInput) Read(into []byte) (int, error) {
	p.flush()
	if p.err != nil {
		return 0, p.err
	}
	n, err := p.from.Read(into)
	if p.note(into[:n]); p.err != nil {
		return n, p.err
	}
	return n, err
}

// flush copies the bytes that were read one by one.
func (p *packInput) flush() {
	p.note(p.piece[:p.filled])
	p.filled = 0
}

func (p *packInput) note(data []byte) {
	if len(data) == 0 || p.err != nil {
		return
	}
	p.sum.Write(data)
	p.crc = crc32.Update(p.crc, crc32.IEEETable, data)
	p.offset += int64(len(data))
	_, p.err = p.to.Write(data)
	if p.err == nil {
		p.err = p.ctx.Err()
	}
	if p.err == nil && p.offset > p.most {
		p.err = core.Errorf(core.CodePayloadTooLarge, "the pack has more than %d bytes", p.most)
	}
}
