package vcs

import (
	"context"
	"maps"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

var _ vcs.Remotes = (*Remotes)(nil)

// Remotes is a vcs.Remotes without a network. It reaches the repositories that Host made, and
// answers core.CodeUnavailable for all others. The zero value reaches nothing.
type Remotes struct {
	repositories *Repositories
	mu           sync.Mutex
	hosted       map[string]*Repository
}

// NewRemotes returns remotes that reach nothing.
func NewRemotes() *Remotes { return &Remotes{} }

// NewHosting returns remotes of the projects in repositories that can host others.
func NewHosting(repositories *Repositories) *Remotes {
	return &Remotes{repositories: repositories, hosted: map[string]*Repository{}}
}

// Host makes an empty repository at an address.
func (r *Remotes) Host(address string) *Repository {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hosted[address] = newRepository()
	return r.hosted[address]
}

// Fetch implements vcs.Remotes: it reaches nothing.
func (*Remotes) Fetch(context.Context, core.ID, vcs.Source, vcs.Limits) (vcs.FetchedBranch, error) {
	return nil, noGit()
}

// find returns the two repositories of a pull or a push.
func (r *Remotes) find(ctx context.Context, project core.ID, address string) (*repository, *Repository, error) {
	r.mu.Lock()
	hosted := r.hosted[address]
	r.mu.Unlock()
	if hosted == nil {
		return nil, nil, noGit()
	}
	_, repo, err := r.repositories.find(ctx, project)
	return repo, hosted, err
}

// Pull implements vcs.Remotes.
func (r *Remotes) Pull(ctx context.Context, project core.ID, source vcs.Source, _ []string, _ vcs.Limits) (vcs.PulledBranch, error) {
	repo, hosted, err := r.find(ctx, project, source.Address)
	if err != nil {
		return nil, err
	}
	pulled := &pulledBranch{repo: repo, branch: branchOf(source)}
	hosted.repo.mu.Lock()
	defer hosted.repo.mu.Unlock()
	if pulled.tip = hosted.branches[pulled.branch]; pulled.tip == "" {
		return pulled, nil
	}
	pulled.contents = maps.Clone(hosted.repo.contents)
	pulled.versions, err = hosted.repo.ancestors(pulled.tip)
	return pulled, err
}

func branchOf(source vcs.Source) string {
	if source.Branch != nil {
		return *source.Branch
	}
	return "main"
}

// Push implements vcs.Remotes.
func (r *Remotes) Push(ctx context.Context, project core.ID, source vcs.Source, move vcs.Arrival) error {
	repo, hosted, err := r.find(ctx, project, source.Address)
	if err != nil {
		return err
	}
	repo.mu.Lock()
	versions, err := repo.ancestors(move.To)
	contents := maps.Clone(repo.contents)
	repo.mu.Unlock()
	if err != nil {
		return err
	}
	hosted.repo.mu.Lock()
	defer hosted.repo.mu.Unlock()
	branch := branchOf(source)
	if at := hosted.branches[branch]; at == move.To {
		return nil
	} else if at != move.From || move.From != "" && versions[move.From].ID == "" {
		return overtaken()
	}
	hosted.repo.absorb(versions, contents)
	hosted.branches[branch] = move.To
	return nil
}

// absorb stores versions of another repository.
func (r *repository) absorb(versions map[string]storedVersion, contents map[digest][]byte) {
	maps.Copy(r.contents, contents)
	for id, version := range versions {
		if _, err := r.version(id); err != nil {
			r.hold(version)
		}
	}
}

// pulledBranch is a vcs.PulledBranch.
type pulledBranch struct {
	repo        *repository
	branch, tip string
	versions    map[string]storedVersion
	contents    map[digest][]byte
}

// Branch implements vcs.PulledBranch.
func (p *pulledBranch) Branch() string { return p.branch }

// Tip implements vcs.PulledBranch.
func (p *pulledBranch) Tip() string { return p.tip }

// Adopt implements vcs.PulledBranch.
func (p *pulledBranch) Adopt(context.Context) error {
	p.repo.mu.Lock()
	defer p.repo.mu.Unlock()
	p.repo.absorb(p.versions, p.contents)
	return nil
}

// Close implements vcs.PulledBranch.
func (*pulledBranch) Close() error { return nil }
