package files_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// countedSizes counts how often trees are measured.
type countedSizes struct {
	worktree.Trees
	times int
}

type countedSizesTree struct {
	worktree.Tree
	trees *countedSizes
}

// Open implements worktree.Trees.
func (w *countedSizes) Open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := w.Trees.Open(ctx, project)
	return countedSizesTree{tree, w}, err
}

// Size implements worktree.Tree.
func (w countedSizesTree) Size(ctx context.Context) (int64, error) {
	w.trees.times++
	return w.Tree.Size(ctx)
}

// bounded is a fixture whose projects may take so many bytes.
func bounded(t *testing.T, most int64) (*fixture, *countedSizes) {
	f := newFixture(t)
	trees := &countedSizes{Trees: f.deps.Trees}
	f.deps.Trees, f.deps.MaxBytes = trees, files.MaxProjectBytes(most)
	f.restart()
	return f, trees
}

func letters(size int) string { return strings.Repeat("x", size) }

func TestAProjectTakesNoMoreThanItMay(t *testing.T) {
	f, _ := bounded(t, 1000)
	f.apply(write("a.txt", letters(400)), write("b.txt", letters(400)))
	full := func(changes ...core.FileChange) {
		t.Helper()
		_, err := f.pipeline.Apply(f.ctx, f.project, ann, changes, nil)
		f.wantCode(err, core.CodePayloadTooLarge)
		if err != nil && (!strings.Contains(err.Error(), "1000") || !strings.Contains(err.Error(), "811 bytes")) {
			t.Errorf("got %q, want the bound and the use named", err)
		}
		_, err = f.pipeline.Rewrite(f.ctx, ann, f.at("README.md"), 1000, func([]byte) ([]byte, bool, error) { return []byte(letters(300)), true, nil })
		f.wantCode(err, core.CodePayloadTooLarge)
		_, _, err = f.pipeline.ApplyAndCommit(f.ctx, f.project, changes, vcs.Commit{Message: "More", Author: ann})
		f.wantCode(err, core.CodePayloadTooLarge)
	}
	full(write("c.txt", letters(100)), write("d.txt", letters(100)))
	f.wantPaths("README.md", "a.txt", "b.txt", "src/main.js")
	f.apply(remove("a.txt"))
	f.apply(write("c.txt", letters(300)))
	headroom, err := f.pipeline.Headroom(f.ctx, f.project)
	if want := (files.Headroom{Bytes: 289, TreeBytes: 1000}); err != nil || headroom != want {
		t.Errorf("got %+v, %v, want %+v", headroom, err, want)
	}
}

func TestAWriteMeasuresNothingAsLongAsThereIsRoom(t *testing.T) {
	f, trees := bounded(t, 1<<20)
	now := time.Now()
	f.deps.Now = func() time.Time { return now }
	f.restart()
	for range 50 {
		f.apply(write("a.txt", letters(1000)))
	}
	if trees.times != 1 {
		t.Errorf("got %d measurements of 50 writes, want the first one's", trees.times)
	}
	now = now.Add(time.Hour)
	f.apply(write("a.txt", letters(1000)))
	if trees.times != 2 {
		t.Errorf("got %d measurements, want a new one an hour later", trees.times)
	}
}

func TestANewProjectTakesNoMoreThanItMay(t *testing.T) {
	f, _ := bounded(t, 1000)
	_, err := f.pipeline.CreateFrom(f.ctx, core.NewID(), func(_ context.Context, add func(core.ProjectPath, []byte) error) error {
		return add(core.MustPath("large.txt"), []byte(letters(1001)))
	}, vcs.Commit{Message: "First"})
	f.wantCode(err, core.CodePayloadTooLarge)
	if headroom := f.pipeline.InitialHeadroom(); headroom != (files.Headroom{Bytes: 1000, TreeBytes: 1000}) {
		t.Errorf("got %+v, want all of it", headroom)
	}
}

func TestTheQuotaOfAWorkspaceBoundsItsProjectsFurther(t *testing.T) {
	f, _ := bounded(t, 1<<40)
	tables := f.deps.Store.Tables()
	project, err := tables.Projects.ByID(f.ctx, f.project)
	f.must(err)
	give := func(bytes int64) {
		_, err := tables.Workspaces.Update(f.ctx, project.WorkspaceID, func(space *core.Workspace) error {
			space.Quotas.Bytes = bytes
			return nil
		})
		f.must(err)
	}
	give(1000)
	_, err = f.pipeline.Apply(f.ctx, f.project, ann, []core.FileChange{write("a.txt", letters(2000))}, nil)
	f.wantCode(err, core.CodePayloadTooLarge)
	give(10_000)
	f.apply(write("a.txt", letters(2000)))
}
