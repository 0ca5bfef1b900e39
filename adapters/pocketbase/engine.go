package pocketbase

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Config configures an Engine.
type Config struct {
	// Dir holds the data of all places.
	Dir string
	// Limits bound every place.
	Limits Limits
	// Idle is how long a place without requests stays open; 0 is 10 minutes. MaxOpen is how
	// many may be open; 0 is 2,000. The least recently used is closed for another.
	Idle    time.Duration
	MaxOpen int
	// Post takes the mails to end users.
	Post backend.Post
	// Client is the guarded client with which providers of OAuth are asked.
	Client *http.Client
	Log    *slog.Logger
}

// Limits bound one place (contract, section 10). 0 is the preset of each.
type Limits struct {
	// Bytes bounds the database (1 GiB), FileBytes the files (5 GiB).
	Bytes, FileBytes int64
	// Query bounds the time of a request's queries (5 s).
	Query time.Duration
	// Streams bounds realtime connections (200), Requests the requests in a second (100).
	Streams, Requests int
}

// Engine implements backend.Engine, backend.Queries and backend.Snapshots.
type Engine struct {
	config Config

	mu     sync.Mutex
	sets   map[backend.Place]*dataSet
	closed bool
	// sweep ends the goroutine that closes idle places.
	sweep context.CancelFunc
	done  chan struct{}
}

var (
	_ backend.Engine    = (*Engine)(nil)
	_ backend.Queries   = (*Engine)(nil)
	_ backend.Snapshots = (*Engine)(nil)
)

// New returns an engine over a directory, which one engine at a time may use. It finishes
// what an earlier one left unfinished.
func New(config Config) (*Engine, error) {
	orDefault(&config.Idle, 10*time.Minute)
	orDefault(&config.MaxOpen, 2000)
	orDefault(&config.Limits.Bytes, 1<<30)
	orDefault(&config.Limits.FileBytes, 5<<30)
	orDefault(&config.Limits.Query, 5*time.Second)
	orDefault(&config.Limits.Streams, 200)
	orDefault(&config.Limits.Requests, 100)
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &Engine{config: config, sets: make(map[backend.Place]*dataSet), sweep: cancel, done: make(chan struct{})}
	go e.closeIdle(ctx)
	return e, nil
}

func orDefault[T comparable](value *T, preset T) {
	var zero T
	if *value == zero {
		*value = preset
	}
}

// Close ends all requests and closes all places.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed = true
	sets := make([]*dataSet, 0, len(e.sets))
	for _, set := range e.sets {
		sets = append(sets, set)
	}
	e.mu.Unlock()
	e.sweep()
	<-e.done
	var errs []error
	for _, set := range sets {
		errs = append(errs, set.close())
	}
	return errors.Join(errs...)
}

// closeIdle closes the places that nobody has used for a while, until ctx ends.
func (e *Engine) closeIdle(ctx context.Context) {
	defer close(e.done)
	ticker := time.NewTicker(max(e.config.Idle/10, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			e.closeUnused(time.Now().Add(-e.config.Idle))
		}
	}
}

// closeUnused closes the places that were last used before a time.
func (e *Engine) closeUnused(before time.Time) {
	for _, set := range e.all() {
		if err := set.closeUnused(before); err != nil {
			e.config.Log.Warn("could not close a backend", "project", set.place.Project, "error", err)
		}
	}
}

func (e *Engine) all() []*dataSet {
	e.mu.Lock()
	defer e.mu.Unlock()
	sets := make([]*dataSet, 0, len(e.sets))
	for _, set := range e.sets {
		sets = append(sets, set)
	}
	return sets
}

// set returns the data set of a place, which need not exist on the disk.
func (e *Engine) set(place backend.Place) (*dataSet, error) {
	if !isPlace(place) {
		return nil, core.NotFound("backend")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, core.Errorf(core.CodeUnavailable, "the service is shutting down")
	}
	set := e.sets[place]
	if set == nil {
		set = newDataSet(place, e.dirOf(place), e.config)
		e.sets[place] = set
	}
	return set, nil
}

// isPlace reports whether the parts of a place are names of directories.
func isPlace(place backend.Place) bool {
	if _, err := core.ParseID(string(place.Project)); err != nil {
		return false
	}
	if place.Copy != "" {
		if _, err := core.ParseID(string(place.Copy)); err != nil {
			return false
		}
	}
	_, err := core.ParseDataEnv(string(place.Env))
	return err == nil
}

func (e *Engine) dirOf(place backend.Place) string {
	dir := filepath.Join(e.config.Dir, string(place.Project), string(place.Env))
	if place.Copy != "" {
		dir = filepath.Join(e.config.Dir, string(place.Project), "copies", string(place.Copy)+"-"+string(place.Env))
	}
	return dir
}
