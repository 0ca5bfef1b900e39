package files

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

const (
	// markPatience is how long a listing that finds a mark waits for the project's lock
	// before it goes on with the cache, and for how long after that no other listing in
	// this process looks after a mark of this project: listings of a project that is
	// written all the time wait once a second at most.
	markPatience = time.Second

	// unmarkTimeout bounds what a mark adds to the time of a project's lock.
	unmarkTimeout = 5 * time.Second
)

// marks knows the marks that this process has set, or found, under a project's lock
// that it still has.
type marks struct {
	mu sync.Mutex
	// kept says of each whether it stays to the end, however often rows change.
	kept map[core.ID]bool
}

func newMarks() *marks { return &marks{kept: map[core.ID]bool{}} }

func (m *marks) add(project core.ID, kept bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[project] = m.kept[project] || kept
}

func (m *marks) has(project core.ID) (set, kept bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	kept, set = m.kept[project]
	return set, kept
}

// drop forgets a mark and reports whether there was one.
func (m *marks) drop(project core.ID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, set := m.kept[project]
	delete(m.kept, project)
	return set
}

// mark marks the project for a caller that holds the lock and is about to change the
// disk. The next change of rows takes the mark away when it brings all in step, the
// giving back of the lock whenever all is.
func (p *Pipeline) mark(ctx context.Context, project core.ID) error {
	if set, _ := p.marks.has(project); set || bool(p.deps.Exclusive) {
		return nil
	}
	if err := p.deps.Store.Tables().Files.Mark(ctx, project); err != nil {
		return err
	}
	p.marks.add(project, false)
	return nil
}

// markToEnd is mark for what takes several changes of rows: only the giving back of the
// lock takes the mark away.
func (p *Pipeline) markToEnd(ctx context.Context, project core.ID) error {
	if err := p.mark(ctx, project); err != nil || bool(p.deps.Exclusive) {
		return err
	}
	p.marks.add(project, true)
	return nil
}

// inherit reports whether the project is marked, for a caller that holds the lock. The
// mark is then the caller's.
func (p *Pipeline) inherit(ctx context.Context, project core.ID) (bool, error) {
	if p.deps.Exclusive {
		return false, nil
	}
	state, err := p.deps.Store.Tables().Files.State(ctx, project)
	if err == nil && state.Unsettled {
		p.marks.add(project, true)
	}
	return state.Unsettled, err
}

// unmark takes a mark away that is still there when the lock is given back, if all is
// in step. A mark that stays has the next touch reconcile the project. Where the lock was
// lost, another may have taken the mark away before the last change of the disk, so it is
// set again.
func (p *Pipeline) unmark(ctx context.Context, project core.ID) {
	if !p.marks.drop(project) {
		return
	}
	change := p.deps.Store.Tables().Files.Unmark
	lost := locks.Check(ctx)
	switch {
	case lost != nil:
		change = p.deps.Store.Tables().Files.Mark
	case !p.fresh.has(project):
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unmarkTimeout)
	defer cancel()
	err := change(ctx, project)
	if err == nil {
		err = lost
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		p.deps.Log.WarnContext(ctx, "a project stays marked: its next touch reconciles it", "project", project, "error", err)
	}
}

// await is for a listing that found the project marked. It waits for the lock, and
// reconciles when the mark is still there. It reports whether the cache may be another
// now: it is not asked when a writer of this process set the mark, when another listing
// has just looked, or when the lock cannot be had in time. What the writer does is then
// not acknowledged yet, so the cache is as good an answer as the disk.
func (p *Pipeline) await(ctx context.Context, project core.ID) bool {
	if set, _ := p.marks.has(project); set {
		return false
	}
	now := p.deps.Now()
	if !p.fresh.claim(project, now, now.Add(markPatience)) {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, markPatience)
	defer cancel()
	_, end, err := p.enter(waiting, project)
	if err == nil {
		end()
		return true
	}
	if ctx.Err() == nil {
		p.fresh.rest(project, p.deps.Now().Add(retryAfter))
		p.deps.Log.WarnContext(ctx, "marked project not reconciled", "project", project, "error", err)
	}
	return false
}
