package buildworker

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/atelierhq/atelier/ports/build"
)

// Errors of a call to a worker that ended without an outcome.
var (
	// errIdle reports that the worker ended before it had begun.
	errIdle = errors.New("the build worker ended before it began")
	// errDied reports that the worker ended during the call.
	errDied = errors.New("the build worker ended in the middle of its work")
)

// grace is how long a worker may take to end a cancelled call before it is killed.
const grace = 250 * time.Millisecond

// exchange is one call to one worker, from the service's side.
type exchange struct {
	process *process
	serving *requestEnv
	shared  *contents
	// begun means that the worker has asked a question.
	begun bool
}

// task is a call with its data.
type task struct {
	call    call
	content []byte
	files   fs.FS
	// longest is the longest duration of the call.
	longest time.Duration
}

// carry makes the call. Besides errors of the connection it returns errIdle and errDied.
// After an error the process cannot be used again. When ctx ends, the call ends soon,
// with or without an outcome.
func (e *exchange) carry(ctx context.Context, t task) (outcome, error) {
	late := time.AfterFunc(t.longest, e.process.Kill)
	defer late.Stop()
	answered, cancelled := make(chan struct{}), make(chan struct{})
	unwatched := context.AfterFunc(ctx, func() {
		defer close(cancelled)
		e.process.loose = true
		unresponsive := time.AfterFunc(grace, e.process.Kill)
		defer unresponsive.Stop()
		_ = e.process.link.send(frameCancel)
		<-answered
	})
	out, err := e.converse(t)
	close(answered)
	if !unwatched() {
		<-cancelled
	}
	return out, err
}

// converse sends the call and answers questions until the outcome arrives.
func (e *exchange) converse(t task) (outcome, error) {
	rest := [][]byte{t.content}
	switch t.call.Kind {
	case callBuild:
		rest = e.serving.ahead()
	case callVite:
		rest = nothingAhead
	}
	if err := e.process.link.sendHead(frameCall, t.call, rest...); err != nil {
		return outcome{}, e.broken(err)
	}
	for {
		kind, body, err := e.process.link.receive(maxHeadBytes)
		if err != nil {
			return outcome{}, e.broken(err)
		}
		switch kind {
		case askStat, askList, askRead:
			e.begun = true
			if err := e.process.link.send(frameReply, e.serving.answer(kind, string(body))...); err != nil {
				return outcome{}, e.broken(err)
			}
		case frameOutcome:
			out, err := e.outcome(body)
			return out, e.broken(err)
		default:
			return outcome{}, errProtocol
		}
	}
}

// nothingAhead is what a reading of a configuration is told in advance: it asks for two or three
// files.
var nothingAhead = [][]byte{{0}}

// broken distinguishes the end of the worker from other failures. If the worker ended
// before it had read the whole call, the connection shows an error; if it ended later,
// end of file.
func (e *exchange) broken(err error) error {
	switch {
	case err == nil || errors.Is(err, errProtocol):
		return err
	case e.begun || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: %w", errDied, err)
	}
	return fmt.Errorf("%w: %w", errIdle, err)
}

// outcome receives the outcome of a call, with the contents of its files.
func (e *exchange) outcome(body []byte) (outcome, error) {
	var out outcome
	text, err := readHead(body, &out)
	if err != nil {
		return outcome{}, err
	}
	files := out.Result.Files
	prints, err := readFingerprints(text, len(files))
	if err != nil || len(files) == 0 {
		return out, err
	}
	wanted, size := []byte(nil), int64(0)
	var missing []int
	for i := range files {
		if files[i].Content = e.shared.find(prints[i]); files[i].Content == nil {
			missing, size = append(missing, i), size+prints[i].size
			wanted = binary.BigEndian.AppendUint32(wanted, uint32(i))
		}
	}
	if err := e.process.link.send(frameWanted, wanted); err != nil {
		return outcome{}, err
	}
	return out, e.take(files, prints, missing, size)
}

// take receives the contents of the missing files, size bytes in all. It verifies the
// fingerprints of contents that will be shared.
func (e *exchange) take(files []build.File, prints []fingerprint, missing []int, size int64) error {
	kind, sent, err := e.process.link.next()
	if err != nil {
		return err
	}
	if kind != frameContents || sent != size {
		return errProtocol
	}
	for _, i := range missing {
		content, err := e.process.link.body(prints[i].size)
		if err != nil {
			return err
		}
		if prints[i].size >= minShared && sha256.Sum256(content) != prints[i].sum {
			return errProtocol
		}
		files[i].Content = e.shared.share(content, prints[i])
	}
	return nil
}
