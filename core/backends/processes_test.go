package backends_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/locks"
)

// lateLocks are locks whose next caller waits before it asks.
type lateLocks struct {
	locks.Locker
	asked, proceed chan struct{}
}

// Lock implements locks.Locker.
func (l *lateLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	if l.asked != nil {
		close(l.asked)
		l.asked = nil
		<-l.proceed
	}
	return l.Locker.Lock(ctx, record)
}

// processes returns two of a service; the first waits before it takes its first lock.
func (h *house) processes() (late *backends.Service, holdUp *lateLocks, prompt *backends.Service) {
	shared := memory.NewLocks()
	holdUp = &lateLocks{shared, make(chan struct{}), make(chan struct{})}
	deps := backends.Deps{
		Store: h.store, Gate: h.gate, Files: h.pipeline, Engine: h.engine, Locks: holdUp, Audit: h.audit, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	late = backends.New(deps)
	deps.Locks = shared
	return late, holdUp, backends.New(deps)
}

// fields returns the names of the texts and numbers of the only collection.
func (h *house) fields(env core.DataEnv) []string {
	h.t.Helper()
	schema, err := h.engine.Schema(h.t.Context(), backend.Place{Project: h.project, Env: env})
	h.must(err)
	var names []string
	for _, field := range schema.Collections[0].Fields {
		if field.Type == "text" && field.Name != "id" || field.Type == "number" {
			names = append(names, field.Name)
		}
	}
	return names
}

// TestAnOlderSchemaFileTakesNothingBack has a process that has read the schema file, while another
// brings test data to a newer one.
func TestAnOlderSchemaFileTakesNothingBack(t *testing.T) {
	for name, work := range map[string]func(*house, *backends.Service) error{
		"sync": func(h *house, s *backends.Service) error { _, err := s.Sync(h.t.Context(), h.project); return err },
		"reset": func(h *house, s *backends.Service) error {
			return s.Reset(h.t.Context(), h.member, h.project, true)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			h.write(core.BackendSchemaPath, notes(textField))
			late, holdUp, prompt := h.processes()
			asked, done := holdUp.asked, make(chan error)
			go func() { done <- work(h, late) }()
			<-asked
			h.write(core.BackendSchemaPath, notes(textField, starsField))
			if wrong, err := prompt.Sync(t.Context(), h.project); err != nil || len(wrong) > 0 {
				t.Fatalf("got %v and %v, want the newer schema", wrong, err)
			}
			close(holdUp.proceed)
			h.must(<-done)
			if got := h.fields(core.DataTest); !slices.Equal(got, []string{"text", "stars"}) {
				t.Errorf("got the fields %v, want those of the newer file", got)
			}
		})
	}
}

// TestAPublishIsExaminedAgainAfterAnother has a process whose publish was weighed against live data
// that another publish changes.
func TestAPublishIsExaminedAgainAfterAnother(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, notes(textField))
	h.must(h.publish("", true))
	h.write(core.BackendSchemaPath, notes(textField, `{"name": "kind", "type": "text"}`))
	late, holdUp, prompt := h.processes()
	asked, done := holdUp.asked, make(chan error)
	go func() {
		deployment := core.Deployment{ID: core.NewID(), ProjectID: h.project, Slug: "shop", Status: core.DeploymentLive}
		change, err := late.Stage(t.Context(), backends.Release{Project: h.project, Deployment: deployment.ID, By: h.member})
		if err == nil {
			err = errors.Join(h.store.Tables().Deployments.Create(t.Context(), deployment), change.Settle(t.Context()))
		}
		done <- err
	}()
	<-asked
	h.write(core.BackendSchemaPath, notes(textField, starsField))
	h.Service = prompt
	h.must(h.publish("", true))
	h.add(core.DataLive, `{"text": "one", "stars": 3}`)
	close(holdUp.proceed)
	h.must(<-done)
	if got := h.fields(core.DataLive); !slices.Equal(got, []string{"text", "stars"}) {
		t.Errorf("got the fields %v, want those of the publish that came first", got)
	}
	if got := h.records(core.DataLive); len(got) != 1 {
		t.Errorf("got the records %v, want the one that was made between", got)
	}
}

// losableLocks are locks that are lost once lost is set.
type losableLocks struct {
	locks.Locker
	lost bool
}

// Lock implements locks.Locker.
func (l *losableLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	held, unlock, err := l.Locker.Lock(ctx, record)
	return locks.With(held, func() error {
		if l.lost {
			return core.Errorf(core.CodeUnavailable, "the lock was lost")
		}
		return nil
	}), unlock, err
}

// losable makes the service one whose locks may be lost.
func (h *house) losable() *losableLocks {
	losing := &losableLocks{Locker: memory.NewLocks()}
	h.Service = backends.New(backends.Deps{
		Store: h.store, Gate: h.gate, Files: h.pipeline, Engine: h.engine, Locks: losing, Audit: h.audit, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	return losing
}

// TestALostLockChangesNothing has a process that hung while it had the lock of test data.
func TestALostLockChangesNothing(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, notes(textField))
	h.add(core.DataTest, `{"text": "one"}`)
	kept, err := h.CreateSnapshot(t.Context(), h.member, backend.Place{Project: h.project, Env: core.DataTest})
	h.must(err)
	losing := h.losable()
	losing.lost = true
	h.write(core.BackendSchemaPath, notes(textField, starsField))
	_, err = h.Sync(t.Context(), h.project)
	h.wantCode(err, core.CodeUnavailable)
	h.wantCode(h.Reset(t.Context(), h.member, h.project, false), core.CodeUnavailable)
	h.wantCode(h.RestoreSnapshot(t.Context(), h.member, backend.Place{Project: h.project, Env: core.DataTest}, kept.ID), core.CodeUnavailable)
	if got := h.fields(core.DataTest); !slices.Equal(got, []string{"text"}) || len(h.records(core.DataTest)) != 1 {
		t.Errorf("got the fields %v, want the data as it was", got)
	}
	losing.lost = false
	if wrong, err := h.Sync(t.Context(), h.project); err != nil || len(wrong) > 0 || !slices.Equal(h.fields(core.DataTest), []string{"text", "stars"}) {
		t.Errorf("got %v and %v, want the newer schema", wrong, err)
	}
}

// TestAPublishFailsWithItsLock has a process that hung between the change of live data and the
// record of the deployment: another takes the change for one that a crash left.
func TestAPublishFailsWithItsLock(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, notes(textField))
	h.must(h.publish("", true))
	h.write(core.BackendSchemaPath, notes(textField, starsField))
	losing := h.losable()
	change, err := h.Stage(t.Context(), backends.Release{Project: h.project, Deployment: core.NewID(), By: h.member})
	h.must(err)
	h.must(change.Record(t.Context(), h.store.Tables()))
	losing.lost = true
	h.wantCode(change.Record(t.Context(), h.store.Tables()), core.CodeUnavailable)
	h.must(change.Settle(t.Context()))
	if got := h.fields(core.DataLive); !slices.Equal(got, []string{"text"}) {
		t.Errorf("got the fields %v, want those of the first publish", got)
	}
}
