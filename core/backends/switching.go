package backends

import (
	"sync"

	"github.com/atelierhq/atelier/core"
)

// switching remembers which projects' live data has an open switch of this process, and which
// were looked at for one that a crash left open.
type switching struct {
	mu       sync.Mutex
	open     map[core.ID]bool
	examined map[core.ID]bool
}

func newSwitching() *switching {
	return &switching{open: make(map[core.ID]bool), examined: make(map[core.ID]bool)}
}

func (s *switching) begin(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[project] = true
}

func (s *switching) isOpen(project core.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[project]
}

// end forgets the switch. After a failure the project is examined again.
func (s *switching) end(project core.ID, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, project)
	if !settled {
		delete(s.examined, project)
	}
}

// due reports whether a project has to be examined before its live data is served.
func (s *switching) due(project core.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.open[project] && !s.examined[project]
}

func (s *switching) done(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.examined) >= maxSynced {
		clear(s.examined)
	}
	s.examined[project] = true
}
