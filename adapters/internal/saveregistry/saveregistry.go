// Package keepers holds the saves of those in this process who keep edits that are
// not on the disk yet.
package keepers

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// Set holds the keepers of one process, by project.
type Set struct {
	mu       sync.Mutex
	projects map[core.ID]map[*keeper]struct{}
}

// keeper is one call of Add. running counts the saves in progress. It grows only while
// the keeper is in the set.
type keeper struct {
	save    func(context.Context) error
	running sync.WaitGroup
}

// NewSet returns a set without keepers.
func NewSet() *Set { return &Set{projects: make(map[core.ID]map[*keeper]struct{})} }

// Add registers save until withdraw is called. After withdraw has returned, save neither
// runs nor is called.
func (s *Set) Add(project core.ID, save func(context.Context) error) (withdraw func()) {
	k := &keeper{save: save}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.projects[project] == nil {
		s.projects[project] = make(map[*keeper]struct{})
	}
	s.projects[project][k] = struct{}{}
	return func() {
		s.remove(project, k)
		k.running.Wait()
	}
}

func (s *Set) remove(project core.ID, k *keeper) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.projects[project], k)
	if len(s.projects[project]) == 0 {
		delete(s.projects, project)
	}
}

// Projects returns the projects with unsaved edits.
func (s *Set) Projects() []core.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	projects := make([]core.ID, 0, len(s.projects))
	for project := range s.projects {
		projects = append(projects, project)
	}
	return projects
}

// Save calls every save of the project concurrently, and waits for them as
// unsaved.Registry specifies.
func (s *Set) Save(ctx context.Context, project core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	called := s.call(project)
	if len(called) == 0 {
		return nil
	}
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), unsaved.Bound)
	saved := make(chan error, len(called))
	var all sync.WaitGroup
	for _, k := range called {
		all.Go(func() {
			defer k.running.Done()
			saved <- k.save(bounded)
		})
	}
	go func() { all.Wait(); cancel() }()
	return await(ctx, bounded, saved, len(called))
}

// call returns the keepers of the project. Each counts as running from now on, so that
// withdraw waits for it.
func (s *Set) call(project core.ID) []*keeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	called := make([]*keeper, 0, len(s.projects[project]))
	for k := range s.projects[project] {
		k.running.Add(1)
		called = append(called, k)
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
			// The last result and the end of ctx may come together.
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
