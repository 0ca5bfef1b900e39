package preview

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// supervisor keeps a project's development server running: it starts the server, restarts
// it after a crash with exponential back-off, and stops it. Only the goroutine of its
// session uses it.
type supervisor struct {
	project   core.ID
	maker     Maker
	results   *results
	announcer *announcer
	log       *slog.Logger
	// admit makes room for one more server in this process.
	admit func(context.Context) error

	// server is nil unless the project has one that was started. crashes counts its crashes
	// in a row.
	server  *devServer
	crashes int
}

// serve makes a development server answer for the current files: the running one, if it
// matches the plan and sees the changes itself, else a new one.
func (s *supervisor) serve(ctx context.Context, revision int64, plan builds.Plan) {
	if s.server != nil && !s.server.over() && s.server.plan.Tools.ServesLike(plan.Tools) {
		_ = ctxsync.Sleep(ctx, noticeTime)
		s.conclude(ctx, revision, s.server.inspect(ctx), nil)
		return
	}
	s.stop()
	server, wrong, err := s.start(ctx, plan)
	if server != nil {
		s.server = server
		// A server that answers is shown before the whole project is checked.
		s.announcer.conclude(ctx, -1, func(outcome) outcome { return outcome{server: &server.Server, tried: true} })
		wrong = server.inspect(ctx)
	}
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "could not start a development server", "project", s.project, "error", err)
	}
	s.conclude(ctx, revision, wrong, err)
}

// conclude stores and announces what is wrong with the files at a revision.
func (s *supervisor) conclude(ctx context.Context, revision int64, wrong []core.Diagnostic, failure error) {
	if ctx.Err() != nil {
		return
	}
	s.announcer.conclude(ctx, revision, func(before outcome) outcome {
		return outcome{server: before.server, tried: true, diagnostics: wrong, failure: failure}
	})
}

// start installs the project's packages, starts its server and waits until it
// answers a request for a page. Diagnostics say why there is no server.
func (s *supervisor) start(ctx context.Context, plan builds.Plan) (*devServer, []core.Diagnostic, error) {
	if err := s.maker.Available(ctx); err != nil {
		return nil, nil, err
	}
	if err := s.admit(ctx); err != nil {
		return nil, nil, err
	}
	s.announcer.progress(ctx, "Installing packages…")
	wrong, err := s.maker.Install(ctx, s.project, plan, func(string) {})
	if err != nil || len(wrong) > 0 {
		return nil, wrong, err
	}
	s.announcer.progress(ctx, "Starting the development server…")
	heard := &builds.OutputTail{}
	running, wrong, err := s.maker.Serve(ctx, s.project, plan, heard.Add)
	if err != nil || len(wrong) > 0 {
		return nil, wrong, err
	}
	made := &devServer{Server: Server{ID: string(core.NewID()), running: running}, plan: plan, heard: heard, began: time.Now()}
	made.browser = &http.Client{
		Transport:     &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return made.Dial(ctx) }, MaxIdleConnsPerHost: 1},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if wrong, err := made.awaitAnswer(ctx); err != nil || len(wrong) > 0 {
		made.stop()
		return nil, wrong, err
	}
	return made, nil, nil
}

// stop stops the development server, if there is one. It gets no more requests.
func (s *supervisor) stop() {
	if s.server == nil {
		return
	}
	s.results.forgetServer()
	s.server.stop()
	s.server = nil
}

// forgive forgets the crashes, because the files changed: the back-off begins anew.
func (s *supervisor) forgive() { s.crashes = 0 }

// crashed returns a channel that is closed when the development server has ended by
// itself.
func (s *supervisor) crashed() <-chan struct{} {
	if s.server == nil {
		return nil
	}
	return s.server.running.Done()
}

// backOff announces how the server crashed and returns when to start it again, with
// exponential back-off; never, if it has crashed too often.
func (s *supervisor) backOff(ctx context.Context) <-chan time.Time {
	dead := s.server
	s.stop()
	if time.Since(dead.began) >= stableTime {
		s.crashes = 0
	}
	s.crashes++
	s.conclude(ctx, -1, builds.ExplainFailure("the development server", dead.running.Outcome(), dead.heard.Since(0)), nil)
	if s.crashes >= maxCrashes {
		return nil
	}
	return time.After(min(lastPause, firstPause<<(s.crashes-1)))
}
