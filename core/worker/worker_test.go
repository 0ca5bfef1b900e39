package worker

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core/ctxsync"
)

// queue is work in memory: how long each piece takes. It records when each began.
type queue struct {
	mu    sync.Mutex
	due   []time.Duration
	begun []time.Duration
	over  int
	start time.Time
	wake  ctxsync.Signal
}

func (q *queue) add(work ...time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.due = append(q.due, work...)
}

func (q *queue) claim(context.Context) func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.due) == 0 {
		return nil
	}
	takes := q.due[0]
	q.due, q.begun = q.due[1:], append(q.begun, time.Since(q.start))
	return func() {
		time.Sleep(takes)
		q.mu.Lock()
		defer q.mu.Unlock()
		q.over++
	}
}

func (q *queue) expectBegun(t *testing.T, want ...time.Duration) {
	t.Helper()
	synctest.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	if !slices.Equal(q.begun, want) {
		t.Errorf("work began at %v, want %v", q.begun, want)
	}
}

const poll = 30 * time.Second

// play runs a test beside a loop over a queue, which holds work when the loop begins.
func play(t *testing.T, loop Loop, work []time.Duration, test func(t *testing.T, q *queue)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		q := &queue{start: time.Now(), due: work, wake: ctxsync.NewSignal()}
		loop.Poll, loop.Claim, loop.Wake = poll, q.claim, q.wake
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			loop.Run(ctx)
		}()
		test(t, q)
		cancel()
		<-done
		if q.over != len(q.begun) {
			t.Errorf("the loop returned when %d of %d pieces of work were over", q.over, len(q.begun))
		}
	})
}

func TestWorkThatIsDueBeginsAtOnce(t *testing.T) {
	play(t, Loop{}, []time.Duration{time.Hour, 0, time.Hour}, func(t *testing.T, q *queue) {
		q.expectBegun(t, 0, 0, 0)
	})
}

func TestWorkIsFoundAtTheNextPoll(t *testing.T) {
	play(t, Loop{}, nil, func(t *testing.T, q *queue) {
		time.Sleep(poll / 3)
		q.add(0)
		time.Sleep(poll)
		q.expectBegun(t, poll)
	})
}

func TestASignalWakesTheLoop(t *testing.T) {
	play(t, Loop{}, nil, func(t *testing.T, q *queue) {
		time.Sleep(time.Second)
		q.add(0)
		q.wake.Send()
		q.expectBegun(t, time.Second)
	})
}

func TestWorkWaitsForASlot(t *testing.T) {
	play(t, Loop{Concurrency: 2}, []time.Duration{time.Second, 3 * time.Second, time.Second, 0}, func(t *testing.T, q *queue) {
		time.Sleep(5 * time.Second)
		q.expectBegun(t, 0, 0, time.Second, 2*time.Second)
	})
}

func TestAtPollIsCalledBeforeTheClaims(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{start: time.Now()}
		ctx, cancel := context.WithTimeout(t.Context(), 2*poll+1)
		defer cancel()
		Loop{Poll: poll, Claim: q.claim, AtPoll: func(context.Context) { q.add(0) }}.Run(ctx)
		q.expectBegun(t, poll, 2*poll)
	})
}

func TestNothingBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &queue{start: time.Now(), due: []time.Duration{2 * poll}}
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
			q.add(0)
		}()
		Loop{Poll: poll, Claim: q.claim}.Run(ctx)
		q.expectBegun(t, 0)
		if took := time.Since(q.start); took != 2*poll {
			t.Errorf("the loop returned after %s, want it to wait for work of %s", took, 2*poll)
		}
	})
}
