package remote

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// maxEventBytes bounds one event of a stream.
const maxEventBytes = 32 << 20

// Event is one event of a stream: its JSON as the service sent it, and what tells it apart.
type Event struct {
	Type string `json:"type"`
	// Seq is its number in the chat, 0 in other streams.
	Seq  int64           `json:"seq"`
	JSON json.RawMessage `json:"-"`
}

// Stream sends a request whose answer is server-sent events, and calls emit for each. It
// returns nil at the end of the stream, emit's error, a *Failure if the service refused, and one
// with CodeUnreachable if the connection broke.
func (c *Client) Stream(ctx context.Context, method, path string, body any, emit func(Event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	asked, err := asJSON(method, path, body)
	if err != nil {
		return err
	}
	response, err := c.open(ctx, asked)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusNoContent {
		return nil
	}
	err = readEvents(response.Body, emit)
	if errors.As(err, new(*brokenError)) {
		return c.unreachable(ctx, err)
	}
	return err
}

// brokenError is the end of a connection in the middle of a stream.
type brokenError struct{ cause error }

// Error implements error.
func (e *brokenError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *brokenError) Unwrap() error { return e.cause }

// readEvents reads a stream of server-sent events whose data are JSON.
func readEvents(from io.Reader, emit func(Event) error) error {
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 64<<10), maxEventBytes)
	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if text, is := bytes.CutPrefix(line, []byte("data:")); is {
			data = append(append(data, bytes.TrimPrefix(text, []byte(" "))...), '\n')
			continue
		}
		if len(line) > 0 || len(data) == 0 {
			continue // an id, a comment, or the end of one
		}
		event := Event{JSON: bytes.TrimSpace(bytes.Clone(data))}
		data = data[:0]
		if err := json.Unmarshal(event.JSON, &event); err != nil {
			return &brokenError{errors.New("it sent an event that is no JSON")}
		}
		if err := emit(event); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return &brokenError{err}
	}
	return nil
}
