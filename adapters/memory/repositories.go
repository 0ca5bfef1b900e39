package memory

import "github.com/atelierhq/atelier/adapters/memory/vcs"

// Repositories keeps the projects' histories in memory. Make one with NewRepositories.
type Repositories = vcs.Repositories

// NewRepositories returns the repositories of trees. It may be used by many goroutines.
func NewRepositories(trees *Trees) *Repositories { return vcs.New(trees) }

// Wire answers every call with core.CodeUnavailable: versions in memory are no objects
// of git's.
type Wire = vcs.Wire

// NewWire returns a wire.
func NewWire() *Wire { return vcs.NewWire() }

// Remotes reach no network: Fetch answers core.CodeUnavailable.
type Remotes = vcs.Remotes

// NewRemotes returns remotes.
func NewRemotes() *Remotes { return vcs.NewRemotes() }
