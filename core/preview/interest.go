package preview

import (
	"context"
	"time"
)

// await waits until a build of the files at revision or later has ended, or until
// the current outcome is enough, and returns the outcome. It returns errEnded if
// the session ends; if ctx ends, it returns the current outcome with ctx's error.
func (s *session) await(ctx context.Context, revision int64, enough func(outcome) bool) (outcome, error) {
	for {
		s.mu.Lock()
		at, changed, ended := s.outcome, s.changed, s.over
		current := s.coversLocked(revision)
		s.wanted = max(s.wanted, revision)
		s.mu.Unlock()
		switch {
		case ended:
			return at, errEnded
		case current, enough != nil && enough(at):
			return at, nil
		}
		select {
		case s.kick <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return at, ctx.Err()
		}
	}
}

// coversLocked reports whether the last build covers revision.
func (s *session) coversLocked(revision int64) bool {
	stale := s.outcome.failure != nil && time.Since(s.builtAt) >= retryAfter
	return s.outcome.tried && s.built >= revision && !stale
}

// due reports whether a waiter needs another build than the last one.
func (s *session) due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.coversLocked(s.wanted)
}

func (s *session) now() outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outcome
}

// touch records interest in the preview.
func (s *session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// restsFor returns how much longer the session lives without interest.
func (s *session) restsFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.watchers) > 0 {
		return idleLimit
	}
	return idleLimit - time.Since(s.used)
}

func (s *session) lessUsedThan(other *session) bool {
	mine, when := s.usage()
	theirs, then := other.usage()
	if mine != theirs {
		return theirs
	}
	return when.Before(then)
}

func (s *session) usage() (watched bool, used time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.watchers) > 0, s.used
}
