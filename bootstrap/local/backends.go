package local

import (
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/nobackend"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/netguard"
)

// oneProcess is why a service of several processes has no backends: the data is on the local
// disk of one.
const oneProcess = "Backends do not run on a service of several processes (NATS_URL) yet. Ask its operator for a service of one process, or remove the schema."

// openBackends keeps the data of backends in a worker process if there is a program for it, and
// otherwise in this process. A service of several processes has no backends.
func openBackends(s settings.Settings, parts Parts, post backend.Post, guard netguard.Guard, log *slog.Logger) (backends.Engine, func(), error) {
	if parts.Backends != nil {
		return parts.Backends, func() {}, nil
	}
	if !s.Exclusive() {
		return nobackend.Engine{Reason: oneProcess}, func() {}, nil
	}
	dir, err := filepath.Abs(filepath.Join(s.DataDir, "backends"))
	if err != nil {
		return nil, nil, err
	}
	if s.Program != "" {
		engine := dataworker.New(dataworker.Config{Command: []string{s.Program, dataworker.Command, dir}, Dir: dir, Post: post, Client: guard.Client(), Log: log})
		return engine, engine.Close, nil
	}
	engine, err := pocketbase.New(pocketbase.Config{Dir: dir, Post: post, Client: guard.Client(), Log: log})
	if err != nil {
		return nil, nil, err
	}
	return engine, func() {
		if err := engine.Close(); err != nil {
			log.Error("could not close the backends", "error", err)
		}
	}, nil
}

// holdData is the service's data worker, with the directory that its argument names.
func holdData(args []string) error {
	if len(args) != 1 {
		return errors.New("this is for the service to start: it takes the directory of the backends")
	}
	return dataworker.Run(func(post backend.Post, client *http.Client) (dataworker.Backend, error) {
		return pocketbase.New(pocketbase.Config{Dir: args[0], Post: post, Client: client, Log: slog.New(slog.DiscardHandler)})
	})
}
