package local

import (
	"encoding/json"
	"errors"
	"log/slog"
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
func openBackends(s settings.Settings, parts Parts, post backend.Post, signIns backend.SignIns, guard netguard.Guard, log *slog.Logger) (backends.Engine, func(), error) {
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
		config, err := dataWorker(s, dir)
		if err != nil {
			return nil, nil, err
		}
		config.Post, config.SignIns, config.Client, config.Log = post, signIns, guard.Client(), log
		engine := dataworker.New(config)
		return engine, engine.Close, nil
	}
	config := engineConfig(dir, s.Backends)
	config.Post, config.SignIns, config.Client, config.Log = post, signIns, guard.Client(), log
	engine, err := pocketbase.New(config)
	if err != nil {
		return nil, nil, err
	}
	return engine, func() {
		if err := engine.Close(); err != nil {
			log.Error("could not close the backends", "error", err)
		}
	}, nil
}

// dataWorker says how to start a worker with the data in a directory. It gets its limits as an
// argument, because its environment is empty.
func dataWorker(s settings.Settings, dir string) (dataworker.Config, error) {
	limits, err := json.Marshal(s.Backends)
	// The worker outlives its unused environments, so that it is at rest before it ends.
	idle := s.Backends.Idle + s.Backends.Idle/2
	return dataworker.Config{Command: []string{s.Program, dataworker.Command, dir, string(limits)}, Dir: dir, Idle: idle}, err
}

func engineConfig(dir string, limits settings.Backends) pocketbase.Config {
	return pocketbase.Config{
		Dir: dir, Idle: limits.Idle, MaxOpen: limits.MaxOpen,
		Limits: pocketbase.Limits{
			Bytes: limits.Bytes, FileBytes: limits.FileBytes, Query: limits.Query,
			Streams: limits.Streams, Requests: limits.Requests,
		},
	}
}

// holdData is the service's data worker, with the directory and the limits that its arguments
// name.
func holdData(args []string) error {
	var limits settings.Backends
	if len(args) != 2 || json.Unmarshal([]byte(args[1]), &limits) != nil {
		return errors.New("this is for the service to start: it takes the directory of the backends and their limits")
	}
	return dataworker.Run(func(service dataworker.Service) (dataworker.Backend, error) {
		config := engineConfig(args[0], limits)
		config.Post, config.SignIns, config.Client, config.Log = service.Post, service.SignIns, service.Client, slog.New(slog.DiscardHandler)
		return pocketbase.New(config)
	})
}
