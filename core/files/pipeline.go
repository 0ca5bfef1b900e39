package files

import (
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/unsaved"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Deps has the dependencies of a Pipeline. Log gets failures that do not change the answer to the
// caller.
type Deps struct {
	Trees        worktree.Trees
	Repositories vcs.Repositories
	Store        storage.Store
	Bus          broadcast.Bus
	Locks        locks.Locker
	Unsaved      unsaved.Registry
	Search       search.Engine
	// Hooks tells webhooks of new versions; nil tells none.
	Hooks *webhooks.Queue
	Now   func() time.Time
	Log   *slog.Logger
	// Exclusive saves the marks. Otherwise a process marks a project in the database
	// (storage.Files) before it changes the disk, until repository and cache have caught up.
	// So a mark on a project that nobody has locked shows that a process died in between.
	Exclusive core.SoleProcess
	MaxBytes  MaxProjectBytes
	// Quotas bound the projects of a workspace further.
	Quotas core.Quotas
}

// Pipeline reads and writes the files of any project. It consists of parts, by purpose; a use
// case that needs one part takes that part. Its callers have checked the right to do so: Service
// does that for people, other use cases for themselves, and both have it checked again under the
// project's lock (As). It may be used by many goroutines, and so may its parts.
//
// Each process reconciles a project once, when it is first listed or written, so that a start
// with many projects takes no longer than with one. It does so again after a failure in this
// process or in another (see Deps.Exclusive).
type Pipeline struct {
	Reader
	History
	Writer
	Committer
	Arrivals
	Reconciler
	Lifecycle
}

// NewPipeline returns a pipeline over the ports.
func NewPipeline(deps Deps) *Pipeline { return newPipeline(projects{state: newState(deps)}) }

func newPipeline(p projects) *Pipeline {
	return &Pipeline{Reader{p}, History{p.deps.Repositories}, Writer{p}, Committer{p}, Arrivals{p}, Reconciler{p}, Lifecycle{p}}
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
	return newPipeline(p.Writer.projects.as(gate, by, action))
}

// As returns the writer for work on behalf of an actor: see Pipeline.As.
func (w Writer) As(gate *access.Gate, by core.Actor, action core.Action) Writer {
	return Writer{w.projects.as(gate, by, action)}
}

// As returns the committer for work on behalf of an actor: see Pipeline.As.
func (c Committer) As(gate *access.Gate, by core.Actor, action core.Action) Committer {
	return Committer{c.projects.as(gate, by, action)}
}

// As returns the arrivals for work on behalf of an actor: see Pipeline.As.
func (a Arrivals) As(gate *access.Gate, by core.Actor, action core.Action) Arrivals {
	return Arrivals{a.projects.as(gate, by, action)}
}
