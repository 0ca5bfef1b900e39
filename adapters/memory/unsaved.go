package memory

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/saveregistry"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// UnsavedEdits knows who in this process holds edits that are not on the disk yet.
type UnsavedEdits struct {
	self  core.ID
	local *saveregistry.Registry
}

var _ unsaved.Registry = (*UnsavedEdits)(nil)

// NewUnsaved returns an empty registry.
func NewUnsaved() *UnsavedEdits { return &UnsavedEdits{self: core.NewID(), local: saveregistry.New()} }

// Owner implements unsaved.Registry.
func (u *UnsavedEdits) Owner() core.ID { return u.self }

// Keep implements unsaved.Registry. It fails only when ctx has ended.
func (u *UnsavedEdits) Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return sync.OnceFunc(u.local.Register(project, save)), nil
}

// Save implements unsaved.Registry.
func (u *UnsavedEdits) Save(ctx context.Context, project core.ID) error {
	return u.local.Save(ctx, project)
}
