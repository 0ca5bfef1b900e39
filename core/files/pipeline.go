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
type Pipeline struct{ projects }

// NewPipeline returns a pipeline over the ports.
func NewPipeline(deps Deps) *Pipeline { return &Pipeline{projects{state: newState(deps)}} }

// As returns the pipeline for work on behalf of an actor, who needs the right to an action.
// Every method that takes a project's lock asks the gate once it has it, and returns the
// gate's error with nothing done. Others may hold the lock for minutes, in which the person
// can leave the workspace, and the project can be deleted or move.
//
// A run of the agent acts for the person who started it. Work of the service itself, such as
// the version at the end of a run, uses the plain pipeline, and so do the rooms, which check
// rights themselves.
func (p *Pipeline) As(gate *access.Gate, by core.Actor, action core.Action) *Pipeline {
	return &Pipeline{projects{p.state, func(ctx context.Context, project core.ID) error {
		_, err := gate.Files(ctx, by, action, project)
		return err
	}}}
}
