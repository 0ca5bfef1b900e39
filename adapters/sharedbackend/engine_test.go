package sharedbackend_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/adapters/sharedbackend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/backend/backendtest"
	"github.com/atelierhq/atelier/ports/storage"
)

// TestEngine plays the suite through a process that never holds the data.
func TestEngine(t *testing.T) {
	backendtest.Run(t, func(t *testing.T) backendtest.Harness { return &harness{installation: newInstallation(t)} })
}

type harness struct {
	*installation
	service    backendtest.Service
	limits     backendtest.Limits
	owner, via *process
}

func (h *harness) Open(t testing.TB, service backendtest.Service, limits backendtest.Limits) backendtest.Engine {
	h.service, h.limits = service, limits
	h.owner = h.start(t, "owner", h.store, options{service: service, limits: limits})
	h.via = h.start(t, "via", claimedFirst{h.store, h.owner}, options{})
	return h.via
}

func (h *harness) Reopen(t *testing.T) backendtest.Engine {
	h.via.stop()
	h.owner.stop()
	return h.Open(t, h.service, h.limits)
}

// claimedFirst is a store in which a process claims everything before another does.
type claimedFirst struct {
	storage.Store
	process *process
}

// Tables implements storage.Store.
func (c claimedFirst) Tables() storage.Tables {
	tables := c.Store.Tables()
	tables.DataClaims = firstClaims{tables.DataClaims, c.process}
	return tables
}

type firstClaims struct {
	storage.DataClaims
	process *process
}

// Claim implements storage.DataClaims.
func (c firstClaims) Claim(ctx context.Context, claim core.DataClaim, now core.Time) (core.DataClaim, error) {
	_, _ = c.process.Staged(ctx, backend.Place{Project: claim.ProjectID, Env: core.DataTest})
	return c.DataClaims.Claim(ctx, claim, now)
}

// installation is what processes share.
type installation struct {
	dir   string
	store storage.Store
}

func newInstallation(t *testing.T) *installation {
	return &installation{t.TempDir(), memory.NewStore()}
}

type options struct {
	service backendtest.Service
	limits  backendtest.Limits
	lease   time.Duration
	// nameFile is Config.NameFile.
	nameFile string
}

// process is one of an installation.
type process struct {
	*sharedbackend.Engine
	local *pocketbase.Engine
}

// start starts a process with a local disk of its own.
func (i *installation) start(t testing.TB, name string, store storage.Store, o options) *process {
	t.Helper()
	local, err := pocketbase.New(pocketbase.Config{
		Dir: filepath.Join(i.dir, name), Shared: filepath.Join(i.dir, "shared"), Post: o.service.Post, SignIns: o.service.SignIns, Client: o.service.Client, Log: slog.New(slog.DiscardHandler),
		Limits: pocketbase.Limits{FileBytes: o.limits.FileBytes, Streams: o.limits.Streams, Requests: o.limits.Requests, SignIn: o.limits.SignIn, Query: o.limits.Query, Select: o.limits.Select},
	})
	if err != nil {
		t.Fatal(err)
	}
	engine, err := sharedbackend.New(sharedbackend.Config{
		Local: local, Store: store, Secret: bytes.Repeat([]byte("s"), 32), Address: "127.0.0.1:0", Lease: o.lease, NameFile: o.nameFile,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	p := &process{engine, local}
	t.Cleanup(p.stop)
	return p
}

// stop ends a process well.
func (p *process) stop() {
	p.Close()
	_ = p.local.Close()
}
