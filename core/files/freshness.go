package files

import (
	"context"
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

// refresh reconciles the project unless this process has done so. If the disk prevents
// that, only writers fail: readers use the cache.
func (p projects) refresh(ctx context.Context, project core.ID) error {
	if p.fresh.readable(project, p.deps.Now()) {
		return nil
	}
	locked, err := p.lockReconciled(ctx, project)
	if err == nil {
		locked.release()
		return nil
	}
	if !core.IsCode(err, core.CodeUnavailable) {
		return err
	}
	p.fresh.rest(project, p.deps.Now().Add(retryAfter))
	p.deps.Log.WarnContext(ctx, "could not reconcile a project", "project", project, "error", err)
	return nil
}

// markPatience is how long a listing that finds a mark waits for the project's lock
// before it uses the cache. For as long after that, no other listing in this process
// waits for the project. So listings of a project that is written constantly wait
// once a second at most.
const markPatience = time.Second

// awaitMarked waits for the lock of a project that a listing found marked, reconciles the
// project if it is still marked, and reports whether the cache may have changed. It
// returns false without waiting if a writer of this process set the mark or another
// listing has just waited, and false if it does not get the lock in time. The writer's
// change is then not acknowledged yet, so the cache is as good an answer as the disk.
func (p projects) awaitMarked(ctx context.Context, project core.ID) bool {
	if set, _ := p.marks.has(project); set {
		return false
	}
	now := p.deps.Now()
	if !p.fresh.claim(project, now, now.Add(markPatience)) {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, markPatience)
	defer cancel()
	locked, err := p.lockReconciled(waiting, project)
	if err == nil {
		locked.release()
		return true
	}
	if ctx.Err() == nil {
		p.fresh.rest(project, p.deps.Now().Add(retryAfter))
		p.deps.Log.WarnContext(ctx, "could not reconcile a marked project", "project", project, "error", err)
	}
	return false
}
