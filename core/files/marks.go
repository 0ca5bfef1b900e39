package files

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
)

// unmarkTimeout bounds how much longer a project's lock is held to remove a mark.
const unmarkTimeout = 5 * time.Second

// marks knows the marks that this process has set or found under project locks that it
// still holds.
type marks struct {
	mu sync.Mutex
	// kept has the marked projects; the value says whether the mark stays until the lock
	// is released, however often rows change.
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

// mark marks the project as unsettled before the disk is changed. The next change of rows
// removes the mark if it completes the change; otherwise the release of the lock does, if
// everything is in step.
func (l *lockedProject) mark() error {
	if set, _ := l.marks.has(l.id); set || bool(l.deps.Exclusive) {
		return nil
	}
	if err := l.deps.Store.Tables().Files.Mark(l.ctx, l.id); err != nil {
		return err
	}
	l.marks.add(l.id, false)
	return nil
}

// markToEnd is mark for work with several changes of rows: only the release of the lock
// removes the mark.
func (l *lockedProject) markToEnd() error {
	if err := l.mark(); err != nil || bool(l.deps.Exclusive) {
		return err
	}
	l.marks.add(l.id, true)
	return nil
}

// inherit reports whether the project is marked. The mark is then the caller's.
func (l *lockedProject) inherit() (bool, error) {
	if l.deps.Exclusive {
		return false, nil
	}
	state, err := l.deps.Store.Tables().Files.State(l.ctx, l.id)
	if err == nil && state.Unsettled {
		l.marks.add(l.id, true)
	}
	return state.Unsettled, err
}

// unmark removes a mark that is left when the lock is released, if everything is in step.
// If the mark stays, the next touch reconciles the project. If the lock was lost, another
// process may have removed the mark before the last change of the disk, so unmark sets it
// again.
func (l *lockedProject) unmark() {
	if !l.marks.drop(l.id) {
		return
	}
	change := l.deps.Store.Tables().Files.Unmark
	lost := locks.Check(l.held)
	switch {
	case lost != nil:
		change = l.deps.Store.Tables().Files.Mark
	case !l.fresh.has(l.id):
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.held), unmarkTimeout)
	defer cancel()
	err := change(ctx, l.id)
	if err == nil {
		err = lost
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		l.deps.Log.WarnContext(ctx, "left a project marked: its next use reconciles it", "project", l.id, "error", err)
	}
}
