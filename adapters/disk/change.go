package disk

import (
	"errors"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// write renames a temporary file into place.
func (b *batch) write(change core.FileChange, temp *temp) (worktree.Result, error) {
	path := change.Path
	dir, err := b.parent(path)
	if err != nil {
		return worktree.Result{}, err
	}
	old, kind, err := b.look(dir, path)
	if err != nil {
		return worktree.Result{}, err
	}
	switch kind {
	case kindDir:
		return worktree.Result{}, core.Errorf(core.CodeConflict, "a directory already has this path")
	case kindFile:
		if err := temp.succeed(old); err != nil {
			return worktree.Result{}, err
		}
	}
	if change.Executable != nil {
		if err := temp.permit(*change.Executable); err != nil {
			return worktree.Result{}, err
		}
	}
	if err := b.move(dir, unix.AT_FDCWD, temp.path, path.Base()); err != nil {
		return worktree.Result{}, err
	}
	temp.path = ""
	return worktree.Result{Info: infoOf(path, temp.stat), Created: kind != kindFile}, nil
}

// rename moves a file or a directory.
func (b *batch) rename(from, to core.ProjectPath) (worktree.Result, error) {
	source, stat, kind, err := b.existing(from)
	if err != nil {
		return worktree.Result{}, err
	}
	target, err := b.kindOf(to)
	if err != nil {
		return worktree.Result{}, err
	}
	if target == kindDir || target == kindFile && kind == kindDir {
		return worktree.Result{}, core.Errorf(core.CodeConflict, "the new path already exists")
	}
	if kind == kindDir && from.Contains(to) {
		return worktree.Result{}, core.Errorf(core.CodeConflict, "a directory cannot be moved into itself")
	}
	dir, err := b.parent(to)
	if err != nil {
		return worktree.Result{}, err
	}
	if target == kindOther && kind == kindDir {
		// A rename cannot replace anything but a directory by a directory.
		if err := b.unlink(dir, to.Base()); err != nil {
			return worktree.Result{}, err
		}
	}
	if err := b.move(dir, source.fd, from.Base(), to.Base()); err != nil {
		return worktree.Result{}, err
	}
	source.dirty = true
	b.forget(from)
	return worktree.Result{Info: infoOf(to, stat), Created: target != kindFile}, nil
}

// delete moves a file, or a directory with all its content, out of the tree in one step.
func (b *batch) delete(path core.ProjectPath) error {
	dir, _, kind, err := b.existing(path)
	if err != nil {
		return err
	}
	if kind == kindFile {
		return b.unlink(dir, path.Base())
	}
	if err := b.check(); err != nil {
		return err
	}
	dir.dirty = true
	trash := b.tree.trees.scratch.name()
	err = durable.Retried(func() error { return unix.Renameat(dir.fd, path.Base(), unix.AT_FDCWD, trash) })
	if err != nil {
		return err
	}
	b.trash = append(b.trash, trash)
	b.forget(path)
	return nil
}

// kind is the kind of entry at a path.
type kind int

const (
	kindNone kind = iota
	kindFile
	kindDir
	// kindOther is a link that stays inside, a pipe, a socket or a device. It counts as
	// missing.
	kindOther
)

// look describes path, whose parent directory is open. A link that leads out of the tree
// has code core.CodePathTraversal.
func (b *batch) look(dir *openDir, path core.ProjectPath) (unix.Stat_t, kind, error) {
	stat, err := nofollow.LstatAt(dir.fd, path.Base())
	if errors.Is(err, unix.ENOENT) {
		return stat, kindNone, nil
	}
	if err != nil {
		return stat, kindNone, err
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		return stat, kindFile, nil
	case unix.S_IFDIR:
		return stat, kindDir, nil
	case unix.S_IFLNK:
		if err := nofollow.JudgeLink(b.tree.base, path.String()); !errors.Is(err, nofollow.ErrLink) {
			return stat, kindNone, err
		}
	}
	return stat, kindOther, nil
}

// existing opens the parent directory of a file or directory that must exist.
func (b *batch) existing(path core.ProjectPath) (*openDir, unix.Stat_t, kind, error) {
	dir, err := b.dir(path.Dir(), false)
	if err != nil {
		return nil, unix.Stat_t{}, kindNone, b.tree.absent(err, "file")
	}
	stat, found, err := b.look(dir, path)
	if err == nil && found != kindFile && found != kindDir {
		err = core.NotFound("file")
	}
	return dir, stat, found, err
}

// kindOf returns the kind of path, whose parent directory need not exist.
func (b *batch) kindOf(path core.ProjectPath) (kind, error) {
	dir, err := b.dir(path.Dir(), false)
	if errors.Is(err, unix.ENOENT) {
		return kindNone, nil
	}
	if err != nil {
		return kindNone, asConflict(err)
	}
	_, found, err := b.look(dir, path)
	return found, err
}

// parent opens the parent directory of path, and creates it and those above it if needed.
func (b *batch) parent(path core.ProjectPath) (*openDir, error) {
	dir, err := b.dir(path.Dir(), true)
	return dir, asConflict(err)
}

func asConflict(err error) error {
	if errors.Is(err, nofollow.ErrLink) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return core.Errorf(core.CodeConflict, "a parent of the path is not a directory")
	}
	return err
}

// openDir is an open directory of the batch. dirty means that its entries have changed.
type openDir struct {
	fd    int
	dirty bool
}

// move renames an entry into a directory, provided that the caller still holds its lock.
func (b *batch) move(into *openDir, fromDir int, from, to string) error {
	if err := b.check(); err != nil {
		return err
	}
	into.dirty = true
	return durable.Retried(func() error { return unix.Renameat(fromDir, from, into.fd, to) })
}

// unlink removes an entry from a directory, provided that the caller still holds its
// lock.
func (b *batch) unlink(dir *openDir, name string) error {
	if err := b.check(); err != nil {
		return err
	}
	dir.dirty = true
	return durable.Retried(func() error { return unix.Unlinkat(dir.fd, name, 0) })
}

func (d *openDir) close() error {
	var err error
	if d.dirty {
		err = durable.Retried(func() error { return unix.Fsync(d.fd) })
	}
	return errors.Join(err, unix.Close(d.fd))
}

// dir opens a directory of the tree, once for a batch.
func (b *batch) dir(path core.ProjectPath, make bool) (*openDir, error) {
	if known := b.dirs[path.String()]; known != nil {
		return known, nil
	}
	fd, err := nofollow.Open(b.tree.base, path.String(), unix.O_RDONLY|unix.O_DIRECTORY)
	if errors.Is(err, unix.ENOENT) && make && !path.IsRoot() {
		fd, err = b.makeDir(path)
	}
	if err != nil {
		return nil, err
	}
	opened := &openDir{fd: fd}
	b.dirs[path.String()] = opened
	b.open = append(b.open, opened)
	return opened, nil
}

func (b *batch) makeDir(path core.ProjectPath) (fd int, err error) {
	parent, err := b.dir(path.Dir(), true)
	if err != nil {
		return -1, err
	}
	err = durable.Retried(func() error { return unix.Mkdirat(parent.fd, path.Base(), 0o755) })
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	parent.dirty = true
	return nofollow.OpenAt(parent.fd, path.Base(), unix.O_RDONLY|unix.O_DIRECTORY)
}

// forget drops the cached directories of a path that has moved away. Its open directories
// are synced nevertheless.
func (b *batch) forget(path core.ProjectPath) {
	for name := range b.dirs {
		if name == path.String() || strings.HasPrefix(name, path.String()+"/") {
			delete(b.dirs, name)
		}
	}
}
