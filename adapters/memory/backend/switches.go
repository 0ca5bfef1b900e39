package backend

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// closedPlace is a switch for which a place is closed.
type closedPlace struct {
	port.Switch
	// before is the state to which the place goes back, nil if there was none.
	before *records.State
	// settled is closed at the end of the switch.
	settled chan struct{}
}

// errClosed is the error of a place that is closed for a switch.
func errClosed() error {
	return core.Errorf(core.CodeUnavailable, "the application is being published: try again")
}

// findOpen is find that waits for the end of a switch.
func (e *Engine) findOpen(ctx context.Context, place port.Place) (*dataSet, error) {
	ctx, cancel := context.WithTimeout(ctx, port.SwitchPatience)
	defer cancel()
	for {
		set, open, err := e.lookUp(place)
		if open == nil {
			return set, err
		}
		select {
		case <-open.settled:
		case <-ctx.Done():
			return nil, errClosed()
		}
	}
}

// Stage implements backend.Switches.
func (e *Engine) Stage(ctx context.Context, place port.Place, schema port.Schema, change port.Switch) error {
	set, err := e.make(place)
	if err != nil {
		return err
	}
	err = set.alone(func() error {
		if set.staged.Load() != nil {
			return core.Errorf(core.CodeConflict, "the application is being published")
		}
		before := set.state.Load()
		from := before
		if from == nil {
			from = records.New()
		}
		to, err := migrate(from, schema)
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if before != nil {
			set.snapshots[change.Snapshot] = before
		}
		set.staged.Store(&closedPlace{change, before, make(chan struct{})})
		set.state.Store(to)
		return nil
	})
	if err == nil {
		set.endStreams()
	}
	return err
}

// Staged implements backend.Switches.
func (e *Engine) Staged(_ context.Context, place port.Place) (port.Switch, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if set := e.places[place]; set != nil {
		if open := set.staged.Load(); open != nil {
			return open.Switch, nil
		}
	}
	return port.Switch{}, checkPlace(place)
}

// Settle implements backend.Switches.
func (e *Engine) Settle(_ context.Context, place port.Place, keep bool) error {
	set, err := e.make(place)
	if err != nil {
		return err
	}
	return set.alone(func() error {
		open := set.staged.Load()
		if open == nil {
			return nil
		}
		if !keep {
			set.state.Store(open.before)
		}
		set.staged.Store(nil)
		close(open.settled)
		return nil
	})
}
