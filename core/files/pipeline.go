// Package files is the one way to a project's files: it keeps the disk, which is
// the truth, the repository, the cache and whoever follows the project in step.
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

// Deps is what a Pipeline works with. Log gets what goes wrong behind an answer
// that is good all the same.
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
	// Exclusive spares the marks. A process beside others marks a project in the database
	// (storage.Files) from before its disk changes until repository and cache have caught
	// up, so that a mark that stays while nobody has the project's lock tells of a process
	// that died in between.
	Exclusive core.Exclusive
	MaxBytes  MaxProjectBytes
}

// Pipeline reads and writes the files of any project, for callers that have
// checked already who may: Service does that for people, other use cases for
// themselves, and both have it asked again under the project's lock (As). It may be
// used by many goroutines.
//
// A project is reconciled once in each process, when it is first listed or
// written, so that a start takes no longer with many projects than with one; and again
// when something went wrong, in this process or in another (see Deps.Exclusive).
type Pipeline struct {
	deps     Deps
	listings *listings
	fresh    *freshness
	marks    *marks
	hands    *hands
	budget   *budget
	// unsavedEdits is when the log was last told that edits could not be saved.
	unsavedEdits *seldom
	// may is asked under a project's lock before anything is done there; nil lets everybody.
	may func(ctx context.Context, project core.ID) error
}

// NewPipeline returns a pipeline over the ports.
func NewPipeline(deps Deps) *Pipeline {
	return &Pipeline{deps: deps, listings: newListings(maxHeldEntries), fresh: newFreshness(), marks: newMarks(), hands: newHands(), budget: newBudget(), unsavedEdits: &seldom{}}
}

// As returns the pipeline for work that somebody asks for and that takes an action's
// right. Every method that takes a project's lock asks the gate once it has it, and
// returns the gate's error with nothing done: others may hold the lock for minutes, in
// which a person can leave the workspace, and the project can be deleted or move. A run of
// the agent writes in the name of the person who started it. What the service does of its
// own accord uses the pipeline as it is, such as the version at the end of a run, and so do
// the rooms, which ask for themselves.
func (p *Pipeline) As(gate *access.Gate, by core.Actor, action core.Action) *Pipeline {
	own := *p
	own.may = func(ctx context.Context, project core.ID) error {
		_, err := gate.Files(ctx, by, action, project)
		return err
	}
	return &own
}

// workTimeout bounds the work under a project's lock: neither a disk nor a
// database that hangs may hold the project's writers for ever.
const workTimeout = time.Minute

// beginWith is begin for changes. When the project cannot be reconciled, changes
// that only delete go on all the same: on a disk that is full they are what makes
// room. The project stays marked for the next touch.
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

// begin has edits saved that are not on the disk yet, takes the project's lock and sees
// to it that cache and repository are in step with the disk. The context that it returns
// outlives the caller's: a write that has begun is carried through, whether or not the
// client still waits.
func (p *Pipeline) begin(ctx context.Context, project core.ID) (context.Context, func(), error) {
	p.saveEdits(ctx, project)
	return p.enter(ctx, project)
}

// saveEdits has those who keep edits of the project write them, so that what is read is
// what people see. When they cannot, the edits are not on the disk for anybody, and
// whoever keeps them brings what is written meanwhile into them.
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

// catchUp reconciles the project, for a caller that holds the lock, unless this process
// has done so and no mark tells that another has died since.
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

// hold takes the project's lock for a caller who may do the work still. The context that it
// returns is that of the work under the lock (see locks.Check). What gives the lock back also
// takes the project's mark away, if all is in step.
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

// open returns the tree of a project that has a record, so that a tree that is
// not there is a fault of the disk and no mistake of the caller's.
func (p *Pipeline) open(ctx context.Context, project core.ID) (worktree.Tree, error) {
	tree, err := p.deps.Trees.Open(ctx, project)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, core.Wrap(core.CodeUnavailable, err, "the project's files are not there")
	}
	return tree, err
}
