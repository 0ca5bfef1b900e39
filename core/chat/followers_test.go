package chat_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

// interruptedStore is a store on which something happens right after a query found a run
// active, before the query returns.
type interruptedStore struct {
	storage.Store
	then func()
}

func (s interruptedStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.Runs = interruptedRuns{tables.Runs, s.then}
	return tables
}

type interruptedRuns struct {
	storage.Runs
	then func()
}

func (r interruptedRuns) Busy(ctx context.Context, chat core.ID) (core.Run, error) {
	run, err := r.Runs.Busy(ctx, chat)
	if err == nil {
		r.then()
	}
	return run, err
}

// TestAStreamHasTheLastEventOfARunThatAStopEndsWhileItReads covers a run that ends right
// after a follower has read the log and found it active.
func TestAStreamHasTheLastEventOfARunThatAStopEndsWhileItReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		stop := sync.OnceFunc(func() {
			// Close waits for this very follower once everything else is over.
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if err := r.service.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the service to wait for its follower", err)
			}
		})
		r.front = interruptedStore{r.store, stop}
		r.service = r.open()
		r.model.Hang(ai.Chunk{Text: "half"})
		recorder, err := r.send("go")
		must(t, err)
		got, logged := recorder.events, r.log()
		if last, failed := got[len(got)-1].Payload.(core.SessionError); !failed || last.Error != core.CodeInterrupted {
			t.Errorf("got %s, want the stream to end with the interruption", types(got))
		}
		if types(got) != types(logged) {
			t.Errorf("got %s, want all of the log: %s", types(got), types(logged))
		}
	})
}

// TestAStopIsOverWhenStreamsHaveTheLastEvent covers a caller that ends the requests as
// soon as the service has closed.
func TestAStopIsOverWhenStreamsHaveTheLastEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		r.model.Hang(ai.Chunk{Text: "half"})
		ctx, endRequest := context.WithCancel(t.Context())
		recorder, done := newRecorder(), make(chan error, 1)
		var received atomic.Bool
		go func() {
			done <- r.service.Send(ctx, r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go"}, func(event core.Event) error {
				if event.Ends() {
					time.Sleep(time.Second) // a client that reads slowly
					received.Store(true)
				}
				return recorder.emit(event)
			})
		}()
		recorder.until(t, core.EventMessageDelta)
		must(t, r.service.Close(t.Context()))
		if !received.Load() {
			t.Error("got the service closed before the stream had the last event, want it after")
		}
		endRequest()
		must(t, <-done)
	})
}
