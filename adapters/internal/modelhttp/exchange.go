package modelhttp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// errStalled ends an exchange in which nothing came for too long.
var errStalled = errors.New("nothing came for too long")

// errEndless ends an exchange that takes longer than its limit.
var errEndless = errors.New("it took too long")

// errTooLong ends an exchange whose answer exceeds maxAnswerBytes, or has a line, an
// event or a document that exceeds its bound.
var errTooLong = errors.New("longer than the limit")

// maxAnswerBytes bounds a whole answer on the wire. The longest answer of a model takes a
// few MiB, including the framing of its pieces. Longer answers consist of endless empty
// pieces.
const maxAnswerBytes = 64 << 20

// errWebPage reports that the answer is HTML.
var errWebPage = errors.New("the answer is a web page")

// exchange is one request with its answer. Silence ends it.
type exchange struct {
	// parent is the caller's context, ctx the request's own.
	parent context.Context
	ctx    context.Context
	cancel context.CancelCauseFunc
	// total ends the exchange when it has taken too long.
	total  *time.Timer
	limits Limits
	// patience is the limit in force.
	patience time.Duration
	timer    *time.Timer
	body     io.ReadCloser
	reader   *bufio.Reader
	// heard is how much of the body was read, in bytes.
	heard int
	// sent is the size of the request in bytes.
	sent int
}

func newExchange(parent context.Context, limits Limits) *exchange {
	x := &exchange{parent: parent, limits: limits, patience: limits.First}
	x.ctx, x.cancel = context.WithCancelCause(parent)
	x.timer = time.AfterFunc(limits.First, func() { x.cancel(errStalled) })
	x.total = time.AfterFunc(limits.Total, func() { x.cancel(errEndless) })
	return x
}

func (x *exchange) do(client *http.Client, request *http.Request) (*http.Response, error) {
	response, err := client.Do(request)
	x.timer.Stop()
	if err != nil {
		return nil, x.cause(err)
	}
	x.body = response.Body
	x.reader = bufio.NewReaderSize(x, readBytes)
	return response, nil
}

// readBytes is the size of an exchange's read buffer.
const readBytes = 16 << 10

// Read reads the body under the limit in force.
func (x *exchange) Read(p []byte) (int, error) {
	x.timer.Reset(x.patience)
	n, err := x.body.Read(p)
	x.timer.Stop()
	if x.heard += n; x.heard > maxAnswerBytes {
		return n, errTooLong
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = x.cause(err)
	}
	return n, err
}

// cause returns the stall if there was one.
func (x *exchange) cause(err error) error {
	if cause := context.Cause(x.ctx); cause != nil {
		return cause
	}
	return err
}

func (x *exchange) close() {
	x.timer.Stop()
	x.total.Stop()
	x.cancel(nil)
	if x.body != nil {
		_ = x.body.Close()
	}
}

// document reads the whole answer.
func (x *exchange) document() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(x.reader, maxDocumentBytes+1))
	if err == nil && len(data) > maxDocumentBytes {
		err = errTooLong
	}
	return data, err
}

// play passes every event to decode. After the answer's last event it ignores failures.
func (x *exchange) play(answer *Answer, call Call, decode func(*Answer, Event) error) error {
	err := x.events(call.Lines, func(event Event) error {
		if err := event.complaint(); err != nil {
			return err
		}
		err := decode(answer, event)
		if answer.finished {
			x.patience = min(x.patience, lastWordGrace)
		}
		return err
	})
	var sink sinkError
	if errors.As(err, &sink) || !answer.finished && err != nil {
		return err
	}
	return answer.end()
}
