package files_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// mortalStore is the store of a process that dies: its next change of rows, and every call
// after it, does not reach the database.
type mortalStore struct {
	storage.Store
	// dies is called by that change; nil as long as the process lives.
	dies func() error
	dead bool

	applied, marked, unmarked atomic.Int32
}

func (m *mortalStore) Tables() storage.Tables {
	tables := m.Store.Tables()
	tables.Files = mortalFiles{tables.Files, m}
	return tables
}

type mortalFiles struct {
	storage.Files
	store *mortalStore
}

func (m mortalFiles) Apply(ctx context.Context, project core.ID, delta storage.FileDelta) (int64, error) {
	m.store.applied.Add(1)
	if m.store.dies != nil {
		m.store.dead = true
		return 0, m.store.dies()
	}
	return m.Files.Apply(ctx, project, delta)
}

func (m mortalFiles) Mark(ctx context.Context, project core.ID) error {
	m.store.marked.Add(1)
	if m.store.dead {
		return errDisk
	}
	return m.Files.Mark(ctx, project)
}

func (m mortalFiles) Unmark(ctx context.Context, project core.ID) error {
	m.store.unmarked.Add(1)
	if m.store.dead {
		return errDisk
	}
	return m.Files.Unmark(ctx, project)
}

// neighbours is a fixture whose pipeline is that of one of two processes. The other's is
// first, over a store from which it can be cut off.
type neighbours struct {
	*fixture
	first *files.Pipeline
	store *mortalStore
}

func newNeighbours(t *testing.T) *neighbours {
	t.Helper()
	n := &neighbours{fixture: newFixture(t)}
	n.deps.Exclusive = false
	n.meet()
	return n
}

// meet restarts both processes, and both reconcile the project.
func (n *neighbours) meet() {
	n.t.Helper()
	n.restart()
	deps := n.deps
	n.store = &mortalStore{Store: deps.Store}
	deps.Store = n.store
	n.first = files.NewPipeline(deps)
	for _, pipeline := range []*files.Pipeline{n.first, n.pipeline} {
		_, err := pipeline.List(n.ctx, n.project)
		n.must(err)
	}
}

// wantMark fails the test unless the project is marked, or not.
func (n *neighbours) wantMark(want bool) {
	n.t.Helper()
	state, err := n.deps.Store.Tables().Files.State(n.ctx, n.project)
	n.must(err)
	if state.Unsettled != want {
		n.t.Errorf("got a mark: %t, want %t", state.Unsettled, want)
	}
}

var ann = core.Author{Kind: core.AuthorUser, Name: "Ann"}

// writes are the ways to change files. Each ends with README.md and src/new.js.
var writes = []struct {
	name string
	call func(n *neighbours, p *files.Pipeline) error
}{
	{"a save", func(n *neighbours, p *files.Pipeline) error {
		_, err := p.Apply(n.ctx, n.project, ann, []core.FileChange{remove("src/main.js"), write("src/new.js", "new")}, nil)
		return err
	}},
	{"a moved file", func(n *neighbours, p *files.Pipeline) error {
		_, err := p.Apply(n.ctx, n.project, ann, []core.FileChange{rename("src/main.js", "src/new.js")}, nil)
		return err
	}},
	{"a moved directory", func(n *neighbours, p *files.Pipeline) error {
		_, err := p.Apply(n.ctx, n.project, ann, []core.FileChange{rename("src/main.js", "lib/new.js"), rename("lib", "src2"), remove("src"), rename("src2", "src")}, nil)
		return err
	}},
	{"a bulk", func(n *neighbours, p *files.Pipeline) error {
		_, _, err := p.ApplyAndCommit(n.ctx, n.project, []core.FileChange{rename("src/main.js", "src/new.js")}, vcs.Commit{Message: "Bulk", Author: ann})
		return err
	}},
	{"what a room writes", func(n *neighbours, p *files.Pipeline) error {
		return p.Amend(n.ctx, n.project, ann, func(context.Context, files.Snapshot) ([]core.FileChange, error) {
			return []core.FileChange{write("src/new.js", "new"), remove("src/main.js")}, nil
		}, nil)
	}},
	{"a version of its own", func(n *neighbours, p *files.Pipeline) error {
		_, _, err := p.Revise(n.ctx, n.project, func(context.Context, files.Snapshot) (files.Revision, error) {
			return files.Revision{Changes: []core.FileChange{rename("src/main.js", "src/new.js")}, Commit: vcs.Commit{Message: "Own", Author: ann}}, nil
		})
		return err
	}},
	{"a reconciliation", func(n *neighbours, p *files.Pipeline) error {
		n.outside(rename("src/main.js", "src/new.js"))
		_, err := p.Reconcile(n.ctx, n.project)
		return err
	}},
	{"an earlier version", func(n *neighbours, p *files.Pipeline) error {
		earlier := n.twoVersions()
		_, _, err := p.Restore(n.ctx, n.project, earlier, func(context.Context) error { return nil }, vcs.Commit{Message: "Back", Author: ann})
		return err
	}},
	{"a pushed version", func(n *neighbours, p *files.Pipeline) error {
		earlier := n.twoVersions()
		arrival := vcs.Arrival{From: n.latest(), To: n.recommitted(earlier)}
		return p.Take(n.ctx, n.project, ann, adoptedPush{arrival: arrival}, func(context.Context) error { return nil })
	}},
}

