package files

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/unsaved"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Deps is what a Pipeline works with. Log gets failures that do not change the answer to the
// caller.
type Deps struct {
	Trees        worktree.Trees
	Repositories vcs.Repositories
	Store        storage.Store
	Bus          broadcast.Bus
	Locks        locks.Locker
	Unsaved      unsaved.Registry
	Search       search.Engine
	Now          func() time.Time
	Log          *slog.Logger
	// Exclusive saves the marks. Otherwise a process marks a project in the database
	// (storage.Files) before it changes the disk, until repository and cache have caught up.
	// So a mark on a project that nobody has locked shows that a process died in between.
	Exclusive core.Exclusive
	MaxBytes  MaxProjectBytes
}

// Pipeline reads and writes the files of any project. Its callers have checked the right to
// do so: Service does that for people, other use cases for themselves, and both have it
// checked again under the project's lock (As). It may be used by many goroutines.
//
// Each process reconciles a project once, when it is first listed or written, so that a start
// with many projects takes no longer than with one. It does so again after a failure in this
// process or in another (see Deps.Exclusive).
type Pipeline struct {
	deps    Deps
	cache   *cache
	fresh   *freshness
	marks   *marks
	editors *editors
	budget  *budget
	// unsavedEdits limits how often the log says that edits could not be saved.
	unsavedEdits *seldom
	// may checks the caller's right under a project's lock before anything is done; nil
	// allows everybody.
	may func(ctx context.Context, project core.ID) error
}

// NewPipeline returns a pipeline over the ports.
func NewPipeline(deps Deps) *Pipeline {
	return &Pipeline{deps: deps, cache: newCache(deps), fresh: newFreshness(), marks: newMarks(), editors: newEditors(), budget: newBudget(), unsavedEdits: &seldom{}}
}

// As returns the pipeline for work on behalf of an actor, who needs the right to an action.
// Every method that takes a project's lock asks the gate once it has it, and returns the
// gate's error with nothing done. Others may hold the lock for minutes, in which the person
// can leave the workspace, and the project can be deleted or move.
//
// A run of the agent acts for the person who started it. Work of the service itself, such as
// the version at the end of a run, uses the plain pipeline, and so do the rooms, which check
// rights themselves.
func (p *Pipeline) As(gate *access.Gate, by core.Actor, action core.Action) *Pipeline {
	own := *p
	own.may = func(ctx context.Context, project core.ID) error {
		_, err := gate.Files(ctx, by, action, project)
		return err
	}
	return &own
}

// workTimeout bounds the work under a project's lock: a disk or a database that hangs must
// not block the project's writers forever.
const workTimeout = time.Minute

// beginWith is begin for changes. If the project cannot be reconciled, changes that only
// delete are carried out anyway: they make room on a full disk. The next touch reconciles the
// project.
func (p *Pipeline) beginWith(ctx context.Context, project core.ID, changes []core.FileChange) (context.Context, func(), error) {
	work, end, err := p.begin(ctx, project)
	if core.IsCode(err, core.CodeUnavailable) && onlyDeletes(changes) {
		return p.hold(ctx, project)
	}
	return work, end, err
}

func onlyDeletes(changes []core.FileChange) bool {
	for _, change := range changes {
		if change.Op != core.OpDelete {
			return false
		}
	}
	return true
}

// begin has unsaved edits saved, takes the project's lock and brings cache and repository in
// step with the disk. The context that it returns outlives the caller's: a write that has
// begun is completed, whether or not the client still waits.
func (p *Pipeline) begin(ctx context.Context, project core.ID) (context.Context, func(), error) {
	p.saveEdits(ctx, project)
	return p.enter(ctx, project)
}

// saveEdits has the rooms that keep unsaved edits of the project write them, so that callers
// read what people see. If that fails, the edits stay off the disk for everybody, and the
// rooms later merge them with what is written meanwhile.
func (p *Pipeline) saveEdits(ctx context.Context, project core.ID) {
	if err := p.deps.Unsaved.Save(ctx, project); err != nil && ctx.Err() == nil && p.unsavedEdits.isDue(p.deps.Now()) {
		p.deps.Log.WarnContext(ctx, "edits were not saved before the files were used", "project", project, "error", err)
	}
}

// enter is begin without the saving.
func (p *Pipeline) enter(ctx context.Context, project core.ID) (context.Context, func(), error) {
	work, end, err := p.hold(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	if err := p.catchUp(work, project); err != nil {
		end()
		return nil, nil, err
	}
	return work, end, nil
}

// catchUp reconciles the project, for a caller that holds the lock, unless this process has
// done so and no mark shows that another process died since.
func (p *Pipeline) catchUp(ctx context.Context, project core.ID) error {
	if p.fresh.has(project) {
		marked, err := p.inherit(ctx, project)
		if err != nil || !marked {
			return err
		}
	}
	_, err := p.reconcile(ctx, project)
	return err
}

// hold takes the project's lock and checks that the caller still has the right. The context
// that it returns is for the work under the lock (see locks.Check). The function that it
// returns removes the project's mark, if everything is in step, and releases the lock.
func (p *Pipeline) hold(ctx context.Context, project core.ID) (context.Context, func(), error) {
	held, unlock, err := p.deps.Locks.Lock(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(held), workTimeout)
	if p.may != nil {
		if err := p.may(work, project); err != nil {
			cancel()
			unlock()
			return nil, nil, err
		}
	}
	return work, func() { p.unmark(held, project); cancel(); unlock() }, nil
}

// open returns the tree of a project that has a record. A missing tree is therefore a failure
// of the disk, not the caller's mistake.
func (p *Pipeline) open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := p.deps.Trees.Open(ctx, project)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, core.Wrap(core.CodeUnavailable, err, "the project's files are not there")
	}
	return tree, err
}
