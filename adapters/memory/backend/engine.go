package backend

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	"github.com/atelierhq/atelier/adapters/memory/backend/sql"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Config configures an Engine.
type Config struct {
	// Limits bound every place.
	Limits Limits
	// Post takes the mails to end users.
	Post port.Post
	// SignIns knows the providers of OAuth, Client reaches them.
	SignIns port.SignIns
	Client  *http.Client
}

// Limits bound one place. 0 is the preset of each.
type Limits struct {
	// FileBytes bounds the files (5 GiB).
	FileBytes int64
	// Streams bounds realtime connections (200), Requests the requests in a second (100).
	Streams, Requests int
	// SignIn bounds how long a provider of OAuth may take (15 s).
	SignIn time.Duration
}

// Engine implements backend.Engine and all its further interfaces: Lists, Queries, Snapshots, Switches
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
	if config.Limits.SignIn == 0 {
		config.Limits.SignIn = 15 * time.Second
	}
	return &Engine{config: config, places: make(map[port.Place]*dataSet)}
}

// Restart ends the realtime connections of all places and removes scratch copies, as a restart
// of a real engine does.
func (e *Engine) Restart() {
	e.mu.Lock()
	sets := slices.Collect(maps.Values(e.places))
	maps.DeleteFunc(e.places, func(place port.Place, _ *dataSet) bool { return place.Copy != "" })
	e.mu.Unlock()
	for _, set := range sets {
		set.endStreams()
	}
}

// find returns the data set of a place that was given a schema.
func (e *Engine) find(place port.Place) (*dataSet, error) {
	set, open, err := e.lookUp(place)
	if err == nil && open != nil {
		return nil, errClosed()
	}
	return set, err
}

// lookUp is find that returns the switch for which the place is closed, if any.
func (e *Engine) lookUp(place port.Place) (*dataSet, *closedPlace, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	set := e.places[place]
	if set == nil || set.state.Load() == nil {
		return nil, nil, core.NotFound("backend")
	}
	return set, set.staged.Load(), nil
}

// read returns the state of the moment of an open place.
func (e *Engine) read(ctx context.Context, place port.Place) (*records.State, error) {
	set, err := e.findOpen(ctx, place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	return set.present()
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

// checkPlace returns core.CodeNotFound for an invalid place.
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
	present, err := e.read(ctx, place)
	if err != nil {
		return port.Schema{}, err
	}
	return present.Schema, nil
}

// Check implements backend.Engine.
func (e *Engine) Check(ctx context.Context, place port.Place, schema port.Schema) error {
	from, err := e.read(ctx, place)
	if err != nil {
		from = records.New()
	}
	_, err = migrate(from, schema)
	return errors.Join(err, ctx.Err())
}

// migrate returns a state with another schema, or a *Problem.
func migrate(from *records.State, schema port.Schema) (*records.State, error) {
	to, err := from.Migrate(schema)
	if err != nil {
		return nil, err
	}
	if err := rules.Check(to); err != nil {
		return nil, err
	}
	return to, nil
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
			from = records.New()
		}
		to, err := migrate(from, schema)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		set.state.Store(to)
		return nil
	})
}

// Weigh implements backend.Engine.
func (e *Engine) Weigh(ctx context.Context, place port.Place, changes []port.Change) ([]int64, error) {
	present, err := e.read(ctx, place)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(changes))
	for i, change := range changes {
		if counts[i], err = present.Weigh(change); err != nil {
			return nil, err
		}
	}
	return counts, nil
}

// Query implements backend.Queries.
func (e *Engine) Query(ctx context.Context, place port.Place, query string) (port.Table, error) {
	present, err := e.read(ctx, place)
	if err != nil {
		return port.Table{}, err
	}
	parsed, err := sql.Parse(query)
	if err != nil {
		return port.Table{}, err
	}
	return present.Query(parsed, port.MaxRows)
}

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place port.Place) (port.Stats, error) {
	present, err := e.read(ctx, place)
	if err != nil {
		return port.Stats{}, err
	}
	return present.Stats(), nil
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
