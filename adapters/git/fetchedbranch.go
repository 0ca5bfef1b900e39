package git

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/quarantine"
	"github.com/atelierhq/atelier/core"
)

// fetchedBranch is a vcs.FetchedBranch, in quarantine.
type fetchedBranch struct {
	*quarantine.Quarantine
	tip plumbing.Hash
	// tree says why no project can hold the newest version, not even without its odd entries;
	// history why any version cannot become part of one as it is.
	tree, history error
}

// check checks the versions. It returns an error itself only if the pack is broken or ctx
// ended.
func (f *fetchedBranch) check(ctx context.Context) error {
	newest, err := f.Commit(f.tip)
	if err != nil {
		return err
	}
	g, err := f.NewGate(ctx, plumbing.ZeroHash)
	if err != nil {
		return err
	}
	if f.history = g.CheckTree(newest.Tree); f.history == nil {
		f.history = g.CheckAll()
	} else {
		f.tree = g.CheckFiles(newest.Tree)
	}
	for _, found := range []error{f.tree, f.history} {
		var known *core.Error
		if found != nil && !errors.As(found, &known) {
			return found
		}
	}
	return ctx.Err()
}

// Tip implements vcs.FetchedBranch.
func (f *fetchedBranch) Tip() string { return f.tip.String() }

// Tree implements vcs.FetchedBranch.
func (f *fetchedBranch) Tree() error { return f.tree }

// History implements vcs.FetchedBranch.
func (f *fetchedBranch) History() error { return errors.Join(f.tree, f.history) }

// Files implements vcs.FetchedBranch.
func (f *fetchedBranch) Files(ctx context.Context, add func(core.FileChange) error) (core.Omissions, error) {
	return f.Quarantine.Files(ctx, f.tip, add)
}
