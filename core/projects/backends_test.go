package projects_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/backend"
)

// shop is a project with a backend whose environments hold one order each.
func (f *fixture) shop() core.ID {
	f.t.Helper()
	id := f.create("Shop").ID
	f.write(id, core.BackendSchemaPath, `{"collections": [{"name": "orders", "fields": [{"name": "item", "type": "text"}]}]}`)
	release := backends.Release{Project: id, Deployment: core.NewID()}
	open, err := f.backends.Stage(f.ctx, release)
	f.must(err)
	f.must(f.tables().Deployments.Create(f.ctx, core.Deployment{ID: release.Deployment, ProjectID: id}))
	f.must(open.Settle(f.ctx))
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		f.order(backend.Place{Project: id, Env: env}, string(env)+" order")
	}
	return id
}

func (f *fixture) order(at backend.Place, item string) {
	f.t.Helper()
	_, err := f.backends.CreateRecord(f.ctx, f.owner, at, "orders", "application/json", fmt.Appendf(nil, `{"item": %q}`, item))
	f.must(err)
}

// orders are the records of a place, as JSON.
func (f *fixture) orders(at backend.Place) string {
	f.t.Helper()
	page, err := f.backends.ListRecords(f.ctx, f.owner, at, "orders", backend.RecordQuery{Limit: 100})
	f.must(err)
	return fmt.Sprintf("%s", page.Records)
}

func (f *fixture) wantNoData(id core.ID) {
	f.t.Helper()
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		_, err := f.engine.Stats(f.ctx, backend.Place{Project: id, Env: env})
		f.wantCode(err, core.CodeNotFound)
	}
}

func TestAPurgeRemovesTheDataOfTheBackend(t *testing.T) {
	f := newFixture(t)
	kept, gone := f.shop(), f.shop()
	_, err := f.backends.CreateSnapshot(f.ctx, f.owner, backend.Place{Project: gone, Env: core.DataLive})
	f.must(err)
	f.must(f.service.Purge(f.ctx, f.owner, gone))
	f.wantNoData(gone)
	if got := f.orders(backend.Place{Project: kept, Env: core.DataLive}); !strings.Contains(got, "live order") {
		t.Errorf("got the orders %s of another project", got)
	}
}

func TestADuplicateHasTheTestDataAndNeverTheLiveData(t *testing.T) {
	f := newFixture(t)
	source := f.shop()
	made := f.duplicate(f.member, source, projects.DuplicateDraft{}).ID
	copied := backend.Place{Project: made, Env: core.DataTest}
	if got := f.orders(copied); !strings.Contains(got, "test order") {
		t.Errorf("got the orders %s, want those of the original", got)
	}
	_, err := f.engine.Stats(f.ctx, backend.Place{Project: made, Env: core.DataLive})
	f.wantCode(err, core.CodeNotFound)
	f.order(copied, "another")
	if got := f.orders(backend.Place{Project: source, Env: core.DataTest}); strings.Contains(got, "another") {
		t.Errorf("a change of the copy reached the original: %s", got)
	}
}

func TestAReadersDuplicateHasNoTestData(t *testing.T) {
	f := newFixture(t)
	source := f.shop()
	_, err := f.service.Change(f.ctx, f.owner, source, projects.Patch{Visibility: given("public")})
	f.must(err)
	f.addWorkspace(map[core.ID]core.Role{f.stranger.UserID: core.RoleOwner})
	spaces, err := f.tables().Workspaces.OfUser(f.ctx, f.stranger.UserID)
	f.must(err)
	made := f.duplicate(f.stranger, source, projects.DuplicateDraft{WorkspaceID: &spaces[0].ID}).ID
	f.wantNoData(made)
}

func TestAFailedDuplicateLeavesNoData(t *testing.T) {
	f := newFixture(t)
	source := f.shop()
	broken := f.deps
	broken.Store = failingStore{f.deps.Store}
	watched := &watchedBackends{Service: f.backends}
	broken.Backends = watched
	_, err := projects.NewService(broken).Duplicate(f.ctx, f.member, source, projects.DuplicateDraft{})
	f.wantCode(err, core.CodeUnavailable)
	if watched.copied == "" {
		t.Fatal("nothing was copied before the failure")
	}
	f.wantNoData(watched.copied)
}

// watchedBackends remembers which project got a copy of test data.
type watchedBackends struct {
	*backends.Service
	copied core.ID
}

func (b *watchedBackends) CopyTestData(ctx context.Context, from, to core.ID) error {
	b.copied = to
	return b.Service.CopyTestData(ctx, from, to)
}

func TestSweepRemovesTheTestDataOfADuplicateThatNobodyRecorded(t *testing.T) {
	f := newFixture(t)
	source, left := f.shop(), core.NewID()
	f.must(f.trees.Create(f.ctx, left))
	f.must(memory.NewRepositories(f.trees).Init(f.ctx, left))
	f.must(f.backends.CopyTestData(f.ctx, source, left))
	f.now = f.now.Add(2 * time.Hour)
	_, err := f.service.Sweep(f.ctx)
	f.must(err)
	f.wantNoData(left)
	if got := f.orders(backend.Place{Project: source, Env: core.DataTest}); !strings.Contains(got, "test order") {
		t.Errorf("got the orders %s of the original", got)
	}
}

