package files

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// retryAfter is how long readers leave a project alone whose reconciling failed:
// a disk that is full or gone must not make every read walk the tree.
const retryAfter = 5 * time.Second

// freshness knows which projects this process has reconciled and nothing has
// gone wrong with since.
type freshness struct {
	mu         sync.Mutex
	reconciled map[core.ID]bool
	restsUntil map[core.ID]time.Time
}

func newFreshness() *freshness {
	return &freshness{reconciled: map[core.ID]bool{}, restsUntil: map[core.ID]time.Time{}}
}

func (f *freshness) has(project core.ID) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reconciled[project]
}

// readable reports whether a reader may go on without reconciling first.
func (f *freshness) readable(project core.ID, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reconciled[project] || now.Before(f.restsUntil[project])
}

func (f *freshness) add(project core.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reconciled[project] = true
	delete(f.restsUntil, project)
}

// claim lets readers pass until a moment, except the one whose call returns true: there
// is none while readers pass already.
func (f *freshness) claim(project core.ID, now, until time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.restsUntil[project]) {
		return false
	}
	f.restsUntil[project] = until
	return true
}

// rest lets readers pass until a moment, writers not.
func (f *freshness) rest(project core.ID, until time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.restsUntil[project] = until
}

// drop makes the next touch reconcile the project.
func (f *freshness) drop(project core.ID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.reconciled, project)
	delete(f.restsUntil, project)
}
