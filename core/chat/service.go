package chat

import (
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/loglimit"
	"github.com/atelierhq/atelier/core/telemetry"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps is what the service works with.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Bus   broadcast.Bus
	Agent *agent.Agent
	// Models chooses the model that answers.
	Models Models
	// Projects opens projects for the agent.
	Projects Projects
	// Attachments loads the images of messages.
	Attachments *attachments.Loader
	// Picture requests a new thumbnail of a project after a run changed it; nil
	// requests none.
	Picture thumbnails.Wish
	// Tally counts runs and their costs; nil counts nothing.
	Tally *telemetry.Tally
	Log   *slog.Logger
	Now   func() time.Time
	// Quotas bound how many chats a project has.
	Quotas core.Quotas
	// Exclusive says that no other process uses the database, so that every active
	// run found at the start was interrupted.
	Exclusive core.Exclusive
}

// repeatAfter is how long a failure that comes with every attempt is not logged again.
const repeatAfter = time.Minute

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
	life, lost, limitedLog := newLifetime(), newLostRuns(), loglimit.New(deps.Log, repeatAfter)
	active := newActiveRuns(life)
	events := &eventLog{store: deps.Store, bus: deps.Bus, tally: deps.Tally, log: deps.Log}
	leases := &leases{store: deps.Store, owner: string(core.NewID()), now: deps.Now}
	completion := &completion{store: deps.Store, projects: deps.Projects, events: events, picture: deps.Picture, limitedLog: limitedLog, now: deps.Now}
	recovery := &recovery{
		store: deps.Store, projects: deps.Projects, leases: leases, active: active, lost: lost, completion: completion,
		wake: ctxsync.NewSignal(), exclusive: deps.Exclusive, limitedLog: limitedLog, now: deps.Now,
	}
	executor := &executor{
		store: deps.Store, gate: deps.Gate, bus: deps.Bus, agent: deps.Agent, models: deps.Models, projects: deps.Projects,
		events: events, leases: leases, active: active, lost: lost, completion: completion, recovery: recovery,
		exclusive: deps.Exclusive, limitedLog: limitedLog, log: deps.Log, now: deps.Now,
	}
	queue := &queue{
		store: deps.Store, life: life, events: events, leases: leases, executor: executor, recovery: recovery,
		wake: recovery.wake, limitedLog: limitedLog, now: deps.Now,
	}
	chats := &Chats{store: deps.Store, gate: deps.Gate, quotas: deps.Quotas, now: deps.Now}
	followers := &Followers{
		store: deps.Store, gate: deps.Gate, bus: deps.Bus, leases: leases, active: active, lost: lost, now: deps.Now,
		over: make(chan struct{}),
	}
	return &Service{chats, &Runs{
		store: deps.Store, gate: deps.Gate, bus: deps.Bus, attachments: deps.Attachments, chats: chats, followers: followers,
		life: life, events: events, leases: leases, active: active, completion: completion, recovery: recovery,
		executor: executor, queue: queue, now: deps.Now,
	}, followers}
}
