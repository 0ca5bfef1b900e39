package local

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// Host is a program that embeds Atelier.
type Host struct {
	// Settings are Atelier's, by the names in bootstrap/atelier/README.md; missing ones have their defaults.
	// The process's environment is not read.
	Settings map[string]string
	// Parts are adapters of the host's own.
	Parts Parts
	// Workers means that the host's program calls RunHelper first in its main, so that
	// projects are built in separate processes. Otherwise they are built in the host's
	// process, which a hostile project can end, and the agent's commands have no network.
	Workers bool
	// Log is where Atelier logs; nil is slog.Default.
	Log *slog.Logger
}

// Service is a running Atelier. It is an http.Handler: studio and API on APP_URL's host,
// previews and sites on theirs.
type Service struct {
	*bootstrap.App
	release func()
	unlock  func()
}

// Open locks the data directory, creates missing secrets, and starts the service. An
// invalid setting, incompatible parts, and a data directory that another process uses are
// errors of one line. Close the service.
func (h Host) Open(ctx context.Context) (service *Service, err error) {
	s, err := settings.Read(func(name string) string { return h.Settings[name] })
	if err != nil {
		return nil, err
	}
	if h.Workers {
		if s.Program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	if err := datadir.FillSecrets(&s); err != nil {
		return nil, err
	}
	log := cmp.Or(h.Log, slog.Default())
	unlock, err := h.occupy(ctx, s, log)
	if err != nil {
		return nil, err
	}
	app, release, err := NewWith(ctx, s, log, h.Parts)
	if err != nil {
		unlock()
		return nil, err
	}
	service = &Service{app, release, unlock}
	if err := app.Start(ctx); err != nil {
		return nil, errors.Join(err, service.Close(context.WithoutCancel(ctx)))
	}
	return service, nil
}

// occupy keeps other processes away. If the host brings its own store and bus, only the
// host knows which processes they tolerate.
func (h Host) occupy(ctx context.Context, s settings.Settings, log *slog.Logger) (leave func(), err error) {
	if h.Parts.Store != nil || h.Parts.Bus != nil {
		return datadir.Lock(s.DataDir)
	}
	return datadir.Occupy(ctx, s, log)
}

// Close stops the service as App.Close does and unlocks the data directory.
func (s *Service) Close(ctx context.Context) error {
	defer s.unlock()
	defer s.release()
	return s.App.Close(ctx)
}
