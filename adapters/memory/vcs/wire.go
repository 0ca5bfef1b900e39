package vcs

import (
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Wire = (*Wire)(nil)

// Wire is a vcs.Wire for versions that are not git objects: every call answers
// core.CodeUnavailable.
type Wire struct{}

// NewWire returns a wire.
func NewWire() *Wire { return &Wire{} }

// Advertise implements vcs.Wire.
func (*Wire) Advertise(context.Context, core.ID, vcs.Service, io.Writer) error { return noGit() }

// Upload implements vcs.Wire.
func (*Wire) Upload(context.Context, core.ID, io.Reader, io.Writer) error { return noGit() }

// Receive implements vcs.Wire.
func (*Wire) Receive(context.Context, core.ID, io.Reader, vcs.Limits) (vcs.Push, error) {
	return nil, noGit()
}

func noGit() error {
	return core.Errorf(core.CodeUnavailable, "this installation keeps everything in memory: it has no git repositories")
}
