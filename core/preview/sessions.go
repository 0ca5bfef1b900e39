package preview

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
)

// sessions are the previews that this process has in memory. There are limits to them and
// to their development servers: beyond one, a session ends for the newcomer.
type sessions struct {
	deps     Deps
	statuses *statuses
	// life ends with the service, and every session with it. running counts the goroutines
	// of the sessions.
	life    context.Context
	end     context.CancelFunc
	running sync.WaitGroup

	// mu guards the field below. It may be held while a session's own locks are taken, not
	// the other way round.
	mu        sync.Mutex
	byProject map[core.ID]*session
}

func newSessions(deps Deps, statuses *statuses) *sessions {
	life, end := context.WithCancel(context.Background())
	return &sessions{deps: deps, statuses: statuses, life: life, end: end, byProject: map[core.ID]*session{}}
}

// close ends all sessions and waits for them.
func (s *sessions) close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.running.Wait()
}

// open returns the project's session, and starts one if needed. Its error is that of
// the project's record, or that the service is stopping.
func (s *sessions) open(ctx context.Context, project core.ID) (*session, error) {
	if running, err := s.use(project); running != nil || err != nil {
		return running, err
	}
	owner, err := s.deps.Store.Tables().Projects.ByID(ctx, project)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, errStopping()
	}
	running := s.byProject[project]
	if running == nil {
		s.makeRoomLocked(owner.WorkspaceID)
		life, stop := context.WithCancel(fair.WithTenant(s.life, owner.WorkspaceID))
		running = newSession(s, project, owner.WorkspaceID, stop)
		s.byProject[project] = running
		s.running.Go(func() { running.run(life) })
	}
	running.lastUse.touch()
	return running, nil
}

// use returns the project's session, or nil, and records that somebody uses
// it.
func (s *sessions) use(project core.ID) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := s.byProject[project]
	if s.life.Err() != nil {
		return nil, errStopping()
	}
	if running != nil {
		running.lastUse.touch()
	}
	return running, nil
}

// find returns the project's session, or nil.
func (s *sessions) find(project core.ID) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byProject[project]
}

// spawn runs work in a goroutine that close waits for.
func (s *sessions) spawn(work func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return errStopping()
	}
	s.running.Go(work)
	return nil
}

func errStopping() error { return core.Errorf(core.CodeUnavailable, "the service is stopping") }

// remove forgets a session that has ended.
func (s *sessions) remove(ended *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byProject[ended.project] == ended {
		delete(s.byProject, ended.project)
	}
}

// makeRoomLocked ends a session for a new one of a tenant if the limit is reached.
func (s *sessions) makeRoomLocked(newcomer core.ID) {
	if len(s.byProject) < s.deps.Settings.MaxSessions {
		return
	}
	last := givesWay(slices.Collect(maps.Values(s.byProject)), newcomer)
	last.stop()
	delete(s.byProject, last.project)
}

// makeRoomForServer ends a session with a server if the limit is reached, and waits
// until it has ended.
func (s *sessions) makeRoomForServer(ctx context.Context, starting *session) error {
	for {
		last := s.leastUsedServer(starting)
		if last == nil {
			return nil
		}
		last.stop()
		select {
		case <-last.gone:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// leastUsedServer returns the session to end, nil if there is room for one more.
func (s *sessions) leastUsedServer(starting *session) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	var serving []*session
	for _, running := range s.byProject {
		if running != starting && running.results.serves() {
			serving = append(serving, running)
		}
	}
	if len(serving) < s.deps.Settings.MaxServers {
		return nil
	}
	return givesWay(serving, starting.tenant)
}

// givesWay returns the session to end for a newcomer: the least recently used of the
// tenants that hold most (fair.Victims), preferably one without watchers.
func givesWay(sessions []*session, newcomer core.ID) *session {
	held := map[core.ID]int{}
	for _, running := range sessions {
		held[running.tenant]++
	}
	losers := fair.Victims(held, newcomer)
	var last *session
	for _, running := range sessions {
		if slices.Contains(losers, running.tenant) && (last == nil || running.lessUsedThan(last)) {
			last = running
		}
	}
	return last
}

// count returns how many sessions there are, and how many of them have a development
// server.
func (s *sessions) count() (all, serving int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, running := range s.byProject {
		if running.results.serves() {
			serving++
		}
	}
	return len(s.byProject), serving
}
