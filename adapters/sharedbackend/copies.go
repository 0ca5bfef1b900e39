package sharedbackend

import (
	"context"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Remove implements backend.Engine.
func (e *Engine) Remove(ctx context.Context, place backend.Place) error {
	err := e.do(ctx, place.Project, func(at datawire.Engine) error { return at.Remove(ctx, place) })
	if err == nil && place.Env == "" {
		e.claims.doubt(place.Project)
		err = e.claims.forget(ctx, place.Project)
	}
	return err
}

// Copy implements backend.Snapshots. The process that has the source makes the copy. It
// takes the other project over first.
func (e *Engine) Copy(ctx context.Context, from, to backend.Place) error {
	return e.do(ctx, from.Project, func(at datawire.Engine) error {
		if at != datawire.Engine(e.local) || from.Project == to.Project {
			return at.Copy(ctx, from, to)
		}
		target, err := e.takeIn(ctx, to.Project)
		if err != nil {
			return err
		}
		defer target.leave()
		return at.Copy(ctx, from, to)
	})
}

// takeIn makes this process the holder of a project's data.
func (e *router) takeIn(ctx context.Context, project core.ID) (*ownedData, error) {
	for range attempts {
		holding, elsewhere, err := e.claims.find(ctx, project)
		if err != nil || holding != nil {
			return holding, err
		}
		if err := e.peers.client(elsewhere).Leave(ctx, project); err != nil {
			return nil, err
		}
		e.claims.doubt(project)
	}
	return nil, core.Errorf(core.CodeUnavailable, "the data of the application is in use elsewhere: try again")
}

// peerEngine is the engine that serves requests of other processes.
type peerEngine struct{ *Engine }

var _ backend.Holder = peerEngine{}

// Hold implements backend.Holder.
func (peerEngine) Hold(context.Context, core.ID, int64) error { return moved() }

// Leave implements backend.Holder: another process needs the data.
func (a peerEngine) Leave(ctx context.Context, project core.ID) error {
	a.claims.yield(ctx, project)
	return nil
}
