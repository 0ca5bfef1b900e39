package git

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/atelierhq/atelier/core"
)

// Lines of git's protocol begin with their length in four hexadecimal digits, which count
// themselves. "0000" is a flush.
const (
	pktHead = 4
	pktMost = 65520
)

// Channels of the side band. A line begins with its channel.
const (
	bandData     = 1
	bandProgress = 2
	bandError    = 3
)

// flushLine is returned by readLine for a flush.
var flushLine []byte

func misspoken(format string, args ...any) error {
	return core.Errorf(core.CodeInvalidRequest, "the request is not of git's protocol: "+format, args...)
}

// readLine is readBand for lines of text: it strips a trailing newline.
func readLine(from io.Reader) ([]byte, error) {
	line, err := readBand(from)
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
	}
	return line, err
}

// readBand reads one line and no byte more. It returns flushLine, nil for a flush and
// io.EOF at the end of the input.
func readBand(from io.Reader) ([]byte, error) {
	var head [pktHead]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, misspoken("it breaks off")
		}
		return nil, err
	}
	length, err := strconv.ParseUint(string(head[:]), 16, 16)
	switch {
	case err != nil || length > 0 && length < pktHead || length > pktMost:
		return nil, misspoken("a line has the length %q", head[:])
	case length == 0:
		return flushLine, nil
	}
	line := make([]byte, length-pktHead)
	if _, err := io.ReadFull(from, line); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return nil, misspoken("it breaks off")
		}
		return nil, err
	}
	return line, nil
}

// isFlush distinguishes a flush from an empty line.
func isFlush(line []byte) bool { return line == nil }

// writeLine writes one line.
func writeLine(to io.Writer, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	_, err := fmt.Fprintf(to, "%04x%s", pktHead+len(text), text)
	return err
}

func writeFlush(to io.Writer) error {
	_, err := io.WriteString(to, "0000")
	return err
}

// band writes to one channel of a side band.
type band struct {
	to      io.Writer
	channel byte
}

// Write implements io.Writer.
func (b band) Write(data []byte) (int, error) {
	const most = pktMost - pktHead - 1
	written := 0
	for len(data) > 0 {
		part := data[:min(len(data), most)]
		head := fmt.Appendf(nil, "%04x%c", pktHead+1+len(part), b.channel)
		if _, err := b.to.Write(append(head, part...)); err != nil {
			return written, err
		}
		written, data = written+len(part), data[len(part):]
	}
	return written, nil
}
