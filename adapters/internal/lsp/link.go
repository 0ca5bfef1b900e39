package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// queued is how many messages may wait for the process to read them.
const queued = 64

// link carries messages to and from a process.
type link struct {
	out  chan []byte
	done chan struct{}
	end  func()
	// ended closes done once.
	ended sync.Once

	mu      sync.Mutex
	frames  frames
	last    int64
	waiting map[string]chan message
}

func newLink(most int, end func()) *link {
	return &link{out: make(chan []byte, queued), done: make(chan struct{}), end: end, frames: frames{most: most}, waiting: map[string]chan message{}}
}

// write sends what waits until the process ends.
func (l *link) write(in io.WriteCloser) {
	defer in.Close()
	for {
		select {
		case <-l.done:
			return
		case next := <-l.out:
			if _, err := in.Write(next); err != nil {
				l.end()
				return
			}
		}
	}
}

// over tells all who wait that the process has ended.
func (l *link) over() { l.ended.Do(func() { close(l.done) }) }

// read takes what the process said. An error means that it broke the protocol.
func (l *link) read(part []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.frames.add(part, l.takeLocked)
}

func (l *link) takeLocked(body []byte) error {
	var got message
	if err := json.Unmarshal(body, &got); err != nil {
		return errors.Join(errProtocol, err)
	}
	switch {
	case got.Method != "" && len(got.ID) > 0:
		return l.post(message{ID: got.ID, Result: json.RawMessage("null")})
	case got.Method != "":
		return nil
	}
	if answer := l.waiting[string(got.ID)]; answer != nil {
		delete(l.waiting, string(got.ID))
		answer <- got
	}
	return nil
}

// post queues a message. A process that does not read is broken.
func (l *link) post(m message) error {
	framed, err := frame(m)
	if err != nil {
		return err
	}
	select {
	case l.out <- framed:
		return nil
	case <-l.done:
		return errOver()
	default:
		l.end()
		return errProtocol
	}
}

func errOver() error {
	return core.Errorf(core.CodeUnavailable, "the language server has ended: try again")
}

// call asks and waits for the answer, at most for limit; then the process is ended. The end of
// ctx asks the process to give up, and then call still waits.
func (l *link) call(ctx context.Context, limit time.Duration, method string, params, result any) error {
	id, answer := l.await()
	if err := l.post(message{ID: id, Method: method, Params: params}); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the language server has ended: try again")
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	canceled := ctx.Done()
	for {
		select {
		case got := <-answer:
			return unpack(got, result)
		case <-canceled:
			canceled = nil
			_ = l.post(message{Method: "$/cancelRequest", Params: map[string]any{"id": id}})
		case <-l.done:
			return errOver()
		case <-timer.C:
			l.end()
			return core.Errorf(core.CodeUnavailable, "the language server took too long: a recursive type may be the reason")
		}
	}
}

// await returns a new id, and the channel of its answer.
func (l *link) await() (json.RawMessage, chan message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	id := strconv.FormatInt(l.last, 10)
	answer := make(chan message, 1)
	l.waiting[id] = answer
	return json.RawMessage(id), answer
}

// unpack decodes the result of an answer. An error of the process's own is no answer to the
// question and does not end it.
func unpack(got message, result any) error {
	if got.Error != nil {
		return core.Wrap(core.CodeUnavailable, got.Error, "the language server could not answer")
	}
	if len(got.Result) == 0 || string(got.Result) == "null" {
		return nil
	}
	if err := json.Unmarshal(got.Result, result); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the language server could not answer")
	}
	return nil
}
