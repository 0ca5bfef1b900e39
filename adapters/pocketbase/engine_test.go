package pocketbase_test

import (
	"log/slog"
	"testing"

	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/ports/backend/backendtest"
)

func TestEngine(t *testing.T) {
	backendtest.Run(t, func(t *testing.T) backendtest.Harness { return &harness{dir: t.TempDir()} })
}

func FuzzLists(f *testing.F) { backendtest.Fuzz(f, &harness{dir: f.TempDir()}) }

type harness struct {
	dir     string
	service backendtest.Service
	limits  backendtest.Limits
	engine  *pocketbase.Engine
}

func (h *harness) Open(t testing.TB, service backendtest.Service, limits backendtest.Limits) backendtest.Engine {
	h.service, h.limits = service, limits
	engine, err := pocketbase.New(pocketbase.Config{
		Dir: h.dir, Post: service.Post, SignIns: service.SignIns, Client: service.Client, Log: slog.New(slog.DiscardHandler),
		Limits: pocketbase.Limits{FileBytes: limits.FileBytes, Streams: limits.Streams, Requests: limits.Requests, SignIn: limits.SignIn, Query: limits.Query, Select: limits.Select},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.engine = engine
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

func (h *harness) Reopen(t *testing.T) backendtest.Engine {
	if err := h.engine.Close(); err != nil {
		t.Fatal(err)
	}
	return h.Open(t, h.service, h.limits)
}
