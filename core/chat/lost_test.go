package chat_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/storage"
)

var errDiskFull = core.Wrap(core.CodeUnavailable, errors.New("no space left on device"), "the database is not available")

// fullDisk is a store that can be read, and takes changes only while full is false.
type fullDisk struct {
	storage.Store
	full *atomic.Bool
}

func (s fullDisk) Tables() storage.Tables { return s.guarded(s.Store.Tables()) }

func (s fullDisk) guarded(tables storage.Tables) storage.Tables {
	tables.Events, tables.Runs = fullEvents{tables.Events, s.full}, fullRuns{tables.Runs, s.full}
	return tables
}

func (s fullDisk) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error { return do(ctx, s.guarded(tables)) })
}

type fullEvents struct {
	storage.Events
	full *atomic.Bool
}

func (e fullEvents) Append(ctx context.Context, chat core.ID, at core.Time, payloads []core.Payload) ([]core.Event, error) {
	if e.full.Load() {
		return nil, errDiskFull
	}
	return e.Events.Append(ctx, chat, at, payloads)
}

// failingOnce is a store whose next change of the log fails when armed is true, which it ends.
type failingOnce struct {
	storage.Store
	armed *atomic.Bool
}

func (s failingOnce) Tables() storage.Tables { return s.guarded(s.Store.Tables()) }

func (s failingOnce) guarded(tables storage.Tables) storage.Tables {
	tables.Events = failingEvents{tables.Events, s.armed}
	return tables
}

func (s failingOnce) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error { return do(ctx, s.guarded(tables)) })
}

type failingEvents struct {
	storage.Events
	armed *atomic.Bool
}

func (e failingEvents) Append(ctx context.Context, chat core.ID, at core.Time, payloads []core.Payload) ([]core.Event, error) {
	if e.armed.CompareAndSwap(true, false) {
		return nil, core.Wrap(core.CodeUnavailable, context.DeadlineExceeded, "the database is not available")
	}
	return e.Events.Append(ctx, chat, at, payloads)
}

// TestAStatementThatFailedCostsNobodyTheRun fails a change of the log once, in the middle of an answer.
func TestAStatementThatFailedCostsNobodyTheRun(t *testing.T) {
	for name, detach := range map[string]bool{"nobody waits for the run": true, "somebody waits for the run": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, armed := newRoom(t), &atomic.Bool{}
				r.front = failingOnce{r.store, armed}
				model := haltingModel{r.model, make(chan struct{})}
				r.answers = model
				r.service = r.open()
				must(t, r.service.Start(t.Context()))
				recorder, done := newRecorder(), make(chan error, 1)
				go func() {
					message := chat.Message{ChatID: r.chat.ID, Text: "go", Detach: detach}
					done <- r.service.Send(t.Context(), r.member, r.project.ID, message, recorder.emit)
				}()
				recorder.until(t, core.EventMessageDelta)
				armed.Store(true)
				close(model.goOn)
				must(t, <-done)
				log := r.log()
				last := log[len(log)-1].Payload
				if failed, is := last.(core.SessionError); !detach && (!is || failed.Error != core.CodeInterrupted || !strings.Contains(failed.Message, "could not read or save")) {
					t.Errorf("got %+v at the end, want it said what happened", last)
				}
				if ended, is := last.(core.TaskComplete); detach && (!is || ended.Reason != core.ReasonDone || !toldToGoOn(log)) {
					t.Errorf("got %s, want the run told to go on, and done", types(log))
				}
			})
		})
	}
}

// toldToGoOn reports whether a log says that a run goes on after a fault of the service.
func toldToGoOn(log []core.Event) bool {
	return slices.ContainsFunc(log, func(e core.Event) bool {
		info, is := e.Payload.(core.UsageInfo)
		return is && info.Retry != nil && info.Retry.Cause == core.FailureService
	})
}

type fullRuns struct {
	storage.Runs
	full *atomic.Bool
}

func (r fullRuns) Update(ctx context.Context, id core.ID, change func(*core.Run) error) (core.Run, error) {
	if r.full.Load() {
		return core.Run{}, errDiskFull
	}
	return r.Runs.Update(ctx, id, change)
}

// haltingModel is a model that pauses between its two outputs until it is released.
type haltingModel struct {
	*memory.Model
	goOn chan struct{}
}

func (h haltingModel) Generate(_ context.Context, _ ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	if err := emit(ai.Chunk{Text: "half"}); err != nil {
		return core.Usage{}, err
	}
	<-h.goOn
	return core.Usage{}, emit(ai.Chunk{Text: " of it"})
}

// TestAStreamEndsWhoseRunCannotBeStored fills the disk in the middle of an answer.
func TestAStreamEndsWhoseRunCannotBeStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, full := newRoom(t), &atomic.Bool{}
		var log bytes.Buffer
		r.front, r.to = fullDisk{r.store, full}, slog.New(slog.NewTextHandler(&log, nil))
		model := haltingModel{r.model, make(chan struct{})}
		r.answers = model
		r.service = r.open()
		must(t, r.service.Start(t.Context()))
		recorder, done := newRecorder(), make(chan error, 1)
		go func() {
			done <- r.service.Send(t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go"}, recorder.emit)
		}()
		recorder.until(t, core.EventMessageDelta)
		full.Store(true)
		close(model.goOn)
		begun := time.Now()
		must(t, <-done)
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("got the end after %s, want it within 10 s", took)
		}
		last := recorder.events[len(recorder.events)-1]
		if failed, is := last.Payload.(core.SessionError); !is || failed.Error != core.CodeInternal || last.Seq != 0 || !strings.Contains(failed.Message, "cannot be saved") {
			t.Errorf("got %+v, want an error without a seq that says what cannot be done", last)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if lines := strings.Count(log.String(), "\n"); lines > 60 {
			t.Errorf("got %d log lines in ten minutes, want some a minute:\n%.1000s", lines, &log)
		}
		full.Store(false)
		time.Sleep(time.Minute)
		if got := r.log(); !got[len(got)-1].Ends() || got[len(got)-1].Seq == 0 {
			t.Errorf("got %s once there is room, want the run ended in the log", types(got))
		}
	})
}
