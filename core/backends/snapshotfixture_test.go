package backends_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

// guestbook is a schema with one collection.
const guestbook = `{"collections": [{"name": "entries", "type": "base", "listRule": "", "fields": [{"name": "text", "type": "text"}]}]}`

// fixture is a house with a guest book, whose engine and clock a test controls.
type fixture struct {
	*house
	ctx        context.Context
	flaky      *flakyEngine
	deps       backends.Deps
	now        time.Time
	test, live backend.Place
}

// flakyEngine fails when a test says so.
type flakyEngine struct {
	*memorybackend.Engine
	// snapshot fails after a snapshot was made, forget before one is forgotten.
	snapshot, forget error
	// bytes, if not 0, is how large every place is.
	bytes int64
	// mu guards forgotten, the snapshots that Forget was called for: several workers call it at once.
	mu        sync.Mutex
	forgotten []core.ID
}

func (e *flakyEngine) Snapshot(ctx context.Context, place backend.Place, id core.ID) (int64, error) {
	size, err := e.Engine.Snapshot(ctx, place, id)
	if err == nil && e.snapshot != nil {
		return 0, e.snapshot
	}
	return size, err
}

func (e *flakyEngine) Stats(ctx context.Context, place backend.Place) (backend.Stats, error) {
	stats, err := e.Engine.Stats(ctx, place)
	if e.bytes != 0 {
		stats.FileBytes = e.bytes
	}
	return stats, err
}

func (e *flakyEngine) Forget(ctx context.Context, place backend.Place, id core.ID) error {
	if e.forget != nil {
		return e.forget
	}
	e.mu.Lock()
	e.forgotten = append(e.forgotten, id)
	e.mu.Unlock()
	return e.Engine.Forget(ctx, place, id)
}

func newFixture(t *testing.T) *fixture {
	h := newHouse(t)
	f := &fixture{house: h, ctx: t.Context(), flaky: &flakyEngine{Engine: h.engine}, now: time.Now()}
	f.deps = backends.Deps{
		Store: h.store, Gate: access.NewGate(h.store), Files: h.pipeline, Engine: f.flaky, Audit: h.audit,
		Now: func() time.Time { return f.now }, Log: slog.New(slog.DiscardHandler),
	}
	f.Service = backends.New(f.deps)
	f.write(core.BackendSchemaPath, guestbook)
	f.test, f.live = backend.Place{Project: f.project, Env: core.DataTest}, backend.Place{Project: f.project, Env: core.DataLive}
	return f
}

// release stages a release and settles it: as one that was recorded, or one that failed.
func (f *fixture) release(recorded bool) {
	f.t.Helper()
	f.must(f.publish("", recorded))
}

func (f *fixture) record(release backends.Release) {
	f.t.Helper()
	f.must(f.store.Tables().Deployments.Create(f.ctx, core.Deployment{ID: release.Deployment, ProjectID: f.project}))
}

// enter adds an entry to the guest book.
func (f *fixture) enter(at backend.Place, text string) {
	f.t.Helper()
	_, err := f.CreateRecord(f.ctx, f.admin, at, "entries", "application/json", []byte(`{"text": "`+text+`"}`))
	f.must(err)
}

// wantEntries checks how many entries the guest book has.
func (f *fixture) wantEntries(at backend.Place, want int64) {
	f.t.Helper()
	page, err := f.ListRecords(f.ctx, f.admin, at, "entries", backend.RecordQuery{Limit: 10})
	if err != nil || page.Total != want {
		f.t.Errorf("got %d entries, %v, want %d", page.Total, err, want)
	}
}

// reasons returns why the snapshots of a place were made, from the newest.
func (f *fixture) reasons(at backend.Place) []core.SnapshotReason {
	f.t.Helper()
	found, err := f.ListSnapshots(f.ctx, f.admin, at)
	f.must(err)
	reasons := []core.SnapshotReason{}
	for _, snapshot := range found {
		reasons = append(reasons, snapshot.Reason)
	}
	return reasons
}
