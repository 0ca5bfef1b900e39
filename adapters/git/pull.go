package git

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/quarantine"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// maxPullHaves bounds the versions of the project that a pull tells the server.
const maxPullHaves = 256

// pulledBranch is a vcs.PulledBranch. quarantine is nil if the project has everything.
type pulledBranch struct {
	branch     string
	tip        plumbing.Hash
	quarantine *quarantine.Quarantine
}

// Branch implements vcs.PulledBranch.
func (p *pulledBranch) Branch() string { return p.branch }

// Tip implements vcs.PulledBranch.
func (p *pulledBranch) Tip() string { return nameOf(p.tip) }

// Adopt implements vcs.PulledBranch.
func (p *pulledBranch) Adopt(ctx context.Context) error {
	if p.quarantine == nil {
		return nil
	}
	return p.quarantine.Adopt(ctx)
}

// Close implements vcs.PulledBranch.
func (p *pulledBranch) Close() error {
	if p.quarantine == nil {
		return nil
	}
	return p.quarantine.Close()
}

// Pull implements vcs.Remotes.
func (r *Remotes) Pull(ctx context.Context, project core.ID, source vcs.Source, known []string, limits vcs.Limits) (vcs.PulledBranch, error) {
	repo, err := r.repositories.open(ctx, project)
	if err != nil {
		return nil, err
	}
	remote, err := r.remote(ctx, source.Address)
	if err != nil {
		return nil, err
	}
	refs, err := remote.refs(vcs.ServiceUpload)
	if err == nil {
		err = refs.checkFormat()
	}
	if err != nil {
		return nil, remote.fault(err)
	}
	pulled := &pulledBranch{branch: refs.branch(source.Branch)}
	pulled.tip = refs.named[branchPrefix+pulled.branch]
	if pulled.tip.IsZero() || repo.objects.Has(plumbing.CommitObject, pulled.tip) {
		return pulled, nil
	}
	haves, err := repo.haves(ctx, known)
	if err != nil {
		return nil, durable.Fault(err, "repository")
	}
	if pulled.quarantine, err = quarantine.Open(repo.dir, repo.objects, limits); err != nil {
		return nil, durable.Fault(err, "repository")
	}
	refs.newest = pulled.tip
	if err = remote.fetch(refs, haves, pulled.quarantine); err == nil {
		err = repo.admit(ctx, pulled)
	}
	if err != nil {
		return nil, errors.Join(remote.fault(err), pulled.Close())
	}
	return pulled, nil
}

// branch returns the name of a branch: the one that is asked for, or the default branch, which is
// the one at HEAD.
func (r *remoteRefs) branch(asked *string) string {
	if asked != nil {
		return *asked
	}
	for _, name := range []string{"main", "master"} {
		if hash := r.named[branchPrefix+name]; !hash.IsZero() && (r.named["HEAD"].IsZero() || r.named["HEAD"] == hash) {
			return name
		}
	}
	found := ""
	for ref, hash := range r.named {
		if name := ref[min(len(ref), len(branchPrefix)):]; ref != "HEAD" && hash == r.named["HEAD"] && (found == "" || name < found) {
			found = name
		}
	}
	if found == "" {
		return "main"
	}
	return found
}

// haves returns versions that the project has, the newest first.
func (r *repository) haves(ctx context.Context, known []string) ([]plumbing.Hash, error) {
	haves := []plumbing.Hash{}
	for _, id := range known {
		if hash := plumbing.NewHash(id); id != "" && r.objects.Has(plumbing.CommitObject, hash) {
			haves = append(haves, hash)
		}
	}
	_, newest, err := r.history.newest()
	if err != nil {
		return nil, err
	}
	for w := newWalk(newest); len(haves) < maxPullHaves; {
		next, more, err := w.next(r.history)
		if err != nil || !more {
			return haves, err
		}
		haves = append(haves, plumbing.NewHash(next.Version.ID))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return haves, nil
}

// admit checks every new version of a pulled branch, as a push is checked.
func (r *repository) admit(ctx context.Context, pulled *pulledBranch) error {
	if _, err := pulled.quarantine.Commit(pulled.tip); err != nil {
		return err
	}
	at, err := r.dir.Head()
	if err != nil {
		return err
	}
	g, err := pulled.quarantine.NewGate(ctx, at.Commit)
	if err == nil {
		err = g.CheckAll()
	}
	var known *core.Error
	if errors.As(err, &known) && known.Code != core.CodeUnavailable && known.Code != core.CodeInvalidRequest {
		return core.Wrap(known.Code, vcs.ErrContent, "%s", known.Message)
	}
	return err
}
