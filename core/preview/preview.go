package preview

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// Maker makes pages and starts development servers, as builds.Maker does.
type Maker interface {
	Plan(ctx context.Context, project core.ID) (builds.Plan, error)
	MakePlanned(ctx context.Context, project core.ID, plan builds.Plan, mode build.Mode) (build.Result, error)
	Available(ctx context.Context) error
	Install(ctx context.Context, project core.ID, plan builds.Plan, say func(string)) ([]core.Diagnostic, error)
	Serve(ctx context.Context, project core.ID, plan builds.Plan, say func(string)) (toolchain.Server, []core.Diagnostic, error)
}

// Deps has the dependencies of a Service. Log gets failures of builds that the project's
// members cannot fix.
type Deps struct {
	Store  storage.Store
	Gate   *access.Gate
	Bus    broadcast.Bus
	Sealer identity.Sealer
	Maker  Maker
	// Settings are the operator's decisions about previews.
	Settings Settings
	Now      func() time.Time
	Log      *slog.Logger
}

// Settings are a Service's. Scheme is "http" or "https"; Domain may have a port.
type Settings struct {
	Scheme string
	Domain string
	// MaxSessions bounds the previews held in memory. Beyond it one ends: the least
	// recently used of the workspace with the most. 0 is 200.
	MaxSessions int
	// MaxServers bounds the development servers that run at once; each takes some hundred
	// megabytes. Beyond it the session of one ends, chosen in the same way. 0 is 8.
	MaxServers int
	// Pace stretches the waits for builds.
	Pace core.Pace
}

const (
	defaultSessions = 200
	defaultServers  = 8
	// idleLimit ends a session that nobody has requested or watched for so long.
	idleLimit = 15 * time.Minute
	// statusPatience is how long an answer about a preview waits for a running build:
	// most take less, an installation of packages more.
	statusPatience = time.Second
	// pagePatience is how long a page waits for the build of the current files.
	pagePatience = 10 * time.Second
)

// Service has the use cases around previews. It may be used by many goroutines. It must
// be closed before the process ends.
type Service struct {
	deps      Deps
	addresses *addresses
	statuses  *statuses
	sessions  *sessions
}

// New returns a service without sessions.
func New(deps Deps) *Service {
	settings := &deps.Settings
	if settings.MaxSessions <= 0 {
		settings.MaxSessions = defaultSessions
	}
	if settings.MaxServers <= 0 {
		settings.MaxServers = defaultServers
	}
	addresses := &addresses{store: deps.Store, sealer: deps.Sealer, scheme: settings.Scheme, domain: settings.Domain, rehearsals: newRehearsals()}
	statuses := &statuses{addresses, deps.Maker}
	return &Service{deps: deps, addresses: addresses, statuses: statuses, sessions: newSessions(deps, statuses)}
}

// Close ends all sessions and waits for them.
func (s *Service) Close() { s.sessions.close() }

// Start returns the preview's status, and starts it if it is not running. It waits a
// moment for the build of the current files, so that most answers are final.
//
// Readers of a public project may call it, too; they get a different address from
// members. Errors are those of access.Gate.Project, and core.CodeSandboxUnavailable if
// the project's own tools make its pages and cannot run.
func (s *Service) Start(ctx context.Context, by core.Actor, project core.ID) (Status, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPreviewRead, project); err != nil {
		return Status{}, err
	}
	status, err := s.status(ctx, project)
	if err != nil {
		return Status{}, err
	}
	// The address is a key. A caller who lost access while waiting for the build does not
	// get the new one.
	audience := AudienceMembers
	if _, err = s.deps.Gate.Project(ctx, by, core.ActionPreviewWatch, project); core.IsCode(err, core.CodeNotFound) {
		audience = AudienceGuests
		_, err = s.deps.Gate.Project(ctx, by, core.ActionPreviewRead, project)
	}
	if err != nil {
		return Status{}, err
	}
	return s.statuses.of(ctx, project, audience, status)
}

// Status is Start for the camera of thumbnails, which is in the audience of guests.
func (s *Service) Status(ctx context.Context, project core.ID) (Status, error) {
	at, err := s.status(ctx, project)
	if err != nil {
		return Status{}, err
	}
	return s.statuses.of(ctx, project, AudienceGuests, at)
}

// status starts the preview if it is not running, and returns its outcome.
func (s *Service) status(ctx context.Context, project core.ID) (outcome, error) {
	plan, err := s.deps.Maker.Plan(ctx, project)
	if err == nil && plan.Runtime == builds.RuntimeNode {
		err = s.deps.Maker.Available(ctx)
	}
	if err != nil {
		return outcome{}, err
	}
	return s.settled(ctx, project, s.deps.Settings.Pace.Of(statusPatience), outcome.answers)
}

// Stop ends the preview's session and changes its addresses. It is idempotent: a preview
// that is not running is no error. The next look starts it at its new address. It
// requires a member's right to change the project; errors are those of
// access.Gate.Project.
func (s *Service) Stop(ctx context.Context, by core.Actor, project core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionProjectUpdate, project); err != nil {
		return err
	}
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionProjectUpdate, project); err != nil {
			return err
		}
		_, err := tables.Projects.Update(ctx, project, func(project *core.Project) error {
			project.PreviewVersion++
			return nil
		})
		return err
	})
	if err != nil {
		return err
	}
	if running := s.sessions.find(project); running != nil {
		running.stop()
		<-running.gone
	}
	return nil
}

// Check builds the project's current files, or waits for their running build, and returns
// the build's errors and warnings. If the project has a development server, Check lets it take up the
// changes and requests the first page with all its modules. An error means that the
// result is unknown. The caller has checked access.
func (s *Service) Check(ctx context.Context, project core.ID) (wrong, warnings []core.Diagnostic, err error) {
	at, err := s.settled(ctx, project, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	return at.diagnostics, at.warnings, at.failure
}

// Count returns how many previews this process has, and how many of them have a
// development server.
func (s *Service) Count() (previews, servers int) { return s.sessions.count() }

// settled starts the project's session if necessary and returns its outcome. It waits
// until the session has built the current files or its outcome is enough, at most for
// patience; with a patience of 0 only ctx bounds the wait. patience bounds nothing but
// this wait, so there always is a session afterwards.
func (s *Service) settled(ctx context.Context, project core.ID, patience time.Duration, enough func(outcome) bool) (outcome, error) {
	state, err := s.deps.Store.Tables().Files.State(ctx, project)
	if err != nil {
		return outcome{}, err
	}
	waiting := ctx
	if patience > 0 {
		limited, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		waiting = limited
	}
	for {
		running, err := s.sessions.open(ctx, project)
		if err != nil {
			return outcome{}, err
		}
		at, err := running.results.await(waiting, state.Revision, enough)
		switch {
		case errors.Is(err, errEnded):
			// The session ended because it was idle, just as this call came.
			<-running.gone
		case waiting.Err() != nil:
			return at, ctx.Err()
		default:
			return at, err
		}
	}
}
