package git

import (
	"context"
	"errors"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/core"
)

// fetched is a vcs.Fetched.
type fetched struct {
	*quarantine
	tip plumbing.Hash
	// tree and history say why the newest version, and why any version, cannot become part of a
	// project.
	tree, history error
}

// judge checks what was fetched. It returns an error itself only if the pack is broken or ctx
// ended.
func (f *fetched) judge(ctx context.Context) error {
	newest, err := f.commit(f.tip)
	if err != nil {
		return err
	}
	g, err := f.openGate(ctx, plumbing.ZeroHash)
	if err != nil {
		return err
	}
	if _, f.tree = g.weigh("", newest.Tree); f.tree == nil {
		f.history = g.judgeAll()
	}
	for _, found := range []error{f.tree, f.history} {
		var known *core.Error
		if found != nil && !errors.As(found, &known) {
			return found
		}
	}
	return ctx.Err()
}

// Tip implements vcs.Fetched.
func (f *fetched) Tip() string { return f.tip.String() }

// Tree implements vcs.Fetched.
func (f *fetched) Tree() error { return f.tree }

// History implements vcs.Fetched.
func (f *fetched) History() error { return errors.Join(f.tree, f.history) }

// Files implements vcs.Fetched.
func (f *fetched) Files(ctx context.Context, add func(core.FileChange) error) error {
	f.objects.ctx = ctx
	newest, err := f.commit(f.tip)
	if err != nil {
		return err
	}
	return f.filesBelow(ctx, "", newest.Tree, add)
}

func (f *fetched) filesBelow(ctx context.Context, prefix string, tree plumbing.Hash, add func(core.FileChange) error) error {
	children, err := f.treeOf(tree)
	if err != nil {
		return err
	}
	for _, child := range children {
		if child.IsTree() {
			if err := f.filesBelow(ctx, prefix+child.Name+"/", child.Hash, add); err != nil {
				return err
			}
			continue
		}
		path, err := core.ParsePath(prefix + child.Name)
		if err != nil {
			return err
		}
		_, content, err := f.read(child.Hash)
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return err
		}
		executable := child.Mode == objects.ModeExecutable
		if err := add(core.FileChange{Op: core.OpWrite, Path: path, Content: content, Executable: &executable}); err != nil {
			return err
		}
	}
	return nil
}
