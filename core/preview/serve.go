package preview

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// serve makes a development server answer for the current files: the running one, if it
// matches the plan and sees the changes itself, else a new one.
func (s *session) serve(ctx context.Context, revision int64, plan builds.Plan) {
	if s.dev != nil && !s.dev.over() && s.dev.plan.Tools.ServesLike(plan.Tools) {
		_ = ctxsync.Sleep(ctx, noticeTime)
		s.conclude(ctx, revision, s.dev.inspect(ctx), nil)
		return
	}
	s.endServer()
	dev, wrong, err := s.startServer(ctx, plan)
	if dev != nil {
		s.dev = dev
		s.show(ctx, &dev.Server)
		wrong = dev.inspect(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "could not start a development server", "project", s.project, "error", err)
	}
	s.conclude(ctx, revision, wrong, err)
}

// conclude stores and announces the result for the files at a revision.
func (s *session) conclude(ctx context.Context, revision int64, wrong []core.Diagnostic, failure error) {
	if ctx.Err() != nil {
		return
	}
	s.announcer.conclude(ctx, revision, func(before outcome) outcome {
		return outcome{server: before.server, tried: true, diagnostics: wrong, failure: failure}
	})
}

// show announces a server that answers, before the whole project is checked.
func (s *session) show(ctx context.Context, server *Server) {
	s.announcer.conclude(ctx, -1, func(outcome) outcome { return outcome{server: server, tried: true} })
}

// endServer stops the development server, if there is one. It gets no more requests.
func (s *session) endServer() {
	if s.dev == nil {
		return
	}
	s.results.forgetServer()
	s.dev.stop()
	s.dev = nil
}

// ended returns a channel that is closed when the development server has ended by
// itself.
func (s *session) ended() <-chan struct{} {
	if s.dev == nil {
		return nil
	}
	return s.dev.running.Done()
}

// bury announces how the server ended and returns when to start it again, with
// exponential back-off; never, if it has ended too often.
func (s *session) bury(ctx context.Context) <-chan time.Time {
	dead := s.dev
	s.endServer()
	if time.Since(dead.began) >= stableTime {
		s.crashes = 0
	}
	s.crashes++
	s.conclude(ctx, -1, builds.Blame("the development server", dead.running.Outcome(), dead.heard.Since(0)), nil)
	if s.crashes >= maxCrashes {
		return nil
	}
	return time.After(min(lastPause, firstPause<<(s.crashes-1)))
}
