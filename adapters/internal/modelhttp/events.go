package modelhttp

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxEventBytes bounds a line, and an event of several lines. The longest that a vendor
// sends is a tool call with a whole file in its arguments.
const maxEventBytes = 4 << 20

// Event is one event of a stream. Name is empty if the stream gives none.
type Event struct {
	Name string
	Data []byte
}

// events calls yield for every event of the answer and detects its form: server-sent
// events, one JSON value in each line, or one JSON document, from a server that does not
// stream or reports an error. Data is valid until yield returns.
func (x *exchange) events(lines bool, yield func(Event) error) error {
	first, err := firstByte(x.reader)
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return err
	case first == '<':
		return errWebPage
	case lines:
		return eachLine(x.reader, func(line []byte) error {
			if len(bytes.TrimSpace(line)) == 0 {
				return nil
			}
			return yield(Event{Data: line})
		})
	case first == '{' || first == '[':
		data, err := x.document()
		if err != nil {
			return err
		}
		return yield(Event{Data: data})
	}
	return serverSentEvents(x.reader, yield)
}

var byteOrderMark = []byte("\ufeff")

// firstByte returns the first byte that is neither white space nor part of a byte order
// mark, and drops those before it.
func firstByte(r *bufio.Reader) (byte, error) {
	if mark, err := r.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
		_, _ = r.Discard(len(byteOrderMark))
	}
	for {
		b, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		if b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, r.UnreadByte()
		}
	}
}

// eachLine calls yield with every line, without its end. A line is valid until yield
// returns.
func eachLine(r *bufio.Reader, yield func([]byte) error) error {
	var long []byte
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) || len(long) > 0 {
			if len(long)+len(line) > maxEventBytes {
				return errTooLong
			}
			long = append(long, line...)
			line = long
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) > 0 {
			if err := yield(bytes.TrimRight(line, "\r\n")); err != nil {
				return err
			}
		}
		if err != nil {
			return nil
		}
		long = long[:0]
	}
}

// serverSentEvents parses the format of the HTML standard, section 9.2.6, and its common
// variants: an event that the end of the stream ends, a field named error (llama.cpp),
// and bare JSON between events.
func serverSentEvents(r *bufio.Reader, yield func(Event) error) error {
	var pending Event
	dispatch := func() error {
		event := pending
		pending = Event{Data: pending.Data[:0]}
		if len(event.Data) == 0 {
			return nil
		}
		event.Data = bytes.TrimSuffix(event.Data, []byte("\n"))
		return yield(event)
	}
	err := eachLine(r, func(line []byte) error {
		if len(line) == 0 {
			return dispatch()
		}
		if line[0] == '{' {
			return yield(Event{Data: line})
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "error":
			return yield(Event{Name: "error", Data: value})
		case "event":
			pending.Name = string(value)
		case "data":
			if len(pending.Data)+len(value) >= maxEventBytes {
				return errTooLong
			}
			pending.Data = append(append(pending.Data, value...), '\n')
		}
		return nil
	})
	if err != nil {
		return err
	}
	return dispatch()
}
