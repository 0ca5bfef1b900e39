package pocketbase

import (
	"errors"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/atelierhq/atelier/adapters/pocketbase/turns"
	"github.com/atelierhq/atelier/ports/backend"
)

// Config configures an Engine.
type Config struct {
	// Dir has the data of all places. With Shared, it only has open databases and may be lost.
	Dir string
	// Shared, unless empty, has the data of all places on a file system that several machines
	// may mount. Only the engine that holds a project (backend.Holder) uses its data, and
	// every acknowledged write is in Shared (package walship).
	Shared string
	// Limits bound every place.
	Limits Limits
	// Idle is how long an unused place stays open; 0 is 10 minutes. MaxOpen bounds the open
	// places; 0 is 2,000, and the process's limit of open files may allow fewer. The least
	// recently used place is closed for another.
	Idle    time.Duration
	MaxOpen int
	// Post takes the mails to end users.
	Post backend.Post
	// SignIns has the OAuth providers.
	SignIns backend.SignIns
	// Client is the guarded client for requests to OAuth providers.
	Client *http.Client
	Log    *slog.Logger

	// turns are those of all places. owner is whose a place takes.
	turns *turns.Turns
	owner *owner
}

// Engine implements backend.Engine and its further interfaces (Lists, Queries, Snapshots, Switches,
// Transfers).
type Engine struct {
	gauge
	config Config
	places *places
}

var (
	_ backend.Engine    = (*Engine)(nil)
	_ backend.Queries   = (*Engine)(nil)
	_ backend.Snapshots = (*Engine)(nil)
	_ backend.Switches  = (*Engine)(nil)
	_ backend.Transfers = (*Engine)(nil)
	_ backend.Holder    = (*Engine)(nil)
	_ backend.LoadGauge = (*Engine)(nil)
)

// New returns an engine over a directory, which only one engine may use at a time. It
// completes the unfinished work of an earlier one.
func New(config Config) (*Engine, error) {
	orDefault(&config.Idle, 10*time.Minute)
	orDefault(&config.MaxOpen, 2000)
	config.Limits = config.Limits.orPreset()
	config.MaxOpen = min(config.MaxOpen, openable())
	config.turns = turns.New()
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, err
	}
	places := newPlaces(config)
	if err := places.removeCopies(); err != nil {
		return nil, errors.Join(err, places.close())
	}
	return &Engine{gauge: gauge{places}, config: config, places: places}, nil
}

func orDefault[T comparable](value *T, preset T) {
	var zero T
	if *value == zero {
		*value = preset
	}
}

// Close ends all requests and closes all places.
func (e *Engine) Close() error { return e.places.close() }
