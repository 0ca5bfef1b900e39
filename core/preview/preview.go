package preview

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
)

// State is the state of a preview.
type State string

// The states of a preview. With StateError the last good build, if there is one,
// is still served.
const (
	StateStarting State = "starting"
	StateReady    State = "ready"
	StateError    State = "error"
)

// Runtime says which tools make a project's pages.
type Runtime = builds.Runtime

// Status is the status of a preview for people. Progress describes the progress until it
// answers, "" if unknown. Reason says why its runtime is not the usual one. Diagnostics
// is never nil.
type Status struct {
	URL         string            `json:"url"`
	Status      State             `json:"status"`
	Runtime     Runtime           `json:"runtime"`
	Reason      string            `json:"runtimeReason,omitzero"`
	Progress    string            `json:"progress,omitzero"`
	Diagnostics []core.Diagnostic `json:"diagnostics"`
}

// Maker makes pages and starts development servers, as builds.Maker does.
type Maker interface {
	Plan(ctx context.Context, project core.ID) (builds.Plan, error)
	MakePlanned(ctx context.Context, project core.ID, plan builds.Plan, mode build.Mode) (build.Result, error)
	Available(ctx context.Context) error
	Install(ctx context.Context, project core.ID, plan builds.Plan, say func(string)) ([]core.Diagnostic, error)
	Serve(ctx context.Context, project core.ID, plan builds.Plan, say func(string)) (toolchain.Server, []core.Diagnostic, error)
}

// Deps is what a Service works with. Log gets failures of builds that the project's
// members cannot fix.
type Deps struct {
	Store  storage.Store
	Gate   *access.Gate
	Bus    broadcast.Bus
	Sealer identity.Sealer
	Maker  Maker
	Now    func() time.Time
	Log    *slog.Logger
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
	settings  Settings
	addresses *addresses
	statuses  *statuses
	life      context.Context
	end       context.CancelFunc
	running   sync.WaitGroup

	mu       sync.Mutex
	sessions map[core.ID]*session
}

// New returns a service without sessions.
func New(deps Deps, settings Settings) *Service {
	if settings.MaxSessions <= 0 {
		settings.MaxSessions = defaultSessions
	}
	if settings.MaxServers <= 0 {
		settings.MaxServers = defaultServers
	}
	life, end := context.WithCancel(context.Background())
	addresses := &addresses{store: deps.Store, sealer: deps.Sealer, scheme: settings.Scheme, domain: settings.Domain}
	return &Service{
		deps: deps, settings: settings, addresses: addresses, statuses: &statuses{addresses, deps.Maker},
		life: life, end: end, sessions: map[core.ID]*session{},
	}
}

// Close ends all sessions and waits for them.
func (s *Service) Close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.running.Wait()
}

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
	return s.settled(ctx, project, statusPatience, outcome.answers)
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
	s.mu.Lock()
	running := s.sessions[project]
	s.mu.Unlock()
	if running != nil {
		running.stop()
		<-running.gone
	}
	return nil
}

// Check builds the project's current files, or waits for their running build, and returns
// the build's errors. If the project has a development server, Check lets it take up the
// changes and requests the first page with all its modules. An error means that the
// result is unknown. The caller has checked access.
func (s *Service) Check(ctx context.Context, project core.ID) ([]core.Diagnostic, error) {
	at, err := s.settled(ctx, project, 0, nil)
	if err != nil {
		return nil, err
	}
	return at.diagnostics, at.failure
}

// statuses puts the outcomes of builds into the form of the contract.
type statuses struct {
	addresses *addresses
	maker     Maker
}

// of returns the status of a project's preview, with the address for an audience.
func (s *statuses) of(ctx context.Context, project core.ID, audience Audience, at outcome) (Status, error) {
	url, err := s.addresses.url(ctx, project, audience)
	if err != nil {
		return Status{}, err
	}
	plan, err := s.maker.Plan(ctx, project)
	if err != nil {
		return Status{}, err
	}
	return Status{
		URL: url, Status: at.state(), Runtime: plan.Runtime, Reason: plan.Reason, Progress: at.note, Diagnostics: at.shown(),
	}, nil
}

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
		running, err := s.session(ctx, project)
		if err != nil {
			return outcome{}, err
		}
		at, err := running.await(waiting, state.Revision, enough)
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

// session returns the project's session and starts one if there is none. Its error is
// that of the project's record, or that the service is stopping.
func (s *Service) session(ctx context.Context, project core.ID) (*session, error) {
	if running, err := s.found(project); running != nil || err != nil {
		return running, err
	}
	owner, err := s.deps.Store.Tables().Projects.ByID(ctx, project)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, errStopping()
	}
	running := s.sessions[project]
	if running == nil {
		s.makeRoom(owner.WorkspaceID)
		life, stop := context.WithCancel(fair.With(s.life, owner.WorkspaceID))
		running = newSession(s, project, stop)
		running.tenant = owner.WorkspaceID
		s.sessions[project] = running
		s.running.Go(func() { running.run(life) })
	}
	running.touch()
	return running, nil
}

// found returns the project's session, nil if there is none.
func (s *Service) found(project core.ID) (*session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	running := s.sessions[project]
	if s.life.Err() != nil {
		return nil, errStopping()
	}
	if running != nil {
		running.touch()
	}
	return running, nil
}

func errStopping() error { return core.Errorf(core.CodeUnavailable, "the service is stopping") }

// makeRoom ends a session for a new one of a tenant if the limit is reached.
func (s *Service) makeRoom(newcomer core.ID) {
	if len(s.sessions) < s.settings.MaxSessions {
		return
	}
	last := givesWay(slices.Collect(maps.Values(s.sessions)), newcomer)
	last.stop()
	delete(s.sessions, last.project)
}

// givesWay returns the session to end for a newcomer: the least recently used of the
// tenants that hold most (fair.GivesWay), preferably one without watchers.
func givesWay(sessions []*session, newcomer core.ID) *session {
	held := map[core.ID]int{}
	for _, running := range sessions {
		held[running.tenant]++
	}
	losers := fair.GivesWay(held, newcomer)
	var last *session
	for _, running := range sessions {
		if slices.Contains(losers, running.tenant) && (last == nil || running.lessUsedThan(last)) {
			last = running
		}
	}
	return last
}

// remove forgets a session that has ended.
func (s *Service) remove(ended *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[ended.project] == ended {
		delete(s.sessions, ended.project)
	}
}