// adoptedPush is a push that is in the repository already.
type adoptedPush struct {
	vcs.Push
	arrival vcs.Arrival
}

func (a adoptedPush) Arrival() (vcs.Arrival, error) { return a.arrival, nil }
func (a adoptedPush) Adopt(context.Context) error   { return nil }

// twoVersions makes a version with README.md and src/new.js, then one without, through
// the surviving pipeline, and returns the first.
func (n *neighbours) twoVersions() string {
	n.t.Helper()
	var made string
	for _, change := range []core.FileChange{rename("src/main.js", "src/new.js"), rename("src/new.js", "src/main.js")} {
		_, version, err := n.pipeline.ApplyAndCommit(n.ctx, n.project, []core.FileChange{change}, vcs.Commit{Message: "Step", Author: ann})
		n.must(err)
		if made == "" {
			made = version.ID
		}
	}
	return made
}

// latest is the id of the newest version.
func (n *neighbours) latest() string {
	n.t.Helper()
	versions, err := n.deps.Repositories.Log(n.ctx, n.project, "", 1)
	n.must(err)
	return versions[0].ID
}

// recommitted stores a version with the files of an earlier one, outside the log.
func (n *neighbours) recommitted(earlier string) string {
	n.t.Helper()
	made, _, err := n.deps.Repositories.Recommit(n.ctx, n.project, earlier, vcs.Commit{Message: "Again", Author: ann, At: 1})
	n.must(err)
	return made.ID
}

func TestAWriteLeavesNoMark(t *testing.T) {
	for _, test := range writes {
		t.Run(test.name, func(t *testing.T) {
			n := newNeighbours(t)
			n.t = t
			n.must(test.call(n, n.first))
			n.wantMark(false)
			n.wantPaths("README.md", "src/new.js")
			n.wantMark(false)
		})
	}
}

// deaths are the ways in which a process stops in the middle of its work.
var deaths = map[string]func() error{
	"fails": func() error { return errDisk },
	"dies":  func() error { panic("the process dies") },
}

// kill stops the first process when it changes rows.
func (n *neighbours) kill(dies func() error, call func(n *neighbours, p *files.Pipeline) error) {
	n.t.Helper()
	n.store.dies = dies
	defer func() {
		_ = recover()
		if !n.store.dead {
			n.t.Fatal("got no change of rows, want one to die at")
		}
	}()
	if err := call(n, n.first); err == nil {
		n.t.Error("got nil from a process that was cut off, want an error")
	}
}

func TestAnotherProcessListsWhatADeadOneLeftOnTheDisk(t *testing.T) {
	for _, test := range writes {
		for how, dies := range deaths {
			t.Run(test.name+" "+how, func(t *testing.T) {
				n := newNeighbours(t)
				n.t = t
				n.kill(dies, test.call)
				n.wantMark(true)
				n.wantPaths("README.md", "src/new.js")
				n.wantMark(false)
				if _, begun, err := n.deps.Repositories.Arriving(n.ctx, n.project); begun || err != nil {
					t.Errorf("got a version that still arrives: %t, %v, want none", begun, err)
				}
			})
		}
	}
}

