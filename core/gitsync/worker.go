package gitsync

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/worker"
	"github.com/atelierhq/atelier/ports/vcs"
)

const (
	// poll is how often a process looks for connections that are due.
	poll = 5 * time.Second
	// lease is how long no other process works on the same connection: longer than an exchange.
	lease        = 10 * time.Minute
	exchangeTime = 8 * time.Minute
	settleTime   = 10 * time.Second
	// atOnce is how many exchanges a process has at a time.
	atOnce = 8
	// every is how often a host is asked while all is well. With poll and jitter it stays within a
	// minute.
	every = 40 * time.Second
	// firstWait is the first back-off; it doubles with every failure up to maxWait.
	firstWait = 10 * time.Second
	maxWait   = time.Hour
	// jitter is how much longer or shorter a wait may be, as a part of it.
	jitter = 0.25
	// maxProblemChars bounds what is stored of an error.
	maxProblemChars = 500
)

// Start begins to work in the background.
func (s *Service) Start() {
	s.tasks.Go(func() {
		worker.Loop{Claim: s.claim, Wake: s.wake, Poll: poll, Concurrency: atOnce}.Run(s.life)
	})
}

// Close aborts the exchanges and waits for their end; another process goes on with them.
func (s *Service) Close(ctx context.Context) error {
	s.end()
	return ctxsync.Wait(ctx, &s.tasks)
}

// claim claims a connection that is due, and returns the work, or nil.
func (s *Service) claim(ctx context.Context) func() {
	now := s.now()
	remote, err := s.deps.Store.Tables().ProjectRemotes.Claim(ctx, now, now.Add(lease))
	if err != nil {
		if !core.IsCode(err, core.CodeNotFound) && ctx.Err() == nil {
			s.deps.Log.Warn("could not read the connections of projects", "error", err)
		}
		return nil
	}
	return func() { s.work(remote) }
}

// work carries out a claimed exchange and records what became of it.
func (s *Service) work(claimed core.ProjectRemote) {
	ctx, cancel := context.WithTimeout(s.life, exchangeTime)
	defer cancel()
	done, failure := s.exchange(ctx, claimed)
	if s.life.Err() != nil {
		failure = core.Errorf(core.CodeUnavailable, "the service was stopped: the exchange goes on after its start")
	}
	if code := core.CodeOf(failure); failure != nil && code == core.CodeInternal {
		s.deps.Log.Error("could not exchange versions with another host", "project", claimed.ProjectID, "error", failure)
	}
	settling, stop := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer stop()
	_, err := s.deps.Store.Tables().ProjectRemotes.Update(settling, claimed.ID, func(stored *core.ProjectRemote) error {
		stored.Branch, stored.Tip, stored.LeasedUntil, stored.UpdatedAt = done.Branch, done.Tip, 0, s.now()
		s.record(stored, failure)
		if stored.DueAt == claimed.DueAt {
			stored.DueAt = s.now().Add(waitOf(stored.State, stored.Failures))
		}
		return nil
	})
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		s.deps.Log.Warn("could not record an exchange with another host", "project", claimed.ProjectID, "error", err)
	}
}

// record stores the outcome of an exchange.
func (s *Service) record(stored *core.ProjectRemote, failure error) {
	stored.State, stored.Problem = stateOf(failure), problemOf(failure)
	stored.Conflicts = conflictsOf(failure)
	switch {
	case core.IsCode(failure, core.CodeChatBusy):
		stored.Failures = 0
	case stored.State == core.RemoteSynced:
		stored.Failures, stored.SyncedAt, stored.TaskID, stored.TaskTip = 0, s.now(), nil, ""
	case stored.State == core.RemoteConflict:
		stored.Failures = 0
	default:
		stored.Failures++
	}
}

// stateOf says what an error means for a connection.
func stateOf(failure error) core.RemoteState {
	var owner ownerError
	switch code := core.CodeOf(failure); {
	case failure == nil:
		return core.RemoteSynced
	case len(conflictsOf(failure)) > 0:
		return core.RemoteConflict
	case errors.As(failure, &owner):
		return core.RemoteOwner
	case errors.Is(failure, vcs.ErrNoBranch):
		return core.RemoteNoBranch
	case errors.Is(failure, vcs.ErrDenied):
		return core.RemoteDenied
	case errors.Is(failure, vcs.ErrRejected):
		return core.RemoteRejected
	case errors.Is(failure, vcs.ErrContent) || code == core.CodePayloadTooLarge:
		return core.RemoteUnsuitable
	case code == core.CodeValidationFailed || code == core.CodeForbiddenAddress:
		return core.RemoteFailed
	case code == core.CodeNotFound || code == core.CodeForbidden:
		return core.RemoteOwner
	}
	return core.RemoteWaiting
}

// problemOf is the part of an error that a person may read.
func problemOf(failure error) string {
	if failure == nil {
		return ""
	}
	var known *core.Error
	if !errors.As(failure, &known) || known.Code == core.CodeInternal {
		return "the exchange failed: it is tried again"
	}
	text := []rune(known.Message)
	return string(text[:min(len(text), maxProblemChars)])
}

// waitOf is how long until the next exchange.
func waitOf(state core.RemoteState, failures int) time.Duration {
	wait := every
	if state != core.RemoteSynced && state != core.RemoteConflict {
		wait = min(maxWait, firstWait<<min(max(0, failures-1), 10))
	}
	return time.Duration(float64(wait) * (1 - jitter + 2*jitter*rand.Float64()))
}

// WorkOnce carries out one exchange that is due, and reports whether there was one. Tests and
// commands use it in the place of Start.
func (s *Service) WorkOnce(ctx context.Context) bool {
	work := s.claim(ctx)
	if work != nil {
		work()
	}
	return work != nil
}
