package versions

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps has the dependencies of the service. Log gets failures of the background work.
type Deps struct {
	Gate      *access.Gate
	Store     storage.Store
	History   files.History
	Committer files.Committer
	TestData  TestData
	Bus       broadcast.Bus
	Now       func() time.Time
	Log       *slog.Logger
}

// Service has the use cases around versions. Every method but Start and Close first asks
// the gate; its errors are those of access.Gate.Project and those that the method names.
type Service struct {
	gate      *access.Gate
	store     storage.Store
	history   files.History
	committer files.Committer
	testData  TestData
	bus       broadcast.Bus
	now       func() time.Time
	log       *slog.Logger

	// stopped ends the background work.
	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// New returns the service. Close it before the process ends.
func New(deps Deps) *Service {
	stopped, stop := context.WithCancel(context.Background())
	return &Service{
		gate: deps.Gate, store: deps.Store, history: deps.History, committer: deps.Committer, testData: deps.TestData, bus: deps.Bus, now: deps.Now, log: deps.Log,
		stopped: stopped, stop: stop,
	}
}

// committerAs is the committer on behalf of the caller.
func (s *Service) committerAs(by core.Actor) files.Committer {
	return s.committer.As(s.gate, by, core.ActionVersionWrite)
}

// checkIdle returns core.CodeChatBusy while a run is queued or active in the project:
// only the run may commit its changes, and it would continue with files that no longer
// exist.
func (s *Service) checkIdle(ctx context.Context, project core.ID) error {
	chats, err := s.store.Tables().Chats.List(ctx, project)
	if err != nil {
		return err
	}
	for _, chat := range chats {
		if chat.Running {
			return core.Errorf(core.CodeChatBusy, "the agent is working in the chat %q: stop it, or wait until it has finished", chat.Title)
		}
	}
	return nil
}
