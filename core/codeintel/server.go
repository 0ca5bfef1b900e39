package codeintel

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/ports/languageserver"
)

const (
	// idleTime is how long a server stays that nobody asks.
	idleTime = 5 * time.Minute
	// failurePause is the pause after a server that did not start, or ended by itself within that
	// time, so that a project that ends its servers does not cost a start a question.
	failurePause = 5 * time.Second
	// launchTime bounds the start, with the installation of packages.
	launchTime = 2 * time.Minute
)

// server is the language server of a project. One goroutine (run) starts it, tells it what
// changed, and ends it.
type server struct {
	// Server is nil until ready is closed, and if failure says why it did not start.
	languageserver.Server
	failure error
	ready   chan struct{}

	all     *servers
	project core.ID
	// tenant is the workspace that the server counts for.
	tenant core.ID
	life   context.Context
	stop   context.CancelFunc
	// settle asks run to tell the server of the notices so far, and to close the channel.
	settle chan chan struct{}

	// servers.mu guards these: how many ask, and when somebody last did.
	busy int
	used time.Time
}

func newServer(all *servers, project, tenant core.ID) *server {
	life, stop := context.WithCancel(fair.WithTenant(all.life, tenant))
	return &server{
		all: all, project: project, tenant: tenant, life: life, stop: stop,
		ready: make(chan struct{}), settle: make(chan chan struct{}), used: time.Now(),
	}
}

// await waits until the server is started and knows of all notices so far.
func (s *server) await(ctx context.Context) error {
	select {
	case <-s.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.failure != nil {
		return s.failure
	}
	settled := make(chan struct{})
	select {
	case s.settle <- settled:
		<-settled
		return nil
	case <-s.Done():
		// The question then fails, and is asked again if another server can answer it.
		return nil
	case <-s.life.Done():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run starts the server, follows the project, and ends the server when it is stopped, idle or no
// longer up to date.
func (s *server) run() {
	defer s.stop()
	defer s.all.forget(s)
	// Notices are followed from before the start, so that none is missed.
	notices, err := s.all.deps.Bus.Follow(s.life, s.project)
	if err == nil {
		s.Server, err = s.launch()
	}
	s.failure = err
	close(s.ready)
	if err != nil {
		s.pause(err)
		return
	}
	defer s.Close()
	// The next caller starts another one.
	defer s.all.forget(s)
	started := time.Now()
	if s.follow(notices) != nil && time.Since(started) < failurePause {
		s.pause(nil)
	}
}

// launch installs what the server reads and starts it.
func (s *server) launch() (languageserver.Server, error) {
	ctx, cancel := context.WithTimeout(s.life, launchTime)
	defer cancel()
	deps := s.all.deps
	files, err := deps.Sources.View(ctx, s.project)
	if err != nil {
		return nil, err
	}
	found, err := typecheck.Install(ctx, files, deps.Resolver, deps.Launcher.Compiler())
	if err != nil {
		return nil, err
	}
	return deps.Launcher.Launch(ctx, s.project, languageserver.Task{Packages: found.Packages, Compiler: found.Compiler})
}

// pause keeps a server that failed for a while.
func (s *server) pause(err error) {
	if err != nil && s.life.Err() == nil {
		s.all.deps.Log.WarnContext(s.life, "could not start a language server", "project", s.project, "error", err)
	}
	select {
	case <-s.life.Done():
	case <-time.After(failurePause):
	}
}

// errEnded says that a server ended by itself.
var errEnded = core.Errorf(core.CodeUnavailable, "the language server has ended: try again")

// follow tells the server of notices until it should end, or has ended: then errEnded.
func (s *server) follow(notices <-chan *core.Notice) error {
	idle := time.NewTimer(idleTime)
	defer idle.Stop()
	for {
		select {
		case <-s.life.Done():
			return nil
		case <-s.Done():
			return errEnded
		case notice, open := <-notices:
			if !open || !s.heed(notice) {
				return nil
			}
		case settled := <-s.settle:
			fresh := s.drain(notices)
			close(settled)
			if !fresh {
				return nil
			}
		case <-idle.C:
			left := s.all.forgetIdle(s)
			if left <= 0 {
				return nil
			}
			idle.Reset(left)
		}
	}
}

// drain heeds the notices that wait. It reports whether the server is up to date then.
func (s *server) drain(notices <-chan *core.Notice) bool {
	for {
		select {
		case notice, open := <-notices:
			if !open || !s.heed(notice) {
				s.all.forget(s)
				s.Close()
				return false
			}
		default:
			return true
		}
	}
}

// heed tells the server which files changed. It returns false if the server must be replaced.
func (s *server) heed(notice *core.Notice) bool {
	switch notice.Kind {
	case core.NoticeLagged:
		return false
	case core.NoticeFiles:
	default:
		return true
	}
	var changed []string
	for _, file := range notice.Files {
		gone := file.Entry == nil || file.From != nil
		if choosesPackages(file.Path) || gone && !languageserver.Speaks(file.Path) {
			// A path without an ending may be a whole directory.
			return false
		}
		changed = append(changed, file.Path.String())
		if file.From != nil {
			changed = append(changed, file.From.String())
		}
	}
	s.Changed(changed)
	return true
}

// choosesPackages reports whether the packages of a project's types depend on a file.
func choosesPackages(file core.ProjectPath) bool {
	name := file.String()
	return name == "package.json" || name == "package-lock.json" || path.Dir(name) == "." && strings.HasPrefix(name, "tsconfig") && strings.HasSuffix(name, ".json")
}
