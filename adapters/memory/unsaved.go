package memory

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/saveregistry"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// Unsaved knows who in this process holds edits that are not on the disk yet.
type Unsaved struct {
	self  core.ID
	local *saveregistry.Registry
}

var _ unsaved.Registry = (*Unsaved)(nil)

// NewUnsaved returns an empty registry.
func NewUnsaved() *Unsaved { return &Unsaved{self: core.NewID(), local: saveregistry.New()} }

// Owner implements unsaved.Registry.
func (u *Unsaved) Owner() core.ID { return u.self }

// Keep implements unsaved.Registry. It fails only when ctx has ended.
func (u *Unsaved) Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return sync.OnceFunc(u.local.Register(project, save)), nil
}

// Save implements unsaved.Registry.
func (u *Unsaved) Save(ctx context.Context, project core.ID) error {
	return u.local.Save(ctx, project)
}
