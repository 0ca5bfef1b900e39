package walship

import (
	"encoding/binary"
	"errors"
	"io"
)

// Sizes in a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat).
const (
	headerBytes      = 32
	frameHeaderBytes = 24
	// magicLittle and magicBig give the byte order of the checksums.
	magicLittle, magicBig = 0x377f0682, 0x377f0683
	maxPageBytes          = 1 << 16
)

// position is a checked position in a write-ahead log.
type position struct {
	salt     [8]byte
	pageSize int64
	order    binary.ByteOrder
	sum      [2]uint32
	// offset is where the next frame begins.
	offset int64
}

// commit is the end of a transaction in a log.
type commit struct {
	at position
	// pages is the size of the database after the transaction.
	pages uint32
}

// begin reads the header of a log. It returns io.EOF if there is none yet.
func begin(log io.ReaderAt) (position, error) {
	var header [headerBytes]byte
	if n, err := log.ReadAt(header[:], 0); n < len(header) {
		if errors.Is(err, io.EOF) {
			return position{}, io.EOF
		}
		return position{}, err
	}
	p := position{pageSize: int64(binary.BigEndian.Uint32(header[8:])), order: binary.ByteOrder(binary.LittleEndian), offset: headerBytes}
	switch binary.BigEndian.Uint32(header[:]) {
	case magicLittle:
	case magicBig:
		p.order = binary.BigEndian
	default:
		return position{}, io.EOF
	}
	copy(p.salt[:], header[16:24])
	p.add(header[:24])
	if p.sum != [2]uint32{binary.BigEndian.Uint32(header[24:]), binary.BigEndian.Uint32(header[28:])} || p.pageSize < 512 || p.pageSize > maxPageBytes {
		return position{}, io.EOF // it is being written
	}
	return p, nil
}

// add continues the checksum.
func (p *position) add(content []byte) {
	for i := 0; i+8 <= len(content); i += 8 {
		p.sum[0] += p.order.Uint32(content[i:]) + p.sum[1]
		p.sum[1] += p.order.Uint32(content[i+4:]) + p.sum[0]
	}
}

// lastCommit returns the end of the last complete transaction after a position, or that
// position without one. It calls page, unless nil, for each frame up to the end of the
// log, which may include an incomplete transaction.
func lastCommit(log io.ReaderAt, from position, page func(number uint32, content []byte) error) (commit, error) {
	last, at := commit{at: from}, from
	frame := make([]byte, frameHeaderBytes+from.pageSize)
	for {
		n, err := log.ReadAt(frame, at.offset)
		if n < len(frame) {
			if err == nil || errors.Is(err, io.EOF) {
				return last, nil
			}
			return last, err
		}
		if [8]byte(frame[8:16]) != at.salt {
			return last, nil
		}
		at.add(frame[:8])
		at.add(frame[frameHeaderBytes:])
		if at.sum != [2]uint32{binary.BigEndian.Uint32(frame[16:]), binary.BigEndian.Uint32(frame[20:])} {
			return last, nil
		}
		at.offset += int64(len(frame))
		if page != nil {
			if err := page(binary.BigEndian.Uint32(frame), frame[frameHeaderBytes:]); err != nil {
				return last, err
			}
		}
		if pages := binary.BigEndian.Uint32(frame[4:]); pages > 0 {
			last = commit{at, pages}
		}
	}
}
