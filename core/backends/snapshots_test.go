package backends_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

func (f *fixture) wantReasons(at backend.Place, want ...core.SnapshotReason) {
	f.t.Helper()
	if got := f.reasons(at); !slices.Equal(got, want) {
		f.t.Errorf("got snapshots %q of %s data, want %q", got, at.Env, want)
	}
}

// grow adds a field to the schema file.
func (f *fixture) grow() {
	f.t.Helper()
	f.write(core.BackendSchemaPath, strings.ReplaceAll(guestbook, `"type": "text"}`, `"type": "text"}, {"name": "more", "type": "text"}`))
}

func TestDataGoesBackToASnapshot(t *testing.T) {
	f := newFixture(t)
	f.release(true)
	for _, at := range []backend.Place{f.test, f.live} {
		f.enter(at, "first")
		made, err := f.CreateSnapshot(f.ctx, f.admin, at)
		f.must(err)
		if made.By == nil || *made.By != f.admin.UserID || made.Bytes <= 0 || made.Reason != core.SnapshotManual {
			t.Errorf("got %+v", made)
		}
		f.enter(at, "second")
		f.now = f.now.Add(time.Second)
		f.must(f.RestoreSnapshot(f.ctx, f.admin, at, made.ID))
		f.wantEntries(at, 1)
		f.wantReasons(at, core.SnapshotRestore, core.SnapshotManual)
		found, err := f.ListSnapshots(f.ctx, f.admin, at)
		f.must(err)
		f.must(f.RestoreSnapshot(f.ctx, f.admin, at, found[0].ID))
		f.wantEntries(at, 2)
		f.must(f.DeleteSnapshot(f.ctx, f.admin, at, made.ID))
		f.wantCode(f.DeleteSnapshot(f.ctx, f.admin, at, made.ID), core.CodeNotFound)
		f.wantCode(f.RestoreSnapshot(f.ctx, f.admin, at, made.ID), core.CodeNotFound)
		f.wantReasons(at, core.SnapshotRestore, core.SnapshotRestore)
	}
	project, err := f.store.Tables().Projects.ByID(f.ctx, f.project)
	f.must(err)
	entries, err := f.store.Tables().Audit.List(f.ctx, project.WorkspaceID, core.Page{Limit: 100})
	f.must(err)
	told := ""
	for _, entry := range entries {
		told += entry.Target + "\n"
	}
	if strings.Count(told, "made the snapshot") != 1 || strings.Count(told, "restored the snapshot") != 2 || strings.Count(told, "deleted the snapshot") != 1 {
		t.Errorf("got an audit log of\n%s", told)
	}
}

func TestSnapshotsOfLiveDataAreForAdmins(t *testing.T) {
	f := newFixture(t)
	f.release(true)
	forbidden, hidden := core.CodeForbidden, core.CodeNotFound
	for _, c := range []struct {
		who    string
		by     core.Actor
		at     backend.Place
		answer core.Code
	}{
		{"a member", f.member, f.test, ""}, {"a member", f.member, f.live, forbidden},
		{"nobody", f.nobody, f.test, hidden}, {"nobody", f.nobody, f.live, hidden},
	} {
		made, err := f.CreateSnapshot(f.ctx, f.admin, c.at)
		f.must(err)
		_, list := f.ListSnapshots(f.ctx, c.by, c.at)
		_, create := f.CreateSnapshot(f.ctx, c.by, c.at)
		restore := f.RestoreSnapshot(f.ctx, c.by, c.at, made.ID)
		remove := f.DeleteSnapshot(f.ctx, c.by, c.at, made.ID)
		for what, err := range map[string]error{"list": list, "create": create, "restore": restore, "delete": remove} {
			if (err == nil) != (c.answer == "") || err != nil && !core.IsCode(err, c.answer) {
				t.Errorf("%s, %s %s snapshots: got %v, want code %q", c.who, what, c.at.Env, err, c.answer)
			}
		}
	}
	made, err := f.CreateSnapshot(f.ctx, f.admin, f.live)
	f.must(err)
	f.wantCode(f.DeleteSnapshot(f.ctx, f.admin, f.test, made.ID), core.CodeNotFound)
	f.wantCode(f.RestoreSnapshot(f.ctx, f.admin, f.test, made.ID), core.CodeNotFound)
}

func TestTheSnapshotsThatPeopleMakeAreBounded(t *testing.T) {
	f := newFixture(t)
	for range core.MaxManualSnapshots {
		_, err := f.CreateSnapshot(f.ctx, f.member, f.test)
		f.must(err)
	}
	_, err := f.CreateSnapshot(f.ctx, f.member, f.test)
	f.wantCode(err, core.CodeConflict)
}

func TestTheOldestAutomaticSnapshotGoesBeforeItsTime(t *testing.T) {
	f := newFixture(t)
	made, err := f.CreateSnapshot(f.ctx, f.member, f.test)
	f.must(err)
	for range core.MaxAutomaticSnapshots + 2 {
		f.now = f.now.Add(time.Second)
		f.must(f.RestoreSnapshot(f.ctx, f.member, f.test, made.ID))
	}
	if got := len(f.reasons(f.test)); got != core.MaxAutomaticSnapshots+1 || len(f.flaky.forgotten) != 2 {
		t.Errorf("got %d snapshots listed and %d forgotten", got, len(f.flaky.forgotten))
	}
}