func TestAnExportHoldsTheDataThatItWasAskedFor(t *testing.T) {
	f := newFixture(t)
	id := f.shop()
	f.write(id, "pb_data/data.json", "the project's own")
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		export, err := f.service.ExportWithData(f.ctx, f.owner, id, "", env)
		f.must(err)
		var out bytes.Buffer
		f.must(export.Write(f.ctx, &out))
		archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
		f.must(err)
		var names []string
		for _, file := range archive.File {
			names = append(names, file.Name)
		}
		if slices.Sort(names); len(slices.Compact(slices.Clone(names))) != len(names) || !slices.Contains(names, core.BackendSchemaPath) {
			t.Errorf("got the files %q, want each once, with the schema", names)
		}
		file, err := archive.Open("pb_data/data.json")
		f.must(err)
		text, err := io.ReadAll(file)
		f.must(err)
		if !strings.Contains(string(text), string(env)+" order") || strings.Count(string(text), " order") != 1 {
			t.Errorf("got the data %s, want the %s order", text, env)
		}
	}
}

func TestLiveDataIsExportedForAdminsOnly(t *testing.T) {
	f := newFixture(t)
	id := f.shop()
	_, err := f.service.ExportWithData(f.ctx, f.member, id, "", core.DataTest)
	f.must(err)
	_, err = f.service.ExportWithData(f.ctx, f.member, id, "", core.DataLive)
	f.wantCode(err, core.CodeForbidden)
	_, err = f.service.ExportWithData(f.ctx, f.stranger, id, "", core.DataTest)
	f.wantCode(err, core.CodeNotFound)
	plain := f.create("Plain").ID
	_, err = f.service.ExportWithData(f.ctx, f.owner, plain, "", core.DataTest)
	f.wantCode(err, core.CodeNotFound)
}

func TestAnExportOfDataEndsWithItsReader(t *testing.T) {
	f := newFixture(t)
	export, err := f.service.ExportWithData(f.ctx, f.owner, f.shop(), "", core.DataTest)
	f.must(err)
	if err := export.Write(f.ctx, brokenWriter{}); err == nil {
		t.Error("got no error, want the writer's")
	}
}

func TestATransferTakesTheDataAlong(t *testing.T) {
	f := newFixture(t)
	id := f.shop()
	live := backend.Place{Project: id, Env: core.DataLive}
	_, err := f.backends.CreateSnapshot(f.ctx, f.owner, live)
	f.must(err)
	to := f.addWorkspace(map[core.ID]core.Role{f.owner.UserID: core.RoleOwner})
	_, err = f.service.Transfer(f.ctx, f.owner, id, to)
	f.must(err)
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		if got := f.orders(backend.Place{Project: id, Env: env}); !strings.Contains(got, string(env)+" order") {
			t.Errorf("got the orders %s, want those from before the transfer", got)
		}
	}
	if got, err := f.backends.ListSnapshots(f.ctx, f.owner, live); err != nil || len(got) != 1 {
		t.Errorf("got the snapshots %v, %v, want the one from before the transfer", got, err)
	}
	_, err = f.backends.ListRecords(f.ctx, f.member, live, "orders", backend.RecordQuery{Limit: 1})
	f.wantCode(err, core.CodeNotFound)
	f.order(live, "after the transfer")
	log, err := f.tables().Audit.List(f.ctx, to, core.Page{Limit: 10})
	f.must(err)
	if !slices.ContainsFunc(log, func(entry core.AuditEntry) bool { return entry.Action == core.AuditLiveDataChanged }) {
		t.Errorf("got the log %v of the new workspace, want the change of live data", log)
	}
}

// TestATransferEndsLinksForGood moves a project away and back: an address that was worth nothing in
// between must never be worth something again.
func TestATransferEndsLinksForGood(t *testing.T) {
	f := newFixture(t)
	id := f.create("Shop").ID
	to := f.addWorkspace(map[core.ID]core.Role{f.owner.UserID: core.RoleOwner})
	link := core.PreviewLink{ID: core.NewID(), ProjectID: id, Kind: core.LinkShare, CreatedBy: f.owner.UserID, ExpiresAt: core.At(f.now.Add(time.Hour))}
	f.must(f.tables().PreviewLinks.Create(f.ctx, link))
	for _, workspace := range []core.ID{to, f.workspace} {
		_, err := f.service.Transfer(f.ctx, f.owner, id, workspace)
		f.must(err)
		if left, err := f.tables().PreviewLinks.List(f.ctx, id); err != nil || len(left) != 0 {
			t.Errorf("got %v, %v, want no link of those who have shared it elsewhere", left, err)
		}
	}
}
