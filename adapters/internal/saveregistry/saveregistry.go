// Package saveregistry has a registry of functions that write unsaved edits to the disk.
package saveregistry

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// Registry has the save functions of one process, by project.
type Registry struct {
	mu       sync.Mutex
	projects map[core.ID]map[*entry]struct{}
}

// entry is one call of Register. running counts the saves in progress. It grows only while
// the entry is in the registry.
type entry struct {
	save    func(context.Context) error
	running sync.WaitGroup
}

// New returns an empty registry.
func New() *Registry { return &Registry{projects: make(map[core.ID]map[*entry]struct{})} }

// Register adds a save function until withdraw is called. Once withdraw has returned, save
// neither runs nor is called.
func (r *Registry) Register(project core.ID, save func(context.Context) error) (withdraw func()) {
	e := &entry{save: save}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.projects[project] == nil {
		r.projects[project] = make(map[*entry]struct{})
	}
	r.projects[project][e] = struct{}{}
	return func() {
		r.remove(project, e)
		e.running.Wait()
	}
}

func (r *Registry) remove(project core.ID, e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.projects[project], e)
	if len(r.projects[project]) == 0 {
		delete(r.projects, project)
	}
}

// Projects returns the projects with unsaved edits.
func (r *Registry) Projects() []core.ID {
	r.mu.Lock()
	defer r.mu.Unlock()
	projects := make([]core.ID, 0, len(r.projects))
	for project := range r.projects {
		projects = append(projects, project)
	}
	return projects
}

// Save calls the save functions of the project concurrently and waits for them as
// unsaved.Registry specifies.
func (r *Registry) Save(ctx context.Context, project core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	called := r.call(project)
	if len(called) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), unsaved.Bound)
	saved := make(chan error, len(called))
	var all sync.WaitGroup
	for _, e := range called {
		all.Go(func() {
			defer e.running.Done()
			saved <- e.save(bounded)
		})
	}
	go func() { all.Wait(); cancel() }()
	return await(ctx, bounded, saved, len(called))
}

// call returns the entries of the project and counts each as running, so that withdraw
// waits for it.
func (r *Registry) call(project core.ID) []*entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	called := make([]*entry, 0, len(r.projects[project]))
	for e := range r.projects[project] {
		e.running.Add(1)
		called = append(called, e)
	}
	return called
}

// await takes n results and returns the first failure.
func await(ctx, bounded context.Context, saved <-chan error, n int) error {
	for range n {
		var err error
		select {
		case err = <-saved:
		case <-ctx.Done():
			return ctx.Err()
		case <-bounded.Done():
			// The last result may arrive together with the timeout.
			select {
			case err = <-saved:
			default:
				err = bounded.Err()
			}
		}
		if err != nil {
			return core.Wrap(core.CodeUnavailable, err, "edits of the project could not be saved")
		}
	}
	return nil
}