func TestAFailedSnapshotIsNotListedAndLeavesNothing(t *testing.T) {
	f := newFixture(t)
	f.release(true)
	f.flaky.snapshot = core.Errorf(core.CodeUnavailable, "the worker died")
	f.flaky.forget = f.flaky.snapshot
	_, err := f.CreateSnapshot(f.ctx, f.admin, f.live)
	f.wantCode(err, core.CodeUnavailable)
	f.wantReasons(f.live)
	f.flaky.snapshot, f.flaky.forget = nil, nil
	f.runWorker(2 * time.Hour)
	if len(f.flaky.forgotten) != 1 {
		t.Errorf("got %q forgotten, want the one that failed", f.flaky.forgotten)
	}
	f.wantReasons(f.live)
}

// runWorker lets the worker of another process do what is due after a time.
func (f *fixture) runWorker(later time.Duration) {
	f.now = f.now.Add(later)
	synctest.Test(f.t, func(t *testing.T) {
		service := backends.New(f.deps)
		service.Start()
		synctest.Wait()
		if err := service.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func TestEveryPublishMakesASnapshotOfLiveData(t *testing.T) {
	f := newFixture(t)
	f.release(true)
	f.wantReasons(f.live)
	f.release(true)
	f.wantReasons(f.live, core.SnapshotPublish)
	f.enter(f.live, "kept")
	f.now = f.now.Add(time.Second)
	f.grow()
	f.release(true)
	f.wantReasons(f.live, core.SnapshotPublish, core.SnapshotPublish)
	found, err := f.ListSnapshots(f.ctx, f.admin, f.live)
	f.must(err)
	if by := found[0].By; by == nil || *by != f.member.UserID || found[0].Bytes <= 0 {
		t.Errorf("got %+v, want the publisher and a size", found[0])
	}
	// The schema that the site knows comes along as long as no value is lost by it.
	f.must(f.RestoreSnapshot(f.ctx, f.admin, f.live, found[0].ID))
	schema, err := f.flaky.Schema(f.ctx, f.live)
	f.must(err)
	if !strings.Contains(string(backends.TypesOf(schema)), "more: string") {
		t.Errorf("got the schema %+v, want the published one", schema)
	}
	f.wantEntries(f.live, 1)
}

func TestAPublishThatFailedLeavesNoSnapshotOfItsSwitch(t *testing.T) {
	f := newFixture(t)
	f.release(true)
	f.grow()
	f.release(false)
	f.wantReasons(f.live)
	if len(f.flaky.forgotten) != 1 {
		t.Errorf("got %q forgotten, want one", f.flaky.forgotten)
	}
}

func TestASwitchThatACrashLeftOpenKeepsItsWayBack(t *testing.T) {
	for name, recorded := range map[string]bool{"of a publish that went live": true, "of one that did not": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.release(true)
			f.enter(f.live, "kept")
			f.grow()
			release := backends.Release{Project: f.project, Deployment: core.NewID(), By: f.member}
			_, err := f.Stage(f.ctx, release)
			f.must(err)
			_, err = f.CreateSnapshot(f.ctx, f.admin, f.live)
			f.wantCode(err, core.CodeUnavailable)
			want := []core.SnapshotReason{}
			if recorded {
				f.record(release)
				want = []core.SnapshotReason{core.SnapshotPublish}
			}
			// The process dies, and another finds the leftovers.
			f.runWorker(2 * time.Hour)
			f.Service = backends.New(f.deps)
			f.wantReasons(f.live, want...)
			f.wantEntries(f.live, 1)
		})
	}
}

func TestNewTestDataKeepsTheSnapshots(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	made, err := f.CreateSnapshot(f.ctx, f.member, f.test)
	f.must(err)
	f.must(f.Reset(f.ctx, f.member, f.project, true))
	f.wantEntries(f.test, 0)
	f.wantReasons(f.test, core.SnapshotManual)
	f.must(f.RestoreSnapshot(f.ctx, f.member, f.test, made.ID))
	f.wantEntries(f.test, 1)
}

func TestLiveDataHasASnapshotOfEachDayForAWeek(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		f.deps.Now = time.Now
		f.Service = backends.New(f.deps)
		f.release(true)
		f.enter(f.live, "first")
		_, err := f.CreateSnapshot(f.ctx, f.admin, f.live)
		f.must(err)
		time.Sleep(time.Second)
		f.release(true)
		// Two processes share the work.
		other := backends.New(f.deps)
		f.Start()
		other.Start()
		for day := 1; day <= 35; day++ {
			time.Sleep(24*time.Hour + time.Minute)
			synctest.Wait()
			want := slices.Repeat([]core.SnapshotReason{core.SnapshotScheduled}, min(day, 7))
			if day < 30 {
				want = append(want, core.SnapshotPublish)
			}
			f.wantReasons(f.live, append(want, core.SnapshotManual)...)
		}
		f.wantReasons(f.test)
		// A place without data has no daily snapshots any more.
		f.must(f.flaky.Remove(f.ctx, f.live))
		time.Sleep(8 * 24 * time.Hour)
		synctest.Wait()
		f.wantReasons(f.live, core.SnapshotManual)
		_, err = f.store.Tables().Snapshots.Claim(f.ctx, core.At(time.Now().Add(48*time.Hour)), 1)
		f.wantCode(err, core.CodeNotFound)
		f.must(f.Close(t.Context()))
		f.must(other.Close(t.Context()))
	})
}
