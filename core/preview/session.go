package preview

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/build"
)

const (
	// settleTime is the debounce time: it combines a burst of changes into one
	// build. A caller that waits for the build skips it.
	settleTime = 20 * time.Millisecond
	// buildLimit bounds a build, including the installation of packages.
	buildLimit = 2 * time.Minute
	// retryAfter is how long a failure that is not the project's own (an
	// unreachable registry) is kept before another look causes a retry.
	retryAfter = 3 * time.Second
	// followAgain is the pause before following a bus again that broke off.
	followAgain = time.Second
)

// errEnded tells a waiter that its session is over.
var errEnded = errors.New("preview: the session has ended")

// session builds one project, one build at a time. One goroutine (run) does all the
// work; all others read its results, or wait for them.
type session struct {
	sessions *sessions
	project  core.ID
	// tenant is the workspace that the session counts for.
	tenant core.ID
	stop   context.CancelFunc
	// kick wakes run when a waiter needs a build. gone is closed when run is over.
	kick chan struct{}
	gone chan struct{}

	// dev is the development server, if the project has one and it is running.
	// crashes counts its crashes in a row. Only run uses them.
	dev     *devServer
	crashes int

	// telling is held while a status is read and sent, so that the last one sent is
	// the latest. told is the address that was last sent to all watchers.
	telling sync.Mutex
	told    string

	// mu guards the fields below.
	mu sync.Mutex
	// changed is closed, and replaced, whenever outcome, built or over change.
	changed chan struct{}
	outcome outcome
	// built is the revision of the files at the start of the last build; wanted is
	// the highest that any caller waits for.
	built, wanted int64
	builtAt       time.Time
	over          bool
	used          time.Time
	watchers      watchers
	console       console
}

func newSession(sessions *sessions, project core.ID, stop context.CancelFunc) *session {
	return &session{
		sessions: sessions,
		project:  project,
		stop:     stop,
		kick:     make(chan struct{}, 1),
		gone:     make(chan struct{}),
		changed:  make(chan struct{}),
		built:    -1,
		watchers: watchers{},
	}
}

// run follows the project and builds until ctx ends, the project is deleted, or the
// session is idle for too long.
func (s *session) run(ctx context.Context) {
	defer s.close()
	defer s.endServer()
	notices, again := s.follow(ctx)
	idle := time.NewTimer(idleLimit)
	defer idle.Stop()
	s.build(ctx)
	var settled, restart <-chan time.Time
	for {
		select {
		case <-s.ended():
			restart = s.bury(ctx)
		case <-restart:
			restart = nil
			s.build(ctx)
		case <-ctx.Done():
			return
		case <-again:
			// Notices published in the gap are lost.
			notices, again = s.follow(ctx)
			settled = time.After(settleTime)
		case notice, open := <-notices:
			if !open {
				notices, again = nil, time.After(followAgain)
				continue
			}
			if settled == nil && concernsFiles(notice) {
				settled = time.After(s.settling())
			}
			if asksForState(notice) {
				s.publish(ctx, s.latest())
			}
			if concernsProject(notice) && !s.refresh(ctx) {
				return
			}
		case <-settled:
			settled, s.crashes = nil, 0
			s.build(ctx)
		case <-s.kick:
			if !s.due() {
				continue
			}
			if !s.skip(ctx, notices) {
				return
			}
			settled = nil
			s.build(ctx)
		case <-idle.C:
			rest := s.restsFor()
			if rest <= 0 {
				return
			}
			idle.Reset(rest)
		}
	}
}

// settling is the debounce time of a change: 0 after a quiet time, so that a single
// save shows at once.
func (s *session) settling() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, settleTime-time.Since(s.builtAt))
}

// follow subscribes to the project's notices. If the bus refuses, the second result
// says when to try again: until then only requests for pages notice changes.
func (s *session) follow(ctx context.Context) (<-chan *core.Notice, <-chan time.Time) {
	notices, err := s.sessions.deps.Bus.Follow(ctx, s.project)
	if err != nil {
		s.sessions.deps.Log.WarnContext(ctx, "could not follow the project of a preview", "project", s.project, "error", err)
		return nil, time.After(followAgain)
	}
	return notices, nil
}

