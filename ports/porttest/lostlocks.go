package porttest

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// underLostLock is the context of work under a lock that was lost.
func underLostLock(ctx context.Context) context.Context {
	return locks.With(ctx, func() error { return core.Errorf(core.CodeUnavailable, "the lock was lost") })
}

func treeLostLock(t *testing.T, h WorktreeHarness) {
	project := core.NewID()
	tree := treeOf(t, h, project)
	treeWrite(t, tree, "a.txt", "a")
	treeWrite(t, tree, "dir/b.txt", "b")
	lost := underLostLock(t.Context())
	for i, result := range tree.Apply(lost, []core.FileChange{
		treeWriting("a.txt", "late"), treeWriting("new.txt", "late"),
		{Op: core.OpRename, Path: core.MustPath("a.txt"), To: core.MustPath("c.txt")},
		{Op: core.OpDelete, Path: core.MustPath("a.txt")}, {Op: core.OpDelete, Path: core.MustPath("dir")},
	}) {
		if !core.IsCode(result.Err, core.CodeUnavailable) {
			t.Errorf("change %d: got %v, want code %s", i, result.Err, core.CodeUnavailable)
		}
	}
	filesWantCode(t, "repairing the tree", h.Trees.Repair(lost, project), core.CodeUnavailable)
	filesMust(t, h.Trees.Repair(t.Context(), project))
	filesWantCode(t, "removing the tree", h.Trees.Remove(lost, project), core.CodeUnavailable)
	treeWantContent(t, tree, "a.txt", "a")
	treeWantContent(t, tree, "dir/b.txt", "b")
	for _, absent := range []string{"new.txt", "c.txt"} {
		_, err := tree.Stat(t.Context(), core.MustPath(absent))
		filesWantCode(t, absent, err, core.CodeNotFound)
	}
	treeLostLockInBetween(t, h)
}

// treeLostLockInBetween loses the lock when one of two changes has been carried out.
func treeLostLockInBetween(t *testing.T, h WorktreeHarness) {
	t.Helper()
	tree := treeOf(t, h, core.NewID())
	var asked atomic.Int32
	losing := locks.With(t.Context(), func() error {
		if asked.Add(1) == 1 {
			return nil
		}
		return core.Errorf(core.CodeUnavailable, "the lock was lost")
	})
	results := tree.Apply(losing, []core.FileChange{treeWriting("first.txt", "1"), treeWriting("second.txt", "2")})
	if results[0].Err != nil || !core.IsCode(results[1].Err, core.CodeUnavailable) {
		t.Errorf("got %v and %v, want the change before the loss alone", results[0].Err, results[1].Err)
	}
	treeWantContent(t, tree, "first.txt", "1")
	_, err := tree.Stat(t.Context(), core.MustPath("second.txt"))
	filesWantCode(t, "second.txt", err, core.CodeNotFound)
}

func vcsLostLock(t *testing.T, p *vcsProject) {
	p.save(t, treeWriting("a", "a"))
	first := p.commit(t, "First")
	p.save(t, treeWriting("a", "changed"))
	second := p.commit(t, "Second")
	next, _, err := p.repo.Recommit(t.Context(), p.id, first.ID, vcs.Commit{Message: "Back"})
	filesMust(t, err)
	p.save(t, treeWriting("b", "b"))
	lost := underLostLock(t.Context())
	filesWantCode(t, "stage", p.repo.Stage(lost, p.id, []core.FileChange{treeWriting("c", "c")}), core.CodeUnavailable)
	// The next holder of the lock repairs the repository.
	repair := func() {
		_, err := p.repo.Repair(t.Context(), p.id)
		filesMust(t, err)
	}
	repair()
	_, _, err = p.repo.Commit(lost, p.id, vcs.Commit{Message: "Late"})
	filesWantCode(t, "commit", err, core.CodeUnavailable)
	repair()
	arrival := vcs.Arrival{From: second.ID, To: next.ID}
	filesWantCode(t, "arrive", p.repo.Arrive(lost, p.id, arrival), core.CodeUnavailable)
	if _, arriving, err := p.repo.Arriving(t.Context(), p.id); err != nil || arriving {
		t.Errorf("got an arrival %v, %v, want none", arriving, err)
	}
	filesMust(t, p.repo.Arrive(t.Context(), p.id, arrival))
	filesWantCode(t, "settle", p.repo.Settle(lost, p.id, arrival), core.CodeUnavailable)
	repair()
	if got, arriving, err := p.repo.Arriving(t.Context(), p.id); err != nil || !arriving || got != arrival {
		t.Errorf("got the arrival %v, %v, %v, want the one that is not settled", got, arriving, err)
	}
	versions, err := p.repo.Log(t.Context(), p.id, "", 10)
	if err != nil || len(versions) != 2 {
		t.Errorf("got the versions %v, %v, want the two from before", versions, err)
	}
	if got := p.stagedPaths(t); len(got) != 2 {
		t.Errorf("got %q staged, want a and b", got)
	}
}

func fileLostLock(s *storageCase) {
	project := s.project(s.workspace().ID)
	s.apply(project.ID, storage.FileDelta{Put: entries("a")})
	s.must(s.Files.Mark(s.Context(), project.ID))
	late := storage.FileDelta{Delete: pathsOf("a"), Put: entries("b")}
	s.wantCode(s.Files.Apply(underLostLock(s.Context()), project.ID, late), core.CodeUnavailable)
	s.wantPaths(project.ID, "a")
	s.wantState(project.ID, 1, true)
}
