package projects_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/locks"
)

// slowLocks calls waiting before a lock is taken.
type slowLocks struct {
	locks.Locker
	waiting func()
}

func (l *slowLocks) Lock(ctx context.Context, project core.ID) (context.Context, func(), error) {
	l.waiting()
	return l.Locker.Lock(ctx, project)
}

func TestASweepLeavesATreeThatIsRecordedMeanwhile(t *testing.T) {
	f := newFixture(t)
	made := f.create("Shop").Project
	f.must(f.tables().Projects.Delete(f.ctx, made.ID))
	f.now = f.now.Add(2 * time.Hour)
	recorded := false
	f.deps.Files = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     f.trees, Repositories: memory.NewRepositories(f.trees), Store: f.deps.Store, Bus: f.deps.Bus,
		Unsaved: memory.NewUnsaved(), Now: f.deps.Now, Log: f.deps.Log,
		Locks: &slowLocks{memory.NewLocks(), func() {
			if !recorded {
				recorded = true
				f.must(f.tables().Projects.Create(f.ctx, made))
			}
		}},
	})
	swept, err := projects.NewService(f.deps).Sweep(f.ctx)
	if err != nil || len(swept) != 0 || !recorded {
		t.Errorf("got %v, %v, want nothing swept", swept, err)
	}
	f.wantTrees(1)
}
