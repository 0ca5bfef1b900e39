package projects_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/worktree"
)

// haltedTrees calls halt before a tree is removed.
type haltedTrees struct {
	worktree.Trees
	halt func()
}

func (t *haltedTrees) Remove(ctx context.Context, project core.ID) error {
	if t.halt != nil {
		t.halt()
	}
	return t.Trees.Remove(ctx, project)
}

// halted is a fixture with a trash, in which halt runs in the middle of every purge.
func halted(t *testing.T, halt func(*fixture)) *fixture {
	f := inTrash(t)
	trees := &haltedTrees{Trees: f.trees}
	trees.halt = func() { halt(f) }
	f.deps.Files = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(f.trees), Store: f.deps.Store, Bus: f.deps.Bus,
		Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(), Now: f.deps.Now, Log: f.deps.Log,
	})
	f.service = projects.NewService(f.deps)
	return f
}

func TestNoRestoreIsAcknowledgedDuringAPurge(t *testing.T) {
	for name, purge := range map[string]func(*fixture, core.ID) error{
		"purge":           func(f *fixture, id core.ID) error { return f.service.Purge(f.ctx, f.owner, id) },
		"empty the trash": func(f *fixture, _ core.ID) error { return f.service.EmptyTrash(f.ctx, f.owner, f.workspace) },
		"expiry": func(f *fixture, _ core.ID) error {
			f.now = f.now.Add(31 * 24 * time.Hour)
			return f.service.PurgeExpired(f.ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var restored []error
			var id core.ID
			f := halted(t, func(f *fixture) {
				_, err := f.service.Restore(f.ctx, f.member, id)
				restored = append(restored, err)
			})
			id = f.create("Shop").ID
			f.delete(id)
			f.must(purge(f, id))
			if len(restored) != 1 || !core.IsCode(restored[0], core.CodeNotFound) {
				t.Errorf("got %v, want one restore that is refused", restored)
			}
			f.wantGone(id, true)
		})
	}
}

func TestAPurgeThatBrokeOffIsFinished(t *testing.T) {
	f := newFixture(t)
	project := f.create("Shop")
	f.delete(project.ID)
	f.trees.SetMissing(true)
	f.wantCode(f.service.Purge(f.ctx, f.owner, project.ID), core.CodeUnavailable)
	f.trees.SetMissing(false)
	_, err := f.service.Restore(f.ctx, f.member, project.ID)
	f.wantCode(err, core.CodeNotFound)
	f.wantGone(project.ID, false)
	f.must(f.service.PurgeExpired(f.ctx))
	f.wantGone(project.ID, true)
	f.wantTrees(0)
}
