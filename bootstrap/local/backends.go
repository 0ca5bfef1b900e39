package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/adapters/sharedbackend"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// openBackends keeps the data of backends in a worker process if there is a program for it, and
// otherwise in this process. Of several processes one has the data of a project.
func openBackends(s settings.Settings, parts Parts, store storage.Store, post backend.Post, signIns backend.SignIns, guard netguard.Guard, log *slog.Logger) (backends.Engine, func(), error) {
	if parts.Backends != nil {
		return parts.Backends, func() {}, nil
	}
	engine, closeEngine, err := openEngine(s, store, post, signIns, guard, log)
	if err != nil || bool(s.Exclusive()) {
		return engine, closeEngine, err
	}
	address, err := peerAddress(s)
	if err != nil {
		closeEngine()
		return nil, nil, err
	}
	shared, err := sharedbackend.New(sharedbackend.Config{
		Local: engine, Store: store, Secret: s.EncryptionKey, Address: address, Idle: s.Backends.Idle + s.Backends.Idle/2, Pace: s.Pace, Log: log,
		NameFile: filepath.Join(s.DataDir, nameFile),
	})
	if err != nil {
		closeEngine()
		return nil, nil, fmt.Errorf("PEER_ADDR: %w", err)
	}
	return shared, func() { shared.Close(); closeEngine() }, nil
}

// nameFile is in DATA_DIR.
const nameFile = "process"

// openEngine opens the engine of this process.
func openEngine(s settings.Settings, store storage.Store, post backend.Post, signIns backend.SignIns, guard netguard.Guard, log *slog.Logger) (sharedbackend.Local, func(), error) {
	dirs, err := makeDataDirs(s)
	if err != nil {
		return nil, nil, err
	}
	if s.Program != "" {
		config, err := dataWorker(s, dirs)
		if err != nil {
			return nil, nil, err
		}
		config.Post, config.SignIns, config.Client, config.Log = post, signIns, guard.Client(), log
		config.Workspace = workspacesOf(store)
		engine := dataworker.New(config)
		return engine, engine.Close, nil
	}
	config := engineConfig(dirs, s.Backends)
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

// workspacesOf returns the workspaces of projects, as of a minute ago at most.
func workspacesOf(store storage.Store) func(ctx context.Context, project core.ID) core.ID {
	type note struct {
		workspace core.ID
		at        time.Time
	}
	known := lru.New[core.ID](100_000, func(note) int64 { return 1 })
	return func(ctx context.Context, project core.ID) core.ID {
		found, isKnown := known.Get(project)
		if isKnown && time.Since(found.at) < time.Minute {
			return found.workspace
		}
		record, err := store.Tables().Projects.ByID(ctx, project)
		if err != nil {
			return found.workspace
		}
		known.Put(project, note{record.WorkspaceID, time.Now()})
		return record.WorkspaceID
	}
}

// peerAddress is where this process listens for others. Only serving processes are asked for
// data, so PEER_ADDR is theirs.
func peerAddress(s settings.Settings) (string, error) {
	if s.PeerAddr != "" && s.Part == settings.PartAll {
		return s.PeerAddr, nil
	}
	first, _, _ := strings.Cut(s.NATS.URL, ",")
	server, err := url.Parse(strings.TrimSpace(first))
	if err != nil {
		return "", errors.New("NATS_URL: the address cannot be parsed")
	}
	host := server.Host
	if server.Port() == "" {
		host = server.Hostname() + ":4222"
	}
	address, err := sharedbackend.AddressTowards(host)
	if err != nil {
		return "", fmt.Errorf("PEER_ADDR is not set, and this machine's address towards the NATS server is not known: %w", err)
	}
	return address, nil
}

// dataDirs are the directories of an engine.
type dataDirs struct {
	// Local is on this machine. Shared is on the disk of all processes, "" if this is the only
	// one.
	Local, Shared string
}

func makeDataDirs(s settings.Settings) (dataDirs, error) {
	local, err := filepath.Abs(filepath.Join(s.DataDir, "backends"))
	if err != nil || bool(s.Exclusive()) {
		return dataDirs{Local: local}, err
	}
	if err := os.MkdirAll(s.BackendsDir, 0o700); err != nil {
		return dataDirs{}, fmt.Errorf("BACKENDS_DIR: %w", err)
	}
	// Its owner is another while several processes share a machine's DATA_DIR by mistake, which
	// the lock of that directory excludes.
	return dataDirs{Local: filepath.Join(local, "open"), Shared: s.BackendsDir}, nil
}

// dataWorker says how to start a worker with the data in directories. It gets those and its limits
// as arguments, because its environment is empty.
func dataWorker(s settings.Settings, dirs dataDirs) (dataworker.Config, error) {
	limits, err := json.Marshal(s.Backends)
	// The worker outlives its unused environments, so that it is idle before it ends.
	idle := s.Backends.Idle + s.Backends.Idle/2
	return dataworker.Config{
		Command: []string{s.Program, dataworker.Command, dirs.Local, dirs.Shared, string(limits)},
		Dir:     dirs.Local, Shared: dirs.Shared, Idle: idle, Pace: s.Pace,
	}, err
}

// DataWorker says how to start a worker like the service's, with its data in a directory of its own.
func DataWorker(s settings.Settings, dir string) (dataworker.Config, error) {
	return dataWorker(s, dataDirs{Local: dir})
}

func engineConfig(dirs dataDirs, limits settings.Backends) pocketbase.Config {
	return pocketbase.Config{
		Dir: dirs.Local, Shared: dirs.Shared, Idle: limits.Idle, MaxOpen: limits.MaxOpen,
		Limits: pocketbase.Limits{
			Bytes: limits.Bytes, FileBytes: limits.FileBytes, Query: limits.Query,
			Streams: limits.Streams, Requests: limits.Requests,
		},
	}
}

// holdData is the service's data worker, with the directories and the limits that its arguments
// name.
func holdData(args []string) error {
	var limits settings.Backends
	if len(args) != 3 || json.Unmarshal([]byte(args[2]), &limits) != nil {
		return errors.New("this is for the service to start: it takes the directories of the backends and their limits")
	}
	return dataworker.Run(func(service dataworker.Service) (dataworker.Backend, error) {
		config := engineConfig(dataDirs{args[0], args[1]}, limits)
		config.Post, config.SignIns, config.Client, config.Log = service.Post, service.SignIns, service.Client, slog.New(slog.DiscardHandler)
		return pocketbase.New(config)
	})
}
