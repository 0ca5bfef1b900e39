package dataworker

import (
	"os"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
)

// supervisor starts a worker when one is needed, another when that has ended, and ends an idle
// one.
type supervisor struct {
	config Config

	mu      sync.Mutex
	process *process
	// users counts the requests and calls under way; rest ends an idle worker.
	users  int
	rest   *time.Timer
	closed bool
}

// use returns a living worker, and a function for when it is no longer needed.
func (s *supervisor) use() (*process, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	if s.process == nil || !s.process.alive() {
		if err := os.MkdirAll(s.config.tempDir(), 0o700); err != nil {
			return nil, nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
		}
		started, err := start(s.config)
		if err != nil {
			return nil, nil, core.Wrap(core.CodeUnavailable, err, "the backend could not be started")
		}
		s.process = started
	}
	s.users++
	if s.rest != nil {
		s.rest.Stop()
	}
	return s.process, s.release, nil
}

func (s *supervisor) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users--
	if s.users == 0 && !s.closed {
		s.rest = time.AfterFunc(s.config.Idle, s.dismissIdle)
	}
}

func (s *supervisor) dismissIdle() {
	s.mu.Lock()
	worker := s.process
	if s.users > 0 || worker == nil {
		s.mu.Unlock()
		return
	}
	s.process = nil
	s.mu.Unlock()
	worker.dismiss()
}

// close ends the worker, and starts no other.
func (s *supervisor) close() {
	s.mu.Lock()
	s.closed = true
	worker := s.process
	s.process = nil
	s.mu.Unlock()
	if worker != nil {
		worker.dismiss()
	}
}
