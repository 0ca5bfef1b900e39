package chat

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/core/files"
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
	// Desks opens projects for the agent.
	Desks Desks
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

// Models chooses the model for a message, and meters what it costs.
type Models interface {
	// Choose resolves the model that a message asks for (contract, section 3). It
	// returns core.CodeNoProvider if none is configured.
	Choose(ctx context.Context, workspace core.ID, model string) (Choice, error)
	// ChooseOwn resolves a message that spends a person's own AI subscription; "" is
	// its default model. It does not use the network.
	ChooseOwn(ctx context.Context, person core.ID, model string) (Choice, error)
	// CheckOwn returns core.CodeNoProvider if the person has no subscription.
	CheckOwn(ctx context.Context, person core.ID) error
	// Meter guards the credit of a run's workspace for calls of a model. A choice
	// that the sender pays for costs the workspace nothing.
	Meter(run core.Run, choice Choice) agent.Meter
}

// Desks opens a project for the agent, and commits what it did.
type Desks interface {
	// Desk returns the project of a run. It changes files as long as the person who
	// started the run may use the chat.
	Desk(run core.Run) agent.Desk
	// Commit makes one version of a run's changes, and of nothing else. It returns
	// false if there are none.
	Commit(ctx context.Context, run core.Run, message string) (core.Version, bool, error)
	// CommitByHand makes a version of what people have staged at paths, nil for all,
	// except at those that except returns. If nothing is staged there, it makes
	// none.
	CommitByHand(ctx context.Context, project core.ID, paths []core.ProjectPath, except files.Except) error
	// CatchUp finds out what a command left on the disk after its process died.
	CatchUp(ctx context.Context, project core.ID) error
}

// Service is the use cases around chats. It must be started before messages are
// sent and closed before the process ends.
type Service struct {
	*Chats
	*Followers

	store       storage.Store
	gate        *access.Gate
	bus         broadcast.Bus
	agent       *agent.Agent
	models      Models
	desks       Desks
	attachments *attachments.Loader
	log         *slog.Logger
	now         func() time.Time
	exclusive   core.Exclusive

	// events are the logs of the chats.
	events     *eventLog
	leases     *leases
	life       *lifetime
	active     *activeRuns
	lost       *lostRuns
	wake       wake
	recovery   *recovery
	completion *completion
	// quietly logs failures that repeat with every attempt.
	quietly *throttle
}

// New returns a service that has not started.
func New(deps Deps) *Service {
	if deps.Picture == nil {
		deps.Picture = func(core.ID) {}
	}
	life, lost := newLifetime(), newLostRuns()
	active := newActiveRuns(life)
	events, quietly := &eventLog{store: deps.Store, bus: deps.Bus, tally: deps.Tally, log: deps.Log}, newThrottle(deps.Log)
	held := &leases{store: deps.Store, owner: string(core.NewID()), now: deps.Now}
	end := &completion{store: deps.Store, desks: deps.Desks, events: events, picture: deps.Picture, quietly: quietly, now: deps.Now}
	rec := &recovery{
		store: deps.Store, desks: deps.Desks, leases: held, active: active, lost: lost, completion: end, wake: make(wake, 1),
		exclusive: deps.Exclusive, quietly: quietly, now: deps.Now,
	}
	return &Service{
		Chats: &Chats{store: deps.Store, gate: deps.Gate, quotas: deps.Quotas, now: deps.Now},
		Followers: &Followers{
			store: deps.Store, gate: deps.Gate, bus: deps.Bus, leases: held, active: active, lost: lost, now: deps.Now, over: make(chan struct{}),
		},
		store: deps.Store, gate: deps.Gate, bus: deps.Bus, agent: deps.Agent, models: deps.Models, desks: deps.Desks,
		attachments: deps.Attachments, log: deps.Log, now: deps.Now, exclusive: deps.Exclusive,
		events: events, completion: end,
		leases: held, life: life, active: active, lost: lost,
		wake: rec.wake, recovery: rec, quietly: quietly,
	}
}
