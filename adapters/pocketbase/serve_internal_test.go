package pocketbase

import (
	"context"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowDeadline is an answer whose deadline takes a moment to set.
type slowDeadline struct {
	*httptest.ResponseRecorder
	began chan struct{}
	set   atomic.Bool
}

func (s *slowDeadline) SetWriteDeadline(time.Time) error {
	close(s.began)
	time.Sleep(time.Second)
	s.set.Store(true)
	return nil
}

func TestAnAnswerThatIsOverIsNotTouched(t *testing.T) {
	synctest.Test(t, answersThatAreOver)
}

func answersThatAreOver(t *testing.T) {
	answer := &slowDeadline{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	stop := limitLastWrite(ctx, answer)
	cancel()
	<-answer.began
	stop()
	if !answer.set.Load() {
		t.Error("got the handler's end while the deadline was being set, want it waited for")
	}
	untouched := &slowDeadline{ResponseRecorder: httptest.NewRecorder(), began: make(chan struct{})}
	ctx, cancel = context.WithCancel(t.Context())
	limitLastWrite(ctx, untouched)()
	cancel()
	synctest.Wait()
	select {
	case <-untouched.began:
		t.Error("got a deadline after the handler's end, want none")
	default:
	}
}
