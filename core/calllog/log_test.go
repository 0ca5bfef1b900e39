package calllog_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// desk is a project and its logs.
type desk struct {
	*calllog.Log
	t              *testing.T
	store          *faultyStore
	said           *bytes.Buffer
	tally          *telemetry.Tally
	member, nobody core.Actor
	project        core.ID
}

// faultyStore is a store that can refuse to append calls.
type faultyStore struct {
	storage.Store
	broken  atomic.Bool
	appends atomic.Int64
}

// Tables implements storage.Store.
func (s *faultyStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.BackendCalls = ailingCalls{tables.BackendCalls, s}
	return tables
}

type ailingCalls struct {
	storage.BackendCalls
	store *faultyStore
}

// Append implements storage.BackendCalls.
func (c ailingCalls) Append(ctx context.Context, calls []core.BackendCall) error {
	c.store.appends.Add(1)
	if c.store.broken.Load() {
		return core.Errorf(core.CodeUnavailable, "the database is not available")
	}
	return c.BackendCalls.Append(ctx, calls)
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, store: &faultyStore{Store: memory.NewStore()}, said: &bytes.Buffer{}, tally: telemetry.New(), project: core.NewID()}
	d.Log = calllog.New(calllog.Deps{Store: d.store, Gate: access.NewGate(d.store), Tally: d.tally, Now: time.Now, Log: slog.New(slog.NewTextHandler(d.said, nil))})
	tables, space := d.store.Tables(), core.NewID()
	d.must(tables.Workspaces.Create(t.Context(), core.Workspace{ID: space, Name: "Space", Slug: "space"}))
	for name, actor := range map[string]*core.Actor{"member": &d.member, "nobody": &d.nobody} {
		user := core.User{ID: core.NewID(), Email: name + "@example.com"}
		d.must(tables.Users.Create(t.Context(), user))
		*actor = core.Actor{UserID: user.ID}
	}
	d.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: space, UserID: d.member.UserID, Role: core.RoleMember}))
	d.must(tables.Projects.Create(t.Context(), core.Project{ID: d.project, WorkspaceID: space, Slug: "shop", Name: "Shop", Visibility: core.VisibilityPrivate, CreatedBy: d.member.UserID}))
	return d
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) place() backend.Place { return backend.Place{Project: d.project, Env: core.DataTest} }

// add adds a call of a kind.
func (d *desk) add(kind core.CallKind, path string) {
	d.Add(core.BackendCall{Kind: kind, Method: "GET", Path: path, Status: 200, CreatedAt: core.At(time.Now()), ProjectID: d.project, Env: core.DataTest})
}

// list returns what members see.
func (d *desk) list() []core.BackendCall {
	d.t.Helper()
	found, err := d.List(d.t.Context(), d.member, d.place(), storage.CallFilter{}, core.Page{Limit: 5000})
	d.must(err)
	return found
}

// stored returns what the database has.
func (d *desk) stored() []core.BackendCall {
	d.t.Helper()
	found, err := d.store.Tables().BackendCalls.List(d.t.Context(), d.project, core.DataTest, storage.CallFilter{}, core.Page{Limit: 5000})
	d.must(err)
	return found
}

func TestMembersSeeWhatJustHappened(t *testing.T) {
	d := newDesk(t)
	d.add(core.CallRequest, "/_data/first")
	d.add(core.CallFunction, "/_fn/second")
	if got := d.list(); len(got) != 2 || got[0].Path != "/_fn/second" || got[0].Console == nil {
		t.Errorf("got %+v, want both, the newest first", got)
	}
	if _, err := d.List(t.Context(), d.nobody, d.place(), storage.CallFilter{}, core.Page{Limit: 1}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v for a stranger, want %s", err, core.CodeNotFound)
	}
	var none *calllog.Log
	none.Add(core.BackendCall{})
}

func TestTheWorkerStoresCallsInBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.Start()
		for i := range 150 {
			d.add(core.CallRequest, fmt.Sprint("/_data/", i))
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := len(d.stored()); got != 150 || d.store.appends.Load() != 1 {
			t.Errorf("got %d calls in %d writes, want 150 in one", got, d.store.appends.Load())
		}
		d.add(core.CallRequest, "/_data/last")
		d.must(d.Close(t.Context()))
		if got := d.stored(); len(got) != 151 {
			t.Errorf("got %d calls after the end, want 151", len(got))
		}
	})
}

func TestAFloodIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.Start()
		for i := range 500 {
			d.add(core.CallRequest, fmt.Sprint("/_data/", i))
		}
		d.add(core.CallFunction, "/_fn/beside")
		time.Sleep(2 * time.Second)
		d.add(core.CallRequest, "/_data/later")
		got := d.list()
		runs := slices.DeleteFunc(slices.Clone(got), func(c core.BackendCall) bool { return c.Kind != core.CallFunction })
		if len(got) != 202 || got[0].Path != "/_data/later" || got[0].Omitted != 300 || len(runs) != 1 || runs[0].Omitted != 0 {
			t.Errorf("got %d calls, the last %+v, want 202 and 300 omitted", len(got), got[:1])
		}
		if !strings.Contains(d.said.String(), "calls=300") {
			t.Errorf("got the service's log %q, want the count in it", d.said)
		}
		if counted := d.tally.Samples(); len(counted) != 1 || counted[0].Metric != telemetry.DroppedCalls || counted[0].Value != 300 {
			t.Errorf("got %+v for the operator, want the count", counted)
		}
		for range 60 {
			for range 100 {
				d.add(core.CallRequest, "/_data/flood")
			}
			time.Sleep(time.Second)
		}
		if got := len(d.stored()); got > 202+60*10+10 {
			t.Errorf("got %d calls after a minute, want about 10 a second", got)
		}
		d.must(d.Close(t.Context()))
	})
}

func TestManyProjectsDoNotFillTheMemory(t *testing.T) {
	d := newDesk(t)
	for range 3000 {
		d.Add(core.BackendCall{Kind: core.CallRequest, ProjectID: core.NewID(), Env: core.DataLive})
	}
	d.list()
	if d.store.appends.Load() != 5 {
		t.Errorf("got %d writes, want 5: only 1,000 calls wait", d.store.appends.Load())
	}
}

func TestCallsWaitForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.store.broken.Store(true)
		d.Start()
		d.add(core.CallRequest, "/_data/first")
		time.Sleep(10 * time.Second)
		if got := d.list(); len(got) != 0 || !strings.Contains(d.said.String(), "could not store the logs") {
			t.Errorf("got %+v and the service's log %q, want the trouble in it", got, d.said)
		}
		d.store.broken.Store(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := d.stored(); len(got) != 1 {
			t.Errorf("got %d calls, want the one", len(got))
		}
		d.must(d.Close(t.Context()))
	})
}

func TestOldCallsAreRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.Start()
		d.add(core.CallRequest, "/_data/old")
		time.Sleep(calllog.Retention - time.Hour)
		d.add(core.CallRequest, "/_data/new")
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		if got := d.stored(); len(got) != 1 || got[0].Path != "/_data/new" {
			t.Errorf("got %+v, want the new one", got)
		}
		d.must(d.Close(t.Context()))
	})
}

func TestEntriesAreBounded(t *testing.T) {
	d := newDesk(t)
	var lines []core.ConsoleLine
	for i := range 200 {
		lines = append(lines, core.ConsoleLine{Level: "info", Text: fmt.Sprint(i, strings.Repeat("é", 1000))})
	}
	d.Add(core.BackendCall{
		Kind: core.CallFunction, ProjectID: d.project, Env: core.DataTest, Method: strings.Repeat("M", 500), User: strings.Repeat("u", 500),
		Path: "/_fn/a\nb\x00\xff" + strings.Repeat("ü", 500), Error: "one\ntwo\x00\xff" + strings.Repeat("e", 9000), Console: lines,
	})
	got := d.list()[0]
	size := 0
	for _, line := range got.Console {
		size += len(line.Text)
	}
	if len(got.Method) > 20 || len(got.User) > 100 || len(got.Path) > 300 || len(got.Error) > 4<<10 || size > 9<<10 || len(got.Console) > 51 {
		t.Errorf("got %d, %d, %d, %d and %d bytes in %d lines", len(got.Method), len(got.User), len(got.Path), len(got.Error), size, len(got.Console))
	}
	if !strings.HasPrefix(got.Path, "/_fn/a\uFFFDb\uFFFD\uFFFD") || !strings.HasPrefix(got.Error, "one\ntwo\uFFFD") {
		t.Errorf("got %q and %q", got.Path, got.Error[:20])
	}
	first, last := got.Console[0].Text, got.Console[len(got.Console)-1].Text
	if !strings.HasPrefix(first, "… 192 lines before") || !strings.HasPrefix(last, "199é") {
		t.Errorf("got the lines from %q to %.10q, want the last ones", first, last)
	}
}
