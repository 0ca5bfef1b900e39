package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Apply implements worktree.Tree. It writes and syncs all new contents among the
// temporary files. Then it carries out the changes in order, each by one rename or
// unlink. Then it syncs every changed directory once.
func (t *tree) Apply(ctx context.Context, changes []core.FileChange) []worktree.Result {
	b := newBatch(ctx, t, changes)
	defer b.cleanUp()
	b.writeTemps(ctx)
	for i := range changes {
		if len(b.open) > maxOpenDirs {
			b.syncDirs(i)
		}
		b.carryOut(ctx, i)
	}
	b.syncDirs(len(changes))
	return b.results
}

// maxOpenDirs bounds the directories that a batch keeps open until they are synced, so
// that large batches do not use up the process's descriptors.
const maxOpenDirs = 128

// batch is one call of Apply.
type batch struct {
	tree *tree
	// check reports, before each change of the tree, whether the caller has lost its
	// lock.
	check   func() error
	changes []core.FileChange
	results []worktree.Result
	// temps holds the new content of each write until it is renamed into place.
	temps []*temp
	// dirs maps paths to open directories; open holds all of them.
	dirs map[string]*openDir
	open []*openDir
	// trash are deleted directories that were moved out of the tree.
	trash []string
}

func newBatch(ctx context.Context, t *tree, changes []core.FileChange) *batch {
	return &batch{
		tree:    t,
		check:   func() error { return locks.Check(ctx) },
		changes: changes,
		results: make([]worktree.Result, len(changes)),
		temps:   make([]*temp, len(changes)),
		dirs:    make(map[string]*openDir),
	}
}

func (b *batch) writeTemps(ctx context.Context) {
	var writes []int
	for i, change := range b.changes {
		if change.Op == core.OpWrite && !change.Path.IsRoot() {
			writes = append(writes, i)
		}
	}
	durable.InParallel(len(writes), func(n int) {
		i := writes[n]
		err := ctx.Err()
		if err == nil {
			b.temps[i], err = b.tree.trees.scratch.write(filepath.Base(b.tree.base), b.changes[i].Content)
		}
		if err != nil {
			b.results[i].Err = b.failure(err)
		}
	})
}

func (b *batch) carryOut(ctx context.Context, i int) {
	if b.results[i].Err != nil {
		return
	}
	err := ctx.Err()
	if err == nil {
		b.results[i], err = b.change(i)
	}
	if err != nil {
		b.results[i] = worktree.Result{Err: b.failure(err)}
	}
}

func (b *batch) change(i int) (worktree.Result, error) {
	change := b.changes[i]
	if change.Path.IsRoot() || change.Op == core.OpRename && change.To.IsRoot() {
		return worktree.Result{}, core.Errorf(core.CodeInvalidPath, "the project's root cannot be changed")
	}
	switch change.Op {
	case core.OpWrite:
		return b.write(change, b.temps[i])
	case core.OpRename:
		return b.rename(change.Path, change.To)
	case core.OpDelete:
		return worktree.Result{}, b.delete(change.Path)
	}
	return worktree.Result{}, core.Errorf(core.CodeInvalidRequest, "no such operation on a file")
}

// failure gives an error its code. If the tree or its disk vanished, the error says so.
func (b *batch) failure(err error) error {
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, unix.ENOENT):
		if _, err := os.Lstat(b.tree.base); err != nil {
			return b.tree.absent(err, "project directory")
		}
		return core.Wrap(core.CodeUnavailable, err, "the disk changed in the meantime")
	}
	return durable.Fault(err, "file")
}

// syncDirs syncs and closes the directories that the first done changes touched. If one
// cannot be synced, none of those changes is known to be durable.
func (b *batch) syncDirs(done int) {
	failed := make([]error, len(b.open))
	durable.InParallel(len(b.open), func(i int) { failed[i] = b.open[i].close() })
	b.open = nil
	clear(b.dirs)
	err := errors.Join(failed...)
	if err == nil {
		return
	}
	for i := range done {
		if b.results[i].Err == nil {
			b.results[i] = worktree.Result{Err: durable.Fault(err, "directory")}
		}
	}
}

// cleanUp removes contents that were not renamed into place, and deleted directories. The
// next start removes what cannot be removed now.
func (b *batch) cleanUp() {
	for _, temp := range b.temps {
		if temp != nil && temp.path != "" {
			_ = os.Remove(temp.path)
		}
	}
	for _, path := range b.trash {
		_ = os.RemoveAll(path)
	}
}
