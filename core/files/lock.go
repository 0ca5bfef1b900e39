package files

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/loglimit"
	"github.com/atelierhq/atelier/ports/worktree"
)

// workTimeout bounds the work under a project's lock: a disk or a database that hangs must
// not block the project's writers forever.
const workTimeout = time.Minute

// state is shared by work with and without a lock: the ports, and what this process
// remembers of projects.
type state struct {
	deps    Deps
	cache   *cache
	fresh   *freshness
	marks   *marks
	editors *editors
	budget  *budget
	// limitedLog gets what would repeat with every call while another service is down.
	limitedLog *loglimit.Limiter
}

// repeatAfter is how long a failure that comes with every call is not logged again.
const repeatAfter = 10 * time.Second

func newState(deps Deps) *state {
	return &state{deps: deps, cache: newCache(deps), fresh: newFreshness(), marks: newMarks(), editors: newEditors(), budget: newBudget(deps), limitedLog: loglimit.New(deps.Log, repeatAfter)}
}

// tree returns the tree of a project that had a record when the caller looked.
func (s *state) tree(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := s.deps.Trees.Open(ctx, project)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, s.missing(ctx, project, err)
	}
	return tree, err
}

// missing is the error for a project without files: core.CodeNotFound if the project is being
// deleted, otherwise a failure of the disk, which is not the caller's mistake.
func (s *state) missing(ctx context.Context, project core.ID, cause error) error {
	found, err := s.deps.Store.Tables().Projects.ByID(ctx, project)
	if core.IsCode(err, core.CodeNotFound) || err == nil && found.Purging {
		return core.NotFound("project")
	}
	return core.Wrap(core.CodeUnavailable, cause, "the project's files are missing")
}

// projects locks projects on behalf of a caller. There are four levels of locking, from the
// one that does the least before the caller gets the project:
//
//   - lock takes the lock and checks the caller's right.
//   - lockReconciled also brings cache and repository in step with the disk.
//   - lockSaved first has the rooms save unsaved edits. Most callers need this one.
//   - lockForChanges is lockSaved, except that deletes go ahead on a disk that is full.
type projects struct {
	*state
	// may checks the caller's right under a project's lock before anything is done; nil
	// allows everybody.
	may func(ctx context.Context, project core.ID) error
}

// as returns the projects for work on behalf of an actor: see Pipeline.As.
func (p projects) as(gate *access.Gate, by core.Actor, action core.Action) projects {
	return projects{p.state, func(ctx context.Context, project core.ID) error {
		_, err := gate.Files(ctx, by, action, project)
		return err
	}}
}

// lockedProject is a project under its lock. What only the holder of the lock may do is a
// method of this type, or of a type that has one, so nobody can do it without the lock. Nobody
// uses it after release.
type lockedProject struct {
	*state
	id core.ID
	// ctx is for the work under the lock (see locks.Check). It outlives the caller's: a write
	// that has begun is completed, whether or not the client still waits.
	ctx    context.Context
	cancel context.CancelFunc
	// held is the context of the lock itself.
	held   context.Context
	unlock func()
}

// lock takes the project's lock and checks that the caller still has the right.
func (p projects) lock(ctx context.Context, project core.ID) (*lockedProject, error) {
	held, unlock, err := p.deps.Locks.Lock(ctx, project)
	if err != nil {
		return nil, err
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(held), workTimeout)
	if p.may != nil {
		if err := p.may(work, project); err != nil {
			cancel()
			unlock()
			return nil, err
		}
	}
	return &lockedProject{state: p.state, id: project, ctx: work, cancel: cancel, held: held, unlock: unlock}, nil
}

// lockReconciled is lock with cache and repository in step with the disk.
func (p projects) lockReconciled(ctx context.Context, project core.ID) (*lockedProject, error) {
	locked, err := p.lock(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := locked.reconcileIfDue(); err != nil {
		locked.release()
		return nil, err
	}
	return locked, nil
}

// lockSaved is lockReconciled after unsaved edits were saved.
func (p projects) lockSaved(ctx context.Context, project core.ID) (*lockedProject, error) {
	p.saveEdits(ctx, project)
	return p.lockReconciled(ctx, project)
}

// lockForChanges is lockSaved for changes. If the project cannot be reconciled, changes that
// only delete get the lock anyway: they make room on a full disk. The next touch reconciles
// the project.
func (p projects) lockForChanges(ctx context.Context, project core.ID, changes []core.FileChange) (*lockedProject, error) {
	locked, err := p.lockSaved(ctx, project)
	if core.IsCode(err, core.CodeUnavailable) && onlyDeletes(changes) {
		return p.lock(ctx, project)
	}
	return locked, err
}

func onlyDeletes(changes []core.FileChange) bool {
	for _, change := range changes {
		if change.Op != core.OpDelete {
			return false
		}
	}
	return true
}

// saveEdits has the rooms that keep unsaved edits of the project write them, so that callers
// read what people see. The rooms take the lock for that, so the caller must not have it. If
// saving fails, the edits stay off the disk for everybody, and the rooms later merge them with
// what is written meanwhile.
func (p projects) saveEdits(ctx context.Context, project core.ID) {
	if err := p.deps.Unsaved.Save(ctx, project); err != nil && ctx.Err() == nil {
		p.limitedLog.Warn(ctx, "could not save open edits before using the files", "project", project, "error", err)
	}
}

// release removes the project's mark, if everything is in step, and releases the lock.
func (l *lockedProject) release() {
	l.unmark()
	l.cancel()
	l.unlock()
}

// limit replaces the context of the work by one that ends with parent, or after timeout.
func (l *lockedProject) limit(parent context.Context, timeout time.Duration) {
	l.cancel()
	l.ctx, l.cancel = context.WithTimeout(parent, timeout)
}

// openTree is state.tree for the locked project.
func (l *lockedProject) openTree() (worktree.Tree, error) { return l.tree(l.ctx, l.id) }

// reconcileIfDue reconciles the project unless this process has done so and no mark shows that
// another process died since.
func (l *lockedProject) reconcileIfDue() error {
	if l.fresh.has(l.id) {
		marked, err := l.inherit()
		if err != nil || !marked {
			return err
		}
	}
	_, err := l.reconcile()
	return err
}
