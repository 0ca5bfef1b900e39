package tasks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/copies"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// Checks plays the checks of a project; checks.Service implements it.
type Checks interface {
	// Has reports whether a project has checks.
	Has(ctx context.Context, project core.ID) (bool, error)
	// Play returns nil if no browser is available.
	Play(ctx context.Context, project core.ID, tell func(checks.Result) error) ([]checks.Result, error)
	// Again plays those of the named checks that the project has. It returns nil if no browser
	// is available.
	Again(ctx context.Context, project core.ID, names []string) ([]checks.Result, error)
}

// Deps has the dependencies of a Board. Log gets failures of the background work.
type Deps struct {
	Store     storage.Store
	Gate      *access.Gate
	Copies    *projects.Copies
	Merger    *copies.Service
	Committer files.Committer
	History   files.History
	Checks    Checks
	// Files and Attachments read what messages refer to and come with.
	Files       files.Reader
	Attachments *attachments.Loader
	Bus         broadcast.Bus
	// Queued wakes the worker of queued runs.
	Queued projects.QueueWaker
	// Quotas bound how many tasks are at work.
	Quotas core.Quotas
	// Exclusive says that no other process works on tasks.
	Exclusive core.SoleProcess
	Now       func() time.Time
	Log       *slog.Logger
}

// Board has the use cases around tasks. Methods that take an actor first ask the gate; their errors
// are those of access.Gate.Project and those that the method names. It must be started before it
// is used, and closed before the process ends.
type Board struct {
	deps Deps
	// merges is held while a task of a project is merged: the next one would change what this one
	// plays checks on.
	merges ctxsync.KeyedMutex[core.ID]
	wake   ctxsync.Signal
	life   context.Context
	end    context.CancelFunc
	tasks  sync.WaitGroup
}

// New returns a board whose worker has not started.
func New(deps Deps) *Board {
	life, end := context.WithCancel(context.Background())
	return &Board{deps: deps, wake: ctxsync.NewSignal(), life: life, end: end}
}

// List returns the tasks of a project, the oldest first.
func (b *Board) List(ctx context.Context, by core.Actor, project core.ID) ([]View, error) {
	if _, err := b.deps.Gate.Project(ctx, by, core.ActionTask, project); err != nil {
		return nil, err
	}
	found, err := b.deps.Store.Tables().Tasks.List(ctx, project)
	if err != nil {
		return nil, err
	}
	views := make([]View, 0, len(found))
	for _, task := range found {
		view, err := b.view(ctx, task)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

// Get returns a task with the files in which its copy differs from its base.
func (b *Board) Get(ctx context.Context, by core.Actor, project, id core.ID) (View, error) {
	task, err := b.find(ctx, by, core.ActionTask, project, id)
	if err != nil {
		return View{}, err
	}
	view, err := b.view(ctx, task)
	if err != nil || task.State == core.TaskMerged || task.Base == "" {
		return view, err
	}
	view.Files, err = b.deps.Merger.Changes(ctx, task.CopyID, task.Base)
	if core.IsCode(err, core.CodeNotFound) {
		// It has been merged meanwhile.
		if task, err = b.stored(ctx, project, id); err == nil {
			return b.view(ctx, task)
		}
	}
	return view, err
}

// find returns a task of a project for a caller who may do action.
func (b *Board) find(ctx context.Context, by core.Actor, action core.Action, project, id core.ID) (core.Task, error) {
	if _, err := b.deps.Gate.Project(ctx, by, action, project); err != nil {
		return core.Task{}, err
	}
	return b.stored(ctx, project, id)
}

func (b *Board) stored(ctx context.Context, project, id core.ID) (core.Task, error) {
	task, err := b.deps.Store.Tables().Tasks.ByID(ctx, id)
	if err == nil && task.ProjectID != project {
		err = core.NotFound("task")
	}
	if err != nil {
		return core.Task{}, err
	}
	return task, nil
}

// now is the present time, as it is stored.
func (b *Board) now() core.Time { return core.At(b.deps.Now()) }

// announce tells the project's followers that the board changed. They can read it again at any
// time, so a failure of the bus is only logged.
func (b *Board) announce(ctx context.Context, project core.ID, kinds ...core.NoticeKind) {
	for _, kind := range append(kinds, core.NoticeTasks) {
		if err := b.deps.Bus.Publish(context.WithoutCancel(ctx), core.Notice{Kind: kind, ProjectID: project}); err != nil {
			b.deps.Log.WarnContext(ctx, "could not notify followers of a changed task", "project", project, "error", err)
		}
	}
}
