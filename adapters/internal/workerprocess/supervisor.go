package workerprocess

import (
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Worker is what a Supervisor keeps.
type Worker interface {
	// Usable reports whether it takes calls.
	Usable() bool
	// Dismiss ends it and waits for its end. It may be called twice.
	Dismiss()
}

// Supervisor starts a worker for the first call and ends it when it is idle. When the worker is no
// longer usable, the next call starts another, and the old one ends with its last call.
type Supervisor[W Worker] struct {
	start func() (W, error)
	idle  time.Duration

	mu      sync.Mutex
	current *seat[W]
	closed  bool
	// seats are the workers that have not been dismissed; ends counts those that are ending.
	seats map[*seat[W]]bool
	ends  sync.WaitGroup
}

// seat is a worker with the number of its calls, and the timer that ends it when it is idle.
type seat[W Worker] struct {
	worker W
	calls  int
	rest   *time.Timer
}

// NewSupervisor returns a supervisor without a worker. A worker without calls is ended after idle.
func NewSupervisor[W Worker](idle time.Duration, start func() (W, error)) *Supervisor[W] {
	return &Supervisor[W]{start: start, idle: idle, seats: make(map[*seat[W]]bool)}
}

// Use returns a usable worker for a call, and a function for the end of the call.
func (s *Supervisor[W]) Use() (W, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var none W
	if s.closed {
		return none, nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	if s.current == nil || !s.current.worker.Usable() {
		worker, err := s.start()
		if err != nil {
			return none, nil, err
		}
		if old := s.current; old != nil && old.calls == 0 {
			s.dismiss(old)
		}
		s.current = &seat[W]{worker: worker}
		s.seats[s.current] = true
	}
	used := s.current
	used.calls++
	if used.rest != nil {
		used.rest.Stop()
	}
	return used.worker, func() { s.release(used) }, nil
}

// release ends a call.
func (s *Supervisor[W]) release(used *seat[W]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	used.calls--
	if used.calls > 0 || s.closed {
		return
	}
	if used != s.current || !used.worker.Usable() {
		s.dismiss(used)
		return
	}
	used.rest = time.AfterFunc(s.idle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if used == s.current && used.calls == 0 {
			s.dismiss(used)
		}
	})
}

// dismiss has a worker ended in the background. The caller holds mu.
func (s *Supervisor[W]) dismiss(old *seat[W]) {
	if old == s.current {
		s.current = nil
	}
	delete(s.seats, old)
	s.ends.Go(old.worker.Dismiss)
}

// Current returns the worker that the next call would get, if there is one.
func (s *Supervisor[W]) Current() (worker W, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == nil {
		return worker, false
	}
	return s.current.worker, true
}

// Close ends all workers, with the calls under way, and waits for their end. Later calls fail with
// core.CodeUnavailable.
func (s *Supervisor[W]) Close() {
	s.mu.Lock()
	s.closed = true
	for old := range s.seats {
		s.dismiss(old)
	}
	s.mu.Unlock()
	s.ends.Wait()
}
