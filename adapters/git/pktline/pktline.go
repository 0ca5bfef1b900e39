// Package pktline reads and writes the lines of git's smart protocol, in which all its
// messages are framed, and the side band that multiplexes a pack with messages.
package pktline

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/atelierhq/atelier/core"
)

// A line begins with its length in four hexadecimal digits, which count themselves.
// "0000" is a flush.
const (
	lengthBytes  = 4
	maxLineBytes = 65520
)

// Channel is a channel of the side band. A line of a side band begins with its channel.
type Channel byte

// The channels: the pack, progress for people, and the message of a fatal error.
const (
	Data     Channel = 1
	Progress Channel = 2
	Fatal    Channel = 3
)

// How much of a channel fits into one line: of the capability side-band-64k, and of the
// older side-band.
const (
	MaxBandBytes      = maxLineBytes - lengthBytes - 1
	MaxSmallBandBytes = 1000 - lengthBytes - 1
)

// flush is returned by ReadLine and ReadRaw for a flush.
var flush []byte

// BadRequest returns a core.CodeInvalidRequest for a request that violates the protocol.
func BadRequest(format string, args ...any) error {
	return core.Errorf(core.CodeInvalidRequest, "the request violates git's protocol: "+format, args...)
}

// ReadLine is ReadRaw for lines of text: it strips a trailing newline.
func ReadLine(from io.Reader) ([]byte, error) {
	line, err := ReadRaw(from)
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	return line, err
}

// ReadRaw reads one line and no byte more. It returns nil for a flush, and io.EOF at the
// end of the input.
func ReadRaw(from io.Reader) ([]byte, error) {
	var head [lengthBytes]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, BadRequest("it ends too early")
		}
		return nil, err
	}
	length, err := strconv.ParseUint(string(head[:]), 16, 16)
	switch {
	case err != nil || length > 0 && length < lengthBytes || length > maxLineBytes:
		return nil, BadRequest("a line has the length %q", head[:])
	case length == 0:
		return flush, nil
	}
	line := make([]byte, length-lengthBytes)
	if _, err := io.ReadFull(from, line); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, BadRequest("it ends too early")
		}
		return nil, err
	}
	return line, nil
}

// IsFlush distinguishes a flush from an empty line.
func IsFlush(line []byte) bool { return line == nil }

// WriteLine writes one line.
func WriteLine(to io.Writer, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	_, err := fmt.Fprintf(to, "%04x%s", lengthBytes+len(text), text)
	return err
}

// WriteFlush writes a flush.
func WriteFlush(to io.Writer) error {
	_, err := io.WriteString(to, "0000")
	return err
}

// BandWriter is an io.Writer of one channel of a side band.
type BandWriter struct {
	to      io.Writer
	channel Channel
	most    int
}

// NewBandWriter returns a writer of a channel, with at most most bytes in a line:
// MaxBandBytes or MaxSmallBandBytes.
func NewBandWriter(to io.Writer, channel Channel, most int) BandWriter {
	return BandWriter{to, channel, most}
}

// Write implements io.Writer.
func (w BandWriter) Write(data []byte) (int, error) {
	written := 0
	for len(data) > 0 {
		part := data[:min(len(data), w.most)]
		head := fmt.Appendf(nil, "%04x%c", lengthBytes+1+len(part), w.channel)
		if _, err := w.to.Write(append(head, part...)); err != nil {
			return written, err
		}
		written, data = written+len(part), data[len(part):]
	}
	return written, nil
}

// BandReader is an io.Reader of the data channel of a side band. It drops progress, and
// fails with the message of a fatal error.
type BandReader struct {
	from io.Reader
	rest []byte
}

// NewBandReader returns a reader of the data channel.
func NewBandReader(from io.Reader) *BandReader { return &BandReader{from: from} }

// Read implements io.Reader.
func (r *BandReader) Read(into []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := ReadRaw(r.from)
		if err != nil {
			return 0, err
		}
		if IsFlush(line) {
			return 0, io.EOF
		}
		if len(line) == 0 {
			continue
		}
		switch Channel(line[0]) {
		case Data:
			r.rest = line[1:]
		case Progress:
		default:
			return 0, core.Errorf(core.CodeValidationFailed, "the server reported an error: %.200q", line[1:])
		}
	}
	n := copy(into, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
