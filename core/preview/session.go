package preview

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/storage"
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
// work; all others read its results, wait for them, or watch its feed.
type session struct {
	project core.ID
	// tenant is the workspace that the session counts for.
	tenant core.ID
	store  storage.Store
	bus    broadcast.Bus
	maker  Maker
	log    *slog.Logger

	feed       *feed
	results    *results
	announcer  *announcer
	supervisor *supervisor
	lastUse    lastUse

	// stop ends the session. remove takes it out of the sessions. gone is closed when run
	// is over.
	stop   context.CancelFunc
	remove func(*session)
	gone   chan struct{}
}

// lastUse is when somebody last used a session.
type lastUse struct {
	mu sync.Mutex
	at time.Time
}

func (l *lastUse) touch() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = time.Now()
}

func (l *lastUse) get() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// newSession returns a session that has not run.
func newSession(all *sessions, project, tenant core.ID, stop context.CancelFunc) *session {
	deps := all.deps
	feed := &feed{watchers: watchers{}}
	results := newResults(feed)
	announcer := &announcer{project: project, statuses: all.statuses, bus: deps.Bus, feed: feed, results: results, log: deps.Log}
	s := &session{
		project: project, tenant: tenant, store: deps.Store, bus: deps.Bus, maker: deps.Maker, log: deps.Log,
		feed: feed, results: results, announcer: announcer,
		stop: stop, remove: all.remove, gone: make(chan struct{}),
	}
	s.supervisor = &supervisor{
		project: project, maker: deps.Maker, results: results, announcer: announcer, log: deps.Log,
		admit: func(ctx context.Context) error { return all.makeRoomForServer(ctx, s) },
	}
	return s
}

// run follows the project and builds until ctx ends, the project is deleted, or the
// session is idle for too long.
func (s *session) run(ctx context.Context) {
	defer s.close()
	defer s.supervisor.stop()
	notices, again := s.follow(ctx)
	idle := time.NewTimer(idleLimit)
	defer idle.Stop()
	s.build(ctx)
	// debounce is set while changes wait for a build, restart while a server that crashed
	// waits for its next start.
	var debounce, restart <-chan time.Time
	for {
		select {
		case <-s.supervisor.crashed():
			restart = s.supervisor.backOff(ctx)
		case <-restart:
			restart = nil
			s.build(ctx)
		case <-ctx.Done():
			return
		case <-again:
			// Notices published in the gap are lost.
			notices, again = s.follow(ctx)
			debounce = time.After(settleTime)
		case notice, open := <-notices:
			if !open {
				notices, again = nil, time.After(followAgain)
				continue
			}
			if debounce == nil && concernsFiles(notice) {
				debounce = time.After(s.settling())
			}
			if !s.heed(ctx, notice) {
				return
			}
		case <-debounce:
			debounce = nil
			s.supervisor.forgive()
			s.build(ctx)
		case <-s.results.kick:
			if !s.results.due() {
				continue
			}
			if !s.skip(ctx, notices) {
				return
			}
			debounce = nil
			s.build(ctx)
		case <-idle.C:
			rest := s.idleTimeLeft()
			if rest <= 0 {
				return
			}
			idle.Reset(rest)
		}
	}
}

// settling is the debounce time of a change: 0 after a quiet time, so that a single
// save shows at once.
func (s *session) settling() time.Duration { return max(0, settleTime-s.results.sinceBuilt()) }

// follow subscribes to the project's notices. If the bus refuses, the second result
// says when to try again: until then only requests for pages notice changes.
func (s *session) follow(ctx context.Context) (<-chan *core.Notice, <-chan time.Time) {
	notices, err := s.bus.Follow(ctx, s.project)
	if err != nil {
		s.log.WarnContext(ctx, "could not follow the project of a preview", "project", s.project, "error", err)
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

// heed answers a notice that asks for the state, and sends the project's address to the
// watchers if it may have changed. It reports whether the project still exists.
func (s *session) heed(ctx context.Context, notice *core.Notice) bool {
	if asksForState(notice) {
		s.announcer.publish(ctx, s.results.latest())
	}
	return !concernsProject(notice) || !core.IsCode(s.announcer.announce(ctx, nil), core.CodeNotFound)
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
			if !s.heed(ctx, notice) {
				return false
			}
		default:
			return true
		}
	}
}

// build builds the current files and publishes the result. It reads the revision
// first: later changes belong to the next build.
func (s *session) build(ctx context.Context) {
	limited, cancel := context.WithTimeout(ctx, buildLimit)
	defer cancel()
	var made build.Result
	state, err := s.store.Tables().Files.State(limited, s.project)
	revision := state.Revision
	if err == nil {
		var plan builds.Plan
		if plan, err = s.maker.Plan(limited, s.project); err == nil && plan.Runtime == builds.RuntimeNode {
			s.supervisor.serve(ctx, revision, plan)
			return
		}
		s.supervisor.stop()
		if err == nil {
			made, err = s.maker.MakePlanned(limited, s.project, plan, build.ModePreview)
		}
	} else {
		// Nobody can wait for a revision that cannot be read.
		revision = s.results.highestWanted()
	}
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		s.log.WarnContext(ctx, "could not build a preview", "project", s.project, "error", err)
	}
	s.announcer.conclude(ctx, revision, func(before outcome) outcome { return before.after(made, err) })
}

// idleTimeLeft returns how long until the session ends because nobody watches its preview.
func (s *session) idleTimeLeft() time.Duration {
	if s.feed.isWatched() {
		return idleLimit
	}
	return idleLimit - time.Since(s.lastUse.get())
}

// lessUsedThan compares sessions: one without watchers is less used, else the one that was
// used earlier.
func (s *session) lessUsedThan(other *session) bool {
	mine, theirs := s.feed.isWatched(), other.feed.isWatched()
	if mine != theirs {
		return theirs
	}
	return s.lastUse.get().Before(other.lastUse.get())
}

// close ends the session for all who wait or watch.
func (s *session) close() {
	s.stop()
	s.remove(s)
	s.results.end()
	close(s.gone)
}