func concernsFiles(notice *core.Notice) bool {
	return notice.Kind == core.NoticeFiles || notice.Kind == core.NoticeLagged
}

func concernsProject(notice *core.Notice) bool {
	return notice.Kind == core.NoticeProject || notice.Kind == core.NoticeLagged
}

func asksForState(notice *core.Notice) bool {
	return notice.Kind == core.NoticePreview && notice.Preview == nil
}

// skip drops the waiting notices, because the next build covers them. It reports
// whether the project still exists.
func (s *session) skip(ctx context.Context, notices <-chan *core.Notice) bool {
	for {
		select {
		case notice, open := <-notices:
			if !open {
				return true
			}
			if asksForState(notice) {
				s.publish(ctx, s.latest())
			}
			if concernsProject(notice) && !s.refresh(ctx) {
				return false
			}
		default:
			return true
		}
	}
}

// refresh sends the project's address, which may have changed, to the watchers, and
// reports whether the project still exists.
func (s *session) refresh(ctx context.Context) bool {
	return !core.IsCode(s.announce(ctx, nil), core.CodeNotFound)
}

// build builds the current files and publishes the result. It reads the revision
// first: later changes belong to the next build.
func (s *session) build(ctx context.Context) {
	deps := s.sessions.deps
	limited, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	var made build.Result
	state, err := deps.Store.Tables().Files.State(limited, s.project)
	revision := state.Revision
	if err == nil {
		var plan builds.Plan
		if plan, err = deps.Maker.Plan(limited, s.project); err == nil && plan.Runtime == builds.RuntimeNode {
			s.serve(ctx, revision, plan)
			return
		}
		s.endServer()
		if err == nil {
			made, err = deps.Maker.MakePlanned(limited, s.project, plan, build.ModePreview)
		}
	} else {
		// Nobody can wait for a revision that cannot be read.
		revision = s.highestWanted()
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		deps.Log.WarnContext(ctx, "could not build a preview", "project", s.project, "error", err)
	}
	before, after := s.record(revision, func(before outcome) outcome { return before.after(made, err) })
	s.tell(ctx, before, after)
}

func (s *session) highestWanted() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(s.wanted, 0)
}

// record stores the result of a build, announces it to the watchers, and wakes the
// waiters.
func (s *session) record(revision int64, next func(outcome) outcome) (before, after outcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.outcome
	after = next(before)
	s.outcome = after
	s.built = max(s.built, revision)
	s.builtAt = time.Now()
	if after.served() != before.served() {
		s.console.clear()
	}
	s.watchers.send(after.event())
	s.wakeLocked()
	return before, after
}

// tell announces the status that a build changed, to the watchers and to the
// project's followers.
func (s *session) tell(ctx context.Context, before, after outcome) {
	if before.tried && before.state() == after.state() && slices.Equal(before.shown(), after.shown()) {
		return
	}
	if err := s.announce(ctx, nil); err != nil {
		s.sessions.deps.Log.WarnContext(ctx, "could not notify followers of a preview's status", "project", s.project, "error", err)
		return
	}
	s.publish(ctx, after)
}

// latest returns the current outcome.
func (s *session) latest() outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outcome
}

// publish sends the state of the preview to the project's followers.
func (s *session) publish(ctx context.Context, at outcome) {
	notice := core.Notice{
		Kind: core.NoticePreview, ProjectID: s.project,
		Preview: &core.PreviewState{Status: string(at.state()), Progress: at.note, Diagnostics: at.shown()},
	}
	if err := s.sessions.deps.Bus.Publish(ctx, notice); err != nil {
		s.sessions.deps.Log.WarnContext(ctx, "could not publish a preview's status", "project", s.project, "error", err)
	}
}

// wakeLocked wakes all waiters.
func (s *session) wakeLocked() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// close ends the session for all who wait or watch.
func (s *session) close() {
	s.stop()
	s.sessions.remove(s)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	for watching := range s.watchers {
		s.watchers.drop(watching)
	}
	s.wakeLocked()
	close(s.gone)
}
