package files_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

func TestReconcileBringsInWhatChangedOutside(t *testing.T) {
	tests := []struct {
		name    string
		outside []core.FileChange
		want    []string
		changes []string
	}{
		{"nothing", nil, []string{"README.md", "src/main.js"}, nil},
		{"a new file", []core.FileChange{write("a/b", "1")}, []string{"README.md", "a/b", "src/main.js"}, []string{"created a/b"}},
		{"a changed file", []core.FileChange{write("README.md", "other")}, []string{"README.md", "src/main.js"}, []string{"modified README.md"}},
		{"a changed file of the same size", []core.FileChange{write("README.md", "hellO")}, []string{"README.md", "src/main.js"}, []string{"modified README.md"}},
		{"a deleted file", []core.FileChange{remove("README.md")}, []string{"src/main.js"}, []string{"deleted README.md"}},
		{"a moved directory", []core.FileChange{rename("src", "lib")}, []string{"README.md", "lib/main.js"}, []string{"created lib/main.js", "deleted src/main.js"}},
		{"a file that became a directory", []core.FileChange{remove("README.md"), write("README.md/x", "1")}, []string{"README.md/x", "src/main.js"}, []string{"deleted README.md", "created README.md/x"}},
		{"a directory that became a file", []core.FileChange{remove("src"), write("src", "1")}, []string{"README.md", "src"}, []string{"created src", "deleted src/main.js"}},
		{"all files gone", []core.FileChange{remove("src"), remove("README.md")}, nil, []string{"deleted README.md", "deleted src/main.js"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t)
			f.outside(test.outside...)
			f.restart()
			report, err := f.pipeline.Reconcile(f.ctx, f.project)
			f.must(err)
			var got []string
			for _, change := range report.Changes {
				got = append(got, fmt.Sprintf("%s %s", change.Action, change.Path))
			}
			if !slices.Equal(got, test.changes) || report.Files != len(test.want) || report.Rebuilt {
				t.Errorf("got the report %+v, want the changes %q", report, test.changes)
			}
			f.wantPaths(test.want...)
			again, err := f.pipeline.Reconcile(f.ctx, f.project)
			f.must(err)
			if len(again.Changes) != 0 || again.Staged != 0 {
				t.Errorf("the second time: got %+v, want nothing to do", again)
			}
		})
	}
}

func TestAStaleRowAboveGoodOnesTakesNoneWithIt(t *testing.T) {
	f := newFixture(t)
	stale := storage.FileDelta{Put: []core.FileEntry{{Path: core.MustPath("src"), Size: 1, ETag: `"stale"`}}}
	_, err := f.deps.Store.Tables().Files.Apply(f.ctx, f.project, stale)
	f.must(err)
	f.restart()
	f.wantPaths("README.md", "src/main.js")
}

func TestAProjectIsReconciledAtItsFirstTouchOnly(t *testing.T) {
	f := newFixture(t)
	counter := &countingTrees{Trees: f.deps.Trees}
	f.deps.Trees = counter
	f.restart()
	if got := counter.walks.Load(); got != 0 {
		t.Fatalf("got %d walks at the start, want 0", got)
	}
	f.outside(write("outside", "1"))
	f.wantPaths("README.md", "outside", "src/main.js")
	f.wantPaths("README.md", "outside", "src/main.js")
	f.apply(write("outside", "2"))
	if got := counter.walks.Load(); got != 1 {
		t.Errorf("got %d walks, want 1", got)
	}
}

func TestReadingAFileWaitsForNoReconciling(t *testing.T) {
	f := newFixture(t)
	f.restart()
	_, unlock, err := f.deps.Locks.Lock(f.ctx, f.project)
	f.must(err)
	defer unlock()
	if got := f.read("README.md"); got != "hello" {
		t.Errorf("got %q, want the content", got)
	}
}

func TestReconcileReadsOnlyWhatChanged(t *testing.T) {
	f := newFixture(t)
	counter := &countingTrees{Trees: f.deps.Trees}
	f.deps.Trees = counter
	f.outside(write("src/main.js", "other()"))
	f.restart()
	_, err := f.pipeline.Reconcile(f.ctx, f.project)
	f.must(err)
	if got := counter.opened.Load(); got != 1 {
		t.Errorf("got %d files read, want the changed one", got)
	}
}

func TestAMissingDiskNeverEmptiesTheCache(t *testing.T) {
	f := newFixture(t)
	now := time.Now()
	f.deps.Now = func() time.Time { return now }
	f.restart()
	f.trees.SetMissing(true)
	_, err := f.pipeline.Reconcile(f.ctx, f.project)
	f.wantCode(err, core.CodeUnavailable)
	_, err = f.pipeline.Apply(f.ctx, f.project, core.Author{}, []core.FileChange{write("a", "1")}, nil)
	f.wantCode(err, core.CodeUnavailable)
	listing, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	if len(listing.Entries) != 2 {
		t.Errorf("while the disk is away: got %d entries, want the 2 of the cache", len(listing.Entries))
	}
	f.trees.SetMissing(false)
	f.outside(write("a", "1"))
	now = now.Add(time.Minute)
	f.wantPaths("README.md", "a", "src/main.js")
}

