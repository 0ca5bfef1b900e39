package chromium

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// eventReader reads a stream of events as the HTML standard says.
type eventReader struct {
	lines *bufio.Reader
	last  string
	retry time.Duration
}

var errLongEvent = errors.New("an event is too long")

// next returns the next event that has data.
func (r *eventReader) next() (streamStep, error) {
	kind, data, some, size := "message", strings.Builder{}, false, 0
	for {
		line, err := r.line()
		if err != nil {
			return streamStep{}, err
		}
		if size += len(line); size > maxEvent {
			return streamStep{}, errLongEvent
		}
		if line == "" {
			if some {
				return streamStep{Type: kind, Data: strings.TrimSuffix(data.String(), "\n"), ID: r.last}, nil
			}
			kind, size = "message", 0
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data.WriteString(value + "\n")
			some = true
		case "event":
			kind = value
		case "id":
			if !strings.Contains(value, "\x00") {
				r.last = value
			}
		case "retry":
			if ms, err := strconv.Atoi(value); err == nil && ms >= 0 {
				r.retry = max(time.Duration(min(ms, 60_000))*time.Millisecond, 100*time.Millisecond)
			}
		}
	}
}

// line returns a line without its end.
func (r *eventReader) line() (string, error) {
	var line []byte
	for {
		part, err := r.lines.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxEvent:
			return "", errLongEvent
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return "", err
		}
		return strings.ToValidUTF8(strings.TrimRight(string(line), "\r\n"), "\ufffd"), nil
	}
}

// pipedAnswer is an answer that is read while it is written.
type pipedAnswer struct {
	header http.Header
	// sent is the header when the answer began.
	sent    http.Header
	status  int
	decided chan struct{}
	decide  sync.Once
	body    *io.PipeReader
	write   *io.PipeWriter
}

func newPipedAnswer() *pipedAnswer {
	body, write := io.Pipe()
	return &pipedAnswer{header: http.Header{}, decided: make(chan struct{}), body: body, write: write}
}

// Header implements http.ResponseWriter.
func (a *pipedAnswer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *pipedAnswer) WriteHeader(status int) {
	if status >= http.StatusOK {
		a.decide.Do(func() {
			a.status, a.sent = status, a.header.Clone()
			close(a.decided)
		})
	}
}

// Write implements http.ResponseWriter. It returns when the content was read.
func (a *pipedAnswer) Write(content []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.write.Write(content)
}

// Flush implements http.Flusher.
func (a *pipedAnswer) Flush() { a.WriteHeader(http.StatusOK) }

// finish ends the answer of a handler that returns.
func (a *pipedAnswer) finish() {
	a.WriteHeader(http.StatusOK)
	_ = a.write.Close()
}

// abandon ends the handler's writing.
func (a *pipedAnswer) abandon() { _ = a.body.Close() }
