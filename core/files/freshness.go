package files

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// retryAfter is the back-off of readers after reconciling a project failed: a disk that
// is full or missing must not make every read walk the tree.
const retryAfter = 5 * time.Second

// freshness knows which projects this process has reconciled without a failure since.
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

// claim chooses one caller to reconcile, a single flight: it returns true to that one,
// and lets all other readers pass until a moment. While readers may pass already, it
// returns false.
func (f *freshness) claim(project core.ID, now, until time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now.Before(f.restsUntil[project]) {
		return false
	}
	f.restsUntil[project] = until
	return true
}

// rest lets readers, but not writers, pass until a moment.
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
