package chat

import (
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/core/codeintel"
	"github.com/atelierhq/atelier/core/connectors"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/typecheck"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/core/webpage"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/tracing"
)

// Deps has the dependencies of the service.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Bus   broadcast.Bus
	Agent *agent.Agent
	// Models chooses the model that answers.
	Models Models
	// Projects opens projects for the agent.
	Projects Projects
	// Pages opens pages of previews for the agent; nil opens none.
	Pages *browsing.Service
	// Types finds type errors for the agent; nil finds none.
	Types *typecheck.Service
	// Code finds those of single files meanwhile; nil finds none.
	Code *codeintel.Service
	// Web reads pages of the web for the agent; nil reads none.
	Web *webpage.Reader
	// Connectors calls the tools of other programs for the agent; nil calls none.
	Connectors *connectors.Toolbox
	// Checks plays the checks of projects at the end of runs; nil plays none.
	Checks *checks.Service
	// Attachments loads the images of messages.
	Attachments *attachments.Loader
	// Picture requests a new thumbnail of a project after a run changed it; nil
	// requests none.
	Picture thumbnails.Refresher
	// Hooks tells webhooks of the ends of runs; nil tells none.
	Hooks *webhooks.Queue
	// Tally counts runs and their costs; nil counts nothing.
	Tally *telemetry.Tally
	// Tracer gets a trace of each run; nil gets none.
	Tracer tracing.Tracer
	Log    *slog.Logger
	Now    func() time.Time
	// Quotas bound how many chats a project has, and how many runs are at work in a workspace.
	Quotas core.Quotas
	// Exclusive says that no other process uses the database, so that every active
	// run found at the start was interrupted.
	Exclusive core.SoleProcess
}

// Service is the three parts of the use cases around chats. The followers end when the
// runs are closed.
type Service struct {
	*Chats
	*Runs
	*Followers
}

// New returns a service whose runs have not started.
func New(deps Deps) *Service {
	if deps.Picture == nil {
		deps.Picture = func(core.ID) {}
	}
	process := newProcess(deps)
	completion := &completion{process: process, projects: deps.Projects, picture: deps.Picture, hooks: deps.Hooks}
	recovery := &recovery{process: process, projects: deps.Projects, completion: completion, wake: ctxsync.NewSignal()}
	executor := &executor{
		process: process, gate: deps.Gate, agent: deps.Agent, tracer: deps.Tracer, models: deps.Models, projects: deps.Projects, pages: deps.Pages, web: deps.Web, connectors: deps.Connectors, types: deps.Types, code: deps.Code, checks: deps.Checks,
		completion: completion, recovery: recovery,
	}
	chats := &Chats{store: deps.Store, gate: deps.Gate, quotas: deps.Quotas, now: deps.Now}
	followers := &Followers{process: process, gate: deps.Gate, over: make(chan struct{})}
	runs := &Runs{
		process: process, gate: deps.Gate, attachments: deps.Attachments, chats: chats, followers: followers,
		completion: completion, recovery: recovery, executor: executor,
		queue: &queue{process: process, executor: executor, recovery: recovery, wake: recovery.wake, quotas: deps.Quotas},
	}
	return &Service{chats, runs, followers}
}
