package memory

import (
	"github.com/atelierhq/atelier/adapters/memory/storage"
	"github.com/atelierhq/atelier/adapters/memory/vcs"
	"github.com/atelierhq/atelier/adapters/memory/worktree"
)

// Store is a storage.Store that lives as long as the process.
type Store = storage.Store

// NewStore returns an empty store. It is safe for concurrent use.
func NewStore() *Store { return storage.New() }

// Trees holds the projects' files in memory. Make one with NewTrees.
type Trees = worktree.Trees

// NewTrees returns empty trees. It is safe for concurrent use.
func NewTrees() *Trees { return worktree.New() }

// Repositories keeps the projects' histories in memory. Make one with NewRepositories.
type Repositories = vcs.Repositories

// NewRepositories returns the repositories of trees. It is safe for concurrent use.
func NewRepositories(trees *Trees) *Repositories { return vcs.New(trees) }

// Wire answers every call with core.CodeUnavailable: versions in memory are not git
// objects.
type Wire = vcs.Wire

// NewWire returns a wire.
func NewWire() *Wire { return vcs.NewWire() }

// Remotes reach no network: they answer core.CodeUnavailable, except for repositories that they host
// themselves.
type Remotes = vcs.Remotes

// NewRemotes returns remotes that host nothing.
func NewRemotes() *Remotes { return vcs.NewRemotes() }

// NewHosting returns remotes of the projects in repositories that can host others.
func NewHosting(repositories *Repositories) *Remotes { return vcs.NewHosting(repositories) }
