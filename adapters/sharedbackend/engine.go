package sharedbackend

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// Local is the engine of this process.
type Local interface {
	datawire.Engine
	backend.Holder
}

// Config configures an Engine.
type Config struct {
	// Local has the data that this process holds. The Engine does not close it.
	Local Local
	// Store has the claims and the clock of all processes.
	Store storage.Store
	// Secret is the installation's secret. Processes authenticate with a key derived from it.
	Secret []byte
	// Address is where this process listens for others, as host:port. Port 0 selects any port.
	Address string
	// Lease is how long a claim lasts without an extension; 0 is 9 seconds. Idle is how long
	// unused data stays here; 0 is 15 minutes.
	Lease, Idle time.Duration
	// NameFile is a file on this machine that has the name of this process for the one that is
	// started after it has ended; "" means none.
	NameFile string
	// Pace stretches the waits for other processes.
	Pace core.Pace
	Log  *slog.Logger
}

// Engine implements backend.Engine and its further interfaces (Lists, Queries, Snapshots,
// Switches, Transfers) over the engines of several processes.
type Engine struct {
	router
	// depart ends the claims.
	depart func()
}

// router finds the engine that has a project's data.
type router struct {
	local  Local
	claims *claims
	peers  *peers
	log    *slog.Logger
	// here is true for requests of other processes, which are not forwarded again.
	here bool
}

var (
	_ backend.Engine    = (*Engine)(nil)
	_ backend.Lists     = (*Engine)(nil)
	_ backend.Queries   = (*Engine)(nil)
	_ backend.Snapshots = (*Engine)(nil)
	_ backend.Switches  = (*Engine)(nil)
	_ backend.Transfers = (*Engine)(nil)
	_ backend.Leaver    = (*Engine)(nil)
	_ backend.LoadGauge = (*Engine)(nil)
)

// Load implements backend.LoadGauge, for this process.
func (e *Engine) Load(ctx context.Context) (backend.Load, error) {
	if local, is := e.local.(backend.LoadGauge); is {
		return local.Load(ctx)
	}
	return backend.Load{}, nil
}

// New returns an engine and starts to listen for other processes. Close it before the local engine.
func New(config Config) (*Engine, error) {
	if config.Lease == 0 {
		config.Lease = 9 * time.Second
	}
	if config.Idle == 0 {
		config.Idle = 15 * time.Minute
	}
	e := &Engine{router: router{local: config.Local, claims: newClaims(config), log: config.Log}}
	here := &Engine{router: router{local: e.local, claims: e.claims, log: e.log, here: true}}
	var err error
	if e.peers, err = newPeers(config, datawire.Handler{Engine: peerEngine{here}}); err != nil {
		return nil, err
	}
	here.peers, e.claims.address = e.peers, e.peers.address
	e.claims.succeed(context.Background())
	e.peers.serve()
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { e.claims.keep(ctx) })
	e.depart = sync.OnceFunc(func() {
		cancel()
		running.Wait()
		e.claims.leaveAll()
	})
	return e, nil
}

// Address is where other processes reach this one.
func (e *Engine) Address() string { return e.peers.address }

// HandOver implements backend.Leaver. It is called before the store is closed.
func (e *Engine) HandOver() { e.depart() }

// Close hands the data over, if HandOver was not called, and ends the requests of other processes.
func (e *Engine) Close() {
	e.depart()
	e.peers.close()
	e.claims.leaveName()
}

// find returns the holding of a project, or the address of the process that has it.
func (e *router) find(ctx context.Context, project core.ID) (*ownedData, string, error) {
	if !e.here {
		return e.claims.find(ctx, project)
	}
	if holding := e.claims.has(project); holding != nil {
		return holding, "", nil
	}
	return nil, "", moved()
}

// do calls work with the engine that has a project's data.
func (e *router) do(ctx context.Context, project core.ID, work func(at datawire.Engine) error) error {
	if _, err := core.ParseID(string(project)); err != nil {
		return work(e.local) // which knows what there is to say
	}
	for range attempts {
		again, err := e.try(ctx, project, work)
		if !again {
			return err
		}
	}
	return moved()
}

// attempts bounds how often a call follows data that moves.
const attempts = 3

// try is one attempt of do. It reports whether the data has moved, so that work was not done.
func (e *router) try(ctx context.Context, project core.ID, work func(at datawire.Engine) error) (again bool, err error) {
	holding, elsewhere, err := e.find(ctx, project)
	if err != nil {
		return false, err
	}
	if holding == nil {
		err := work(e.remote(elsewhere))
		if core.IsCode(err, core.CodeUnavailable) {
			e.claims.doubt(project)
		}
		return isMoved(err), err
	}
	defer holding.leave()
	if err := work(e.local); err != nil {
		return false, err
	}
	return false, holding.check()
}

func (e *router) remote(address string) *remoteEngine {
	return &remoteEngine{e.peers.client(address), e.peers, address, e.log}
}

// Serve implements backend.Engine.
func (e *Engine) Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	holding, elsewhere, err := e.find(r.Context(), place.Project)
	switch {
	case err != nil:
		e.unavailable(w, r, err)
	case holding == nil:
		answer := &statusRecorder{ResponseWriter: w}
		e.remote(elsewhere).Serve(answer, r, place, as)
		if answer.status == http.StatusServiceUnavailable {
			e.claims.doubt(place.Project)
		}
	default:
		e.serveHere(holding, w, r, place, as)
	}
}

// serveHere serves a request while the claim lasts.
func (e *Engine) serveHere(holding *ownedData, w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	defer holding.leave()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(holding.life, cancel)()
	e.local.Serve(&claimGuard{ResponseWriter: w, holding: holding}, r.WithContext(ctx), place, as)
}

// unavailable answers that no process has the data at the moment.
func (e *Engine) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		e.log.WarnContext(r.Context(), "a request to a backend failed", "error", err)
	}
	datawire.Unavailable(w)
}
