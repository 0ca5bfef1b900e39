package backend

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Config configures an Engine.
type Config struct {
	// Limits bound every place.
	Limits Limits
	// Post takes the mails to end users.
	Post port.Post
}

// Limits bound one place (contract, section 10). 0 is the preset of each.
type Limits struct {
	// FileBytes bounds the files (5 GiB).
	FileBytes int64
	// Streams bounds realtime connections (200), Requests the requests in a second (100).
	Streams, Requests int
}

// Engine implements backend.Engine and all its further interfaces: Queries, Snapshots, Switches
// and Transfers.
type Engine struct {
	config Config

	mu     sync.Mutex
	places map[port.Place]*dataSet
}

var (
	_ port.Engine    = (*Engine)(nil)
	_ port.Queries   = (*Engine)(nil)
	_ port.Snapshots = (*Engine)(nil)
	_ port.Switches  = (*Engine)(nil)
	_ port.Transfers = (*Engine)(nil)
)

// New returns an engine without data.
func New(config Config) *Engine {
	if config.Limits.FileBytes == 0 {
		config.Limits.FileBytes = 5 << 30
	}
	if config.Limits.Streams == 0 {
		config.Limits.Streams = 200
	}
	if config.Limits.Requests == 0 {
		config.Limits.Requests = 100
	}
	return &Engine{config: config, places: make(map[port.Place]*dataSet)}
}

// EndStreams ends the realtime connections of all places, as a restart does.
func (e *Engine) EndStreams() {
	e.mu.Lock()
	sets := slices.Collect(maps.Values(e.places))
	e.mu.Unlock()
	for _, set := range sets {
		set.endStreams()
	}
}

// find returns the data set of a place that was given a schema.
func (e *Engine) find(place port.Place) (*dataSet, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	set := e.places[place]
	if set == nil || set.state.Load() == nil {
		return nil, core.NotFound("backend")
	}
	if set.staged.Load() != nil {
		return nil, errClosed()
	}
	return set, nil
}

// make returns the data set of a place, which it creates without a state if needed.
func (e *Engine) make(place port.Place) (*dataSet, error) {
	if err := checkPlace(place); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.places[place] == nil {
		e.places[place] = newDataSet(place, e.config)
	}
	return e.places[place], nil
}

// checkPlace returns core.CodeNotFound for what is not a place.
func checkPlace(place port.Place) error {
	_, err := core.ParseID(string(place.Project))
	if err == nil && place.Copy != "" {
		_, err = core.ParseID(string(place.Copy))
	}
	if err == nil {
		_, err = core.ParseDataEnv(string(place.Env))
	}
	return err
}

// Schema implements backend.Engine.
func (e *Engine) Schema(ctx context.Context, place port.Place) (port.Schema, error) {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return port.Schema{}, err
	}
	return set.state.Load().schema, nil
}

// Check implements backend.Engine.
func (e *Engine) Check(ctx context.Context, place port.Place, schema port.Schema) error {
	from := newState()
	if set, err := e.find(place); err == nil {
		from = set.state.Load()
	}
	_, err := from.migrate(schema)
	return errors.Join(err, ctx.Err())
}

// Apply implements backend.Engine.
func (e *Engine) Apply(ctx context.Context, place port.Place, schema port.Schema) error {
	set, err := e.make(place)
	if err != nil {
		return err
	}
	return set.alone(func() error {
		if set.staged.Load() != nil {
			return errClosed()
		}
		from := set.state.Load()
		if from == nil {
			from = newState()
		}
		to, err := from.migrate(schema)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		set.state.Store(to)
		return nil
	})
}

// Weigh implements backend.Engine.
func (e *Engine) Weigh(ctx context.Context, place port.Place, changes []port.Change) ([]int64, error) {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	counts := make([]int64, len(changes))
	for i, change := range changes {
		if counts[i], err = set.state.Load().weigh(change); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place port.Place) (port.Stats, error) {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return port.Stats{}, err
	}
	return set.state.Load().stats(), nil
}

// Remove implements backend.Engine.
func (e *Engine) Remove(_ context.Context, place port.Place) error {
	e.mu.Lock()
	var gone []*dataSet
	for at, set := range e.places {
		if at == place || place.Env == "" && at.Project == place.Project {
			gone = append(gone, set)
			delete(e.places, at)
		}
	}
	e.mu.Unlock()
	for _, set := range gone {
		_ = set.alone(func() error { set.state.Store(nil); return nil })
		set.endStreams()
	}
	return nil
}

// rate is a token bucket: so many requests a second, and as many at once.
type rate struct {
	perSecond float64

	mu     sync.Mutex
	tokens float64
	last   time.Time
}

// take takes a token, or returns how long to wait for one.
func (r *rate) take(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if passed := now.Sub(r.last); passed > 0 {
		r.tokens = min(r.perSecond, r.tokens+passed.Seconds()*r.perSecond)
		r.last = now
	}
	if r.tokens < 1 {
		return time.Duration((1 - r.tokens) / r.perSecond * float64(time.Second))
	}
	r.tokens--
	return 0
}