func TestAMissingDirectoryNeverEmptiesTheCache(t *testing.T) {
	f := newFixture(t)
	steps := []struct {
		name    string
		breakIt func()
	}{
		{"the directory is gone", func() { f.must(f.trees.Remove(f.ctx, f.project)) }},
		{"an empty one is in its place", func() { f.must(f.trees.Create(f.ctx, f.project)) }},
		{"still, after a first try", func() {}},
	}
	for _, step := range steps {
		step.breakIt()
		f.restart()
		_, err := f.pipeline.Reconcile(f.ctx, f.project)
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want unavailable", step.name, err)
		}
		rows, err := f.deps.Store.Tables().Files.List(f.ctx, f.project)
		f.must(err)
		if len(rows) != 2 {
			t.Errorf("%s: got %d rows, want both", step.name, len(rows))
		}
	}
}

func TestReadersLeaveABrokenProjectAloneForAWhile(t *testing.T) {
	f := newFixture(t)
	now := time.Now()
	f.deps.Now = func() time.Time { return now }
	counter := &countingTrees{Trees: f.deps.Trees}
	f.deps.Trees, f.deps.Repositories = counter, &brokenStage{Repositories: f.deps.Repositories, broken: true}
	f.restart()
	f.outside(write("outside", "1"))
	for range 3 {
		_, err := f.pipeline.List(f.ctx, f.project)
		f.must(err)
	}
	if got := counter.walks.Load(); got != 1 {
		t.Errorf("got %d walks, want 1", got)
	}
	now = now.Add(time.Minute)
	_, err := f.pipeline.List(f.ctx, f.project)
	f.must(err)
	if got := counter.walks.Load(); got != 2 {
		t.Errorf("after a minute: got %d walks, want 2", got)
	}
}

func TestALostRepositoryIsMadeAnew(t *testing.T) {
	f := newFixture(t)
	id := f.project
	f.must(f.trees.Remove(f.ctx, id))
	f.must(f.trees.Create(f.ctx, id))
	f.outside(write("README.md", "hello"), write("kept", "1"))
	f.restart()
	report, err := f.pipeline.Reconcile(f.ctx, id)
	f.must(err)
	if !report.Rebuilt {
		t.Error("got a report that says nothing of the new repository")
	}
	f.wantPaths("README.md", "kept")
	_, changed, err := f.pipeline.Commit(f.ctx, id, vcs.Commit{Message: "Again", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}})
	f.must(err)
	if !changed {
		t.Error("got no version from the new repository")
	}
}

func TestReconcileOfManyFilesStagesInBatches(t *testing.T) {
	f := newFixture(t)
	big := strings.Repeat("x", 9<<20)
	f.outside(write("big1", big), write("big2", big+"y"), write("big3", big+"z"))
	many := []string{"README.md", "big1", "big2", "big3"}
	for i := range 1100 {
		path := fmt.Sprintf("many/%04d", i)
		f.outside(write(path, path))
		many = append(many, path)
	}
	stages := &countingStage{Repositories: f.deps.Repositories}
	f.deps.Repositories = stages
	f.restart()
	f.wantPaths(append(many, "src/main.js")...)
	if stages.calls < 3 || stages.calls > 6 || stages.largest > 30<<20 {
		t.Errorf("got %d stages of at most %d bytes, want a few of bounded size", stages.calls, stages.largest)
	}
}

func TestReconcileAllTakesEveryProjectThatHasARecord(t *testing.T) {
	f := newFixture(t)
	other := f.addProject(fstest.MapFS{})
	f.must(f.trees.Create(f.ctx, core.NewID()))
	gone := f.addProject(fstest.MapFS{})
	f.must(f.deps.Store.Tables().Projects.Delete(f.ctx, gone))
	var got []core.ID
	f.must(f.pipeline.ReconcileAll(f.ctx, func(id core.ID, report files.Report, err error) {
		f.must(err)
		got = append(got, id)
	}))
	want := []core.ID{f.project, other}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want the two projects with records", got)
	}
	ctx, cancel := context.WithCancel(f.ctx)
	cancel()
	if err := f.pipeline.ReconcileAll(ctx, nil); err == nil {
		t.Error("got no error for a context that has ended")
	}
}

// countingTrees counts walks and opened files.
type countingTrees struct {
	worktree.Trees
	walks, opened atomic.Int32
}

func (c *countingTrees) Open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := c.Trees.Open(ctx, project)
	return countingTree{tree, c}, err
}

type countingTree struct {
	worktree.Tree
	counter *countingTrees
}

func (c countingTree) Walk(ctx context.Context, visit func(worktree.Info) error) error {
	c.counter.walks.Add(1)
	return c.Tree.Walk(ctx, visit)
}

func (c countingTree) Open(ctx context.Context, path core.ProjectPath) (worktree.File, error) {
	c.counter.opened.Add(1)
	return c.Tree.Open(ctx, path)
}

// countingStage counts calls of Stage and the bytes of the largest.
type countingStage struct {
	vcs.Repositories
	calls, largest int
}

func (c *countingStage) Stage(ctx context.Context, project core.ID, changes []core.FileChange) error {
	c.calls++
	bytes := 0
	for _, change := range changes {
		bytes += len(change.Content)
	}
	c.largest = max(c.largest, bytes)
	return c.Repositories.Stage(ctx, project, changes)
}
