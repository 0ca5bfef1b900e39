// Package preview keeps projects' previews up: it builds a project when somebody
// first looks at it, builds it again when its files change, and tells whoever
// watches what came of it.
//
// A preview is a session in memory. It holds the last build that worked, so that
// pages stay up while the sources are broken, and it is gone when nobody has
// looked for a while; the next look starts another. Every process has sessions of
// its own.
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

// State is where a preview stands.
type State string

// The states of a preview. With StateError the last good build, if there is one,
// is still served.
const (
	StateStarting State = "starting"
	StateReady    State = "ready"
	StateError    State = "error"
)

// Runtime says what makes a project's pages.
type Runtime = builds.Runtime

// Status is what people are told of a preview. Progress says what is done before it
// answers, "" when that is not known, and Reason why its runtime is not the one of
// most projects. Diagnostics is never nil.
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

// Deps is what a Service works with. Log gets builds that failed for reasons
// that the project's people cannot mend.
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
	// MaxSessions bounds the previews held in memory; beyond it one ends, of the
	// workspace with most of them the one that nobody has looked at for longest. 0 is
	// 200.
	MaxSessions int
	// MaxServers bounds the development servers that run at once, each of which takes
	// some hundred megabytes. Beyond it the session of one ends, which is chosen in the
	// same way. 0 is 8.
	MaxServers int
}

const (
	defaultSessions = 200
	defaultServers  = 8
	// idleLimit ends a session that nobody has asked for and nobody watches.
	idleLimit = 15 * time.Minute
	// statusPatience is how long an answer about a preview waits for a build that
	// is under way: most take less, an installation of packages more.
	statusPatience = time.Second
	// pagePatience is how long a page waits for the build of the files as they
	// are.
	pagePatience = 10 * time.Second
)

// Service is the use cases around previews. It may be used by many goroutines.
// It must be closed before the process ends.
type Service struct {
	deps     Deps
	settings Settings
	life     context.Context
	end      context.CancelFunc
	running  sync.WaitGroup

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
	return &Service{deps: deps, settings: settings, life: life, end: end, sessions: map[core.ID]*session{}}
}

// Close ends all sessions and waits for them.
func (s *Service) Close() {
	s.mu.Lock()
	s.end()
	s.mu.Unlock()
	s.running.Wait()
}

// Start returns the preview's status, and starts it when it is not up. It waits a
// moment for the build of the files as they are, so that most answers are final.
//
// Readers of a public project may, too; they are told another address than members.
// Errors are those of access.Gate.Project, and
// core.CodeSandboxUnavailable where the project's own tools make its pages and cannot
// run.
func (s *Service) Start(ctx context.Context, by core.Actor, project core.ID) (Status, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPreviewRead, project); err != nil {
		return Status{}, err
	}
	status, err := s.status(ctx, project)
	if err != nil {
		return Status{}, err
	}
	// The address is a key. Whoever lost access while the build was waited for does
	// not get the new one.
	audience := AudienceMembers
	if _, err = s.deps.Gate.Project(ctx, by, core.ActionPreviewWatch, project); core.IsCode(err, core.CodeNotFound) {
		audience = AudienceGuests
		_, err = s.deps.Gate.Project(ctx, by, core.ActionPreviewRead, project)
	}
	if err != nil {
		return Status{}, err
	}
	return s.describe(ctx, project, audience, status)
}

// Status is Start for the camera, which looks as a guest does.
func (s *Service) Status(ctx context.Context, project core.ID) (Status, error) {
	at, err := s.status(ctx, project)
	if err != nil {
		return Status{}, err
	}
	return s.describe(ctx, project, AudienceGuests, at)
}

// status starts the preview when it is not up, and returns what came of it.
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

// Stop ends the preview's session and changes its addresses. A preview that is not up
// is no error; it comes up again, elsewhere, when somebody looks at it. It takes a
// member's right to change the project; errors are those of access.Gate.Project.
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

// Check builds the project's files as they are, or waits for the build of them
// that is under way, and returns what keeps them from building. Where the project has
// a development server, that has taken up the changes and has been asked for the
// first page with all the modules that it leads to. An error means that it is not
// known. The caller has checked who may.
func (s *Service) Check(ctx context.Context, project core.ID) ([]core.Diagnostic, error) {
	at, err := s.settled(ctx, project, 0, nil)
	if err != nil {
		return nil, err
	}
	return at.diagnostics, at.failure
}

// describe puts a session's state into the words of the contract, with the address for
// an audience.
func (s *Service) describe(ctx context.Context, project core.ID, audience Audience, at outcome) (Status, error) {
	url, err := s.address(ctx, project, audience)
	if err != nil {
		return Status{}, err
	}
	plan, err := s.deps.Maker.Plan(ctx, project)
	if err != nil {
		return Status{}, err
	}
	return Status{
		URL: url, Status: at.state(), Runtime: plan.Runtime, Reason: plan.Reason, Progress: at.note, Diagnostics: at.shown(),
	}, nil
}

// settled starts the project's session if need be, waits until it has built the
// files as they are now, or until what it has is enough, and returns what came of
// it. It waits no longer than patience and returns what the session has then; with a
// patience of 0 it waits for ctx alone. Only the wait is bounded by it: however long
// the way here took, there is a session afterwards.
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
			// The session ended for want of interest just as this interest arose.
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

// found returns the project's session, nil when there is none.
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

// makeRoom ends a session for one more of a tenant's, when there are as many as may be.
func (s *Service) makeRoom(newcomer core.ID) {
	if len(s.sessions) < s.settings.MaxSessions {
		return
	}
	last := givesWay(slices.Collect(maps.Values(s.sessions)), newcomer)
	last.stop()
	delete(s.sessions, last.project)
}

// givesWay returns the session to end of those that take what a newcomer wants: of the
// tenants that hold most (fair.GivesWay) the one that has gone unused for longest, rather
// one that nobody watches.
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
