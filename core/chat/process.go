package chat

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/loglimit"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// process is shared by all parts around runs: the store and the bus, and what this process
// knows of its own runs.
type process struct {
	store storage.Store
	bus   broadcast.Bus
	// exclusive says that no other process uses the database.
	exclusive core.SoleProcess
	life      *lifetime
	events    *eventLog
	leases    *leases
	active    *activeRuns
	lost      *lostRuns
	log       *slog.Logger
	// limitedLog is for failures that come with every attempt.
	limitedLog *loglimit.Limiter
	now        func() time.Time
}

// repeatAfter is how long a failure that comes with every attempt is not logged again.
const repeatAfter = time.Minute

func newProcess(deps Deps) *process {
	life := newLifetime()
	return &process{
		store: deps.Store, bus: deps.Bus, exclusive: deps.Exclusive, life: life,
		events: &eventLog{store: deps.Store, bus: deps.Bus, tally: deps.Tally, log: deps.Log},
		leases: &leases{store: deps.Store, owner: string(core.NewID()), now: deps.Now},
		active: newActiveRuns(life), lost: newLostRuns(),
		log: deps.Log, limitedLog: loglimit.New(deps.Log, repeatAfter), now: deps.Now,
	}
}

// lifetime is the time until the service closes, and the goroutines of that time.
type lifetime struct {
	// ctx ends when the service closes.
	ctx   context.Context
	end   context.CancelFunc
	tasks sync.WaitGroup
}

func newLifetime() *lifetime {
	ctx, end := context.WithCancel(context.Background())
	return &lifetime{ctx: ctx, end: end}
}
