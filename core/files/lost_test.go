package files_test

import (
	"context"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// expiringLocks are locks that the process loses at a check, so that others can take them over.
type expiringLocks struct {
	*memory.Locks
	// at is the number of the first check that reports the loss; asked counts the checks.
	at, asked int
}

func (l *expiringLocks) Lock(ctx context.Context, record core.ID) (context.Context, func(), error) {
	held, unlock, err := l.Locks.Lock(ctx, record)
	return locks.With(held, func() error {
		l.asked++
		if l.asked < l.at {
			return nil
		}
		return core.Errorf(core.CodeUnavailable, "the lock was lost")
	}), unlock, err
}

// wantInStep fails the test unless the other process lists and stages what the disk has.
func (n *neighbours) wantInStep() {
	n.t.Helper()
	tree, err := n.trees.Open(n.ctx, n.project)
	n.must(err)
	var paths []string
	n.must(tree.Walk(n.ctx, func(info worktree.Info) error { paths = append(paths, info.Path.String()); return nil }))
	n.wantPaths(paths...)
	n.wantMark(false)
}

func TestALockThatIsLostAtAnyStepLeavesNothingOutOfStep(t *testing.T) {
	for _, test := range writes {
		if test.name == "a reconciliation" {
			continue // of changes made without the service, which no other process knows of
		}
		t.Run(test.name, func(t *testing.T) {
			for at, asked := 1, 1; asked >= at; at++ {
				n := newNeighbours(t)
				n.t = t
				lost := &expiringLocks{Locks: memory.NewLocks(), at: at}
				deps := n.deps
				deps.Locks = lost
				err := test.call(n, files.NewPipeline(deps))
				if asked = lost.asked; asked >= at && err != nil && !core.IsCode(err, core.CodeUnavailable) {
					t.Errorf("lost at check %d: got %v, want code %s", at, err, core.CodeUnavailable)
				}
				n.wantInStep()
			}
		})
	}
}

// lateTrees change a tree when another process has taken the project over.
type lateTrees struct {
	worktree.Trees
	takeOver func()
}

func (l *lateTrees) Open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := l.Trees.Open(ctx, project)
	return lateTree{tree, l}, err
}

type lateTree struct {
	worktree.Tree
	late *lateTrees
}

func (l lateTree) Apply(ctx context.Context, changes []core.FileChange) []worktree.Result {
	l.late.takeOver()
	return l.Tree.Apply(context.WithoutCancel(locks.With(ctx, func() error { return nil })), changes)
}

// TestAChangeThatSlipsInAfterItsLockWasLostIsFound lets a process stop after its last check
// and right before a change, until another has taken the project over.
func TestAChangeThatSlipsInAfterItsLockWasLostIsFound(t *testing.T) {
	n := newNeighbours(t)
	lost := &expiringLocks{Locks: memory.NewLocks(), at: 1}
	deps := n.deps
	deps.Locks = lost
	deps.Trees = &lateTrees{deps.Trees, func() { n.apply(write("README.md", "newer")) }}
	_, err := files.NewPipeline(deps).Apply(n.ctx, n.project, ann, []core.FileChange{remove("src/main.js")}, nil)
	n.wantCode(err, core.CodeUnavailable)
	n.wantMark(true)
	n.wantInStep()
	n.wantPaths("README.md")
}

// lockedRepositories has a repository that a process left locked when it died or hung in the middle
// of a version.
type lockedRepositories struct {
	vcs.Repositories
	repaired bool
}

func (l *lockedRepositories) Commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	if !l.repaired {
		return core.Version{}, false, errDisk
	}
	return l.Repositories.Commit(ctx, project, commit)
}

func (l *lockedRepositories) Repair(ctx context.Context, project core.ID) (bool, error) {
	l.repaired = true
	return l.Repositories.Repair(ctx, project)
}

func TestAVersionThatCannotBeMadeHasTheNextTouchRepairTheRepository(t *testing.T) {
	n := newNeighbours(t)
	n.apply(write("README.md", "edited"))
	deps := n.deps
	left := &lockedRepositories{Repositories: deps.Repositories, repaired: true}
	deps.Repositories = left
	pipeline := files.NewPipeline(deps)
	_, err := pipeline.List(n.ctx, n.project)
	n.must(err)
	left.repaired = false
	_, _, err = pipeline.Commit(n.ctx, n.project, vcs.Commit{Message: "First", Author: ann})
	n.wantCode(err, core.CodeUnavailable)
	if _, made, err := pipeline.Commit(n.ctx, n.project, vcs.Commit{Message: "Second", Author: ann}); err != nil || !made {
		t.Errorf("got made %t, %v after a repair, want a version", made, err)
	}
}