func TestAnotherProcessWritesOnTopOfWhatADeadOneLeft(t *testing.T) {
	for _, test := range writes {
		t.Run(test.name, func(t *testing.T) {
			n := newNeighbours(t)
			n.t = t
			n.kill(deaths["dies"], test.call)
			_, version, err := n.pipeline.ApplyAndCommit(n.ctx, n.project, []core.FileChange{write("next", "1")}, vcs.Commit{Message: "Next", Author: ann})
			n.must(err)
			if version == nil {
				t.Fatal("got no version, want one")
			}
			n.wantMark(false)
			rows, err := n.deps.Store.Tables().Files.List(n.ctx, n.project)
			n.must(err)
			var got []string
			for _, row := range rows {
				got = append(got, row.Path.String())
			}
			if want := []string{"README.md", "next", "src/new.js"}; !slices.Equal(got, want) {
				t.Errorf("cached: got %q, want %q", got, want)
			}
			n.wantStaged("README.md", "next", "src/new.js")
		})
	}
}

func TestAnotherProcessStagesWhatADeadOneDidNot(t *testing.T) {
	n := newNeighbours(t)
	deps := n.deps
	deps.Repositories = &brokenStage{Repositories: deps.Repositories, broken: true}
	n.wantCode(writes[0].call(n, files.NewPipeline(deps)), core.CodeUnavailable)
	n.wantMark(true)
	n.wantPaths("README.md", "src/new.js")
	n.wantMark(false)
}

// unsettledRepositories fail to make a version the project's.
type unsettledRepositories struct{ vcs.Repositories }

func (unsettledRepositories) Settle(context.Context, core.ID, vcs.Arrival) error { return errDisk }

func TestAnotherProcessCompletesAVersionThatWasArriving(t *testing.T) {
	arrive := func(n *neighbours, p *files.Pipeline) error {
		earlier, latest := n.twoVersions(), n.latest()
		n.must(n.deps.Repositories.Arrive(n.ctx, n.project, vcs.Arrival{From: latest, To: n.recommitted(earlier)}))
		_, err := p.Reconcile(n.ctx, n.project)
		return err
	}
	for name, call := range map[string]func(n *neighbours, p *files.Pipeline) error{
		"restored": writes[len(writes)-2].call, "pushed": writes[len(writes)-1].call, "noted without a mark": arrive,
	} {
		t.Run(name, func(t *testing.T) {
			n := newNeighbours(t)
			n.t = t
			deps := n.deps
			deps.Repositories = unsettledRepositories{deps.Repositories}
			n.wantCode(call(n, files.NewPipeline(deps)), core.CodeUnavailable)
			before := n.latest()
			n.wantMark(true)
			n.wantPaths("README.md", "src/new.js")
			n.wantMark(false)
			if n.latest() == before {
				t.Error("got the version from before, want the one that was arriving")
			}
		})
	}
}

func TestAMarkBehindWhichNothingHappenedGoes(t *testing.T) {
	n := newNeighbours(t)
	n.must(n.deps.Store.Tables().Files.Mark(n.ctx, n.project))
	n.wantPaths("README.md", "src/main.js")
	n.wantMark(false)
}

func TestASaveTakesItsMarkAwayWithItsRows(t *testing.T) {
	n := newNeighbours(t)
	n.must(writes[0].call(n, n.first))
	if marked, applied, unmarked := n.store.marked.Load(), n.store.applied.Load(), n.store.unmarked.Load(); marked != 1 || applied != 1 || unmarked != 0 {
		t.Errorf("got %d marks, %d changes of rows and %d marks taken away by themselves, want 1, 1 and 0", marked, applied, unmarked)
	}
}

func TestAProcessAloneMarksNothing(t *testing.T) {
	for _, test := range writes {
		t.Run(test.name, func(t *testing.T) {
			n := newNeighbours(t)
			n.t, n.deps.Exclusive = t, true
			n.meet()
			n.must(test.call(n, n.first))
			if marked, unmarked := n.store.marked.Load(), n.store.unmarked.Load(); marked != 0 || unmarked != 0 {
				t.Errorf("got %d marks and %d taken away, want none", marked, unmarked)
			}
		})
	}
}

func TestAProcessAloneLooksAfterNoMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNeighbours(t)
		n.deps.Exclusive = true
		n.meet()
		n.must(n.deps.Store.Tables().Files.Mark(n.ctx, n.project))
		_, unlock, err := n.deps.Locks.Lock(n.ctx, n.project)
		n.must(err)
		defer unlock()
		begun := time.Now()
		n.wantPaths("README.md", "src/main.js")
		if got := time.Since(begun); got != 0 {
			t.Errorf("got a listing after %v, want it at once", got)
		}
	})
}

func TestChangesThatDoNothingLeaveNoMark(t *testing.T) {
	n := newNeighbours(t)
	results, err := n.first.Apply(n.ctx, n.project, ann, []core.FileChange{remove("nothing"), write("src", "a directory is in the way")}, nil)
	n.must(err)
	n.wantCode(results[0].Err, core.CodeNotFound)
	n.wantCode(results[1].Err, core.CodeConflict)
	n.wantMark(false)
}

func TestAMarkThatCannotBeSetLeavesTheDiskAlone(t *testing.T) {
	n := newNeighbours(t)
	n.store.dead = true
	n.wantCode(writes[0].call(n, n.first), core.CodeUnavailable)
	n.wantPaths("README.md", "src/main.js")
}

func TestDeletesThatMakeRoomLeaveTheMarkOfADeadProcess(t *testing.T) {
	n := newNeighbours(t)
	n.kill(deaths["dies"], writes[0].call)
	deps := n.deps
	deps.Trees = failingWalks{deps.Trees}
	results, err := files.NewPipeline(deps).Apply(n.ctx, n.project, ann, []core.FileChange{remove("README.md")}, nil)
	n.must(err)
	n.must(results[0].Err)
	n.wantMark(true)
	n.wantPaths("src/new.js")
	n.wantMark(false)
}

// failingWalks are trees that cannot be walked.
type failingWalks struct{ worktree.Trees }

func (f failingWalks) Open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := f.Trees.Open(ctx, project)
	return failingWalk{tree}, err
}

type failingWalk struct{ worktree.Tree }

func (failingWalk) Walk(context.Context, func(worktree.Info) error) error { return errDisk }

func TestAListingGoesOnWithTheCacheWhileAnotherProcessWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNeighbours(t)
		_, unlock, err := n.deps.Locks.Lock(n.ctx, n.project)
		n.must(err)
		n.must(n.deps.Store.Tables().Files.Mark(n.ctx, n.project))
		n.outside(write("coming", "1"))
		for i, want := range []time.Duration{time.Second, 0, 0} {
			begun := time.Now()
			listing, err := n.pipeline.List(n.ctx, n.project)
			n.must(err)
			if got := time.Since(begun); got != want || len(listing.Entries) != 2 {
				t.Errorf("listing %d: got %d entries after %v, want the 2 of the cache after %v", i, len(listing.Entries), got, want)
			}
		}
		unlock()
		time.Sleep(time.Minute)
		n.wantPaths("README.md", "coming", "src/main.js")
		n.wantMark(false)
	})
}

func TestListingsOfAProjectThatIsWrittenAllTheTimeWaitOnceASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNeighbours(t)
		table := n.deps.Store.Tables().Files
		var waited time.Duration
		for range 20 {
			_, unlock, err := n.deps.Locks.Lock(n.ctx, n.project)
			n.must(err)
			n.must(table.Mark(n.ctx, n.project))
			done := make(chan struct{})
			go func() {
				defer close(done)
				time.Sleep(100 * time.Millisecond)
				n.must(table.Unmark(n.ctx, n.project))
				unlock()
			}()
			begun := time.Now()
			_, err = n.pipeline.List(n.ctx, n.project)
			n.must(err)
			waited += time.Since(begun)
			<-done
		}
		if want := 200 * time.Millisecond; waited != want {
			t.Errorf("got %v of waiting in two seconds, want %v", waited, want)
		}
	})
}
