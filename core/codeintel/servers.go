package codeintel

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

const (
	// maxAtOnce bounds the questions about one project: the one that is being answered plus
	// those that wait.
	maxAtOnce = 16
	// busyTime is when a question that was refused should be asked again.
	busyTime = 2 * time.Second
)

// servers are the language servers that this process runs, one a project.
type servers struct {
	deps Deps
	// life ends with the service, and every server with it. running counts their goroutines.
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	mu        sync.Mutex
	byProject map[core.ID]*server
}

func newServers(deps Deps) *servers {
	life, end := context.WithCancel(context.Background())
	return &servers{deps: deps, life: life, end: end, byProject: map[core.ID]*server{}}
}

// close ends all servers and waits for them.
func (s *servers) close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.running.Wait()
}

// acquire returns the project's server, started and aware of all notices so far. It counts as busy
// until release.
func (s *servers) acquire(ctx context.Context, project, tenant core.ID) (*server, error) {
	found, err := s.enter(project, tenant)
	if err != nil {
		return nil, err
	}
	if err := found.await(ctx); err != nil {
		s.release(found)
		return nil, err
	}
	return found, nil
}

// enter returns the project's server, perhaps a new one, and counts the caller.
func (s *servers) enter(project, tenant core.ID) (*server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, core.Errorf(core.CodeUnavailable, "the service is stopping")
	}
	found := s.byProject[project]
	if found == nil {
		if !s.makeRoomLocked(tenant) {
			return nil, tooBusy(core.Errorf(core.CodeRateLimited, "all language servers of this installation are in use: try again in a moment"))
		}
		found = newServer(s, project, tenant)
		s.byProject[project] = found
		s.running.Go(found.run)
	}
	if found.busy == maxAtOnce {
		return nil, tooBusy(core.Errorf(core.CodeRateLimited, "too many people ask about this project: try again in a moment"))
	}
	found.busy++
	return found, nil
}

func tooBusy(err *core.Error) error {
	err.RetryAfter = busyTime
	return err
}

// release ends a question. It reports whether the server was replaced, or ended, meanwhile.
func (s *servers) release(used *server) (replaced bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used.busy--
	used.used = time.Now()
	return s.byProject[used.project] != used
}

// forget makes the next question start another server.
func (s *servers) forget(ended *server) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byProject[ended.project] == ended {
		delete(s.byProject, ended.project)
	}
}

// forgetIdle forgets a server that nobody has used for idleTime, or returns how long it may stay.
func (s *servers) forgetIdle(one *server) (left time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left = idleTime - time.Since(one.used)
	if one.busy > 0 {
		left = idleTime
	}
	if left <= 0 && s.byProject[one.project] == one {
		delete(s.byProject, one.project)
	}
	return left
}

// makeRoomLocked ends a server for a new one of a tenant if the limit is reached: the least
// recently used one of the tenants that hold most (fair.Victims). It reports whether there is room
// now: servers that are answering stay.
func (s *servers) makeRoomLocked(newcomer core.ID) bool {
	if len(s.byProject) < s.deps.Settings.MaxServers {
		return true
	}
	held := map[core.ID]int{}
	for _, one := range s.byProject {
		held[one.tenant]++
	}
	losers := fair.Victims(held, newcomer)
	var last *server
	for _, one := range s.byProject {
		if one.busy == 0 && slices.Contains(losers, one.tenant) && (last == nil || one.used.Before(last.used)) {
			last = one
		}
	}
	if last == nil {
		return false
	}
	delete(s.byProject, last.project)
	last.stop()
	return true
}
