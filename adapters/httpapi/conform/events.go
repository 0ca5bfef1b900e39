package conform

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// eventBody is a stream of server-sent events that validates each event against a schema
// as it is read.
type eventBody struct {
	io.ReadCloser
	schema *jsonschema.Schema
	fail   func(error)
	// line is the part of the current line that was read; id is the current frame's.
	line []byte
	id   string
}

// Read implements io.Reader.
func (b *eventBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		piece, after, ended := bytes.Cut(rest, []byte("\n"))
		b.line = append(b.line, piece...)
		rest = after
		if !ended {
			break
		}
		if err := b.take(b.line); err != nil {
			b.fail(err)
		}
		b.line = b.line[:0]
	}
	return n, err
}

// take checks one line.
func (b *eventBody) take(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(": "))
	switch {
	case len(line) == 0:
		b.id = ""
	case line[0] == ':':
		// A comment.
	case string(name) == "id":
		b.id = string(value)
	case string(name) == "data":
		return b.event(value)
	default:
		return fmt.Errorf("the stream has the line %.100q", line)
	}
	return nil
}

func (b *eventBody) event(data []byte) error {
	if err := validate(b.schema, data); err != nil {
		return fmt.Errorf("%w\nin the event %.500s", err, data)
	}
	var place struct{ Seq json.Number }
	if err := json.Unmarshal(data, &place); err != nil || place.Seq.String() != b.id {
		return fmt.Errorf("the frame has the id %q, the event the seq %q", b.id, place.Seq)
	}
	return nil
}
