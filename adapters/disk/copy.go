package disk

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
	"github.com/atelierhq/atelier/core"
)

// Copy implements worktree.Trees. It copies contents and never shares them as links: a
// command of the agent writes to the files of its project in place.
func (t *Trees) Copy(ctx context.Context, from, to core.ID, paths []core.ProjectPath) error {
	source, err := t.Open(ctx, from)
	if err != nil {
		return err
	}
	target, err := t.Open(ctx, to)
	if err != nil {
		return err
	}
	c := copier{from: source.(*tree).base, to: target.(*tree).base}
	return durable.Fault(c.copyAll(ctx, paths), "project directory")
}

// copier copies files from one directory to another that nobody else uses yet.
type copier struct{ from, to string }

func (c copier) copyAll(ctx context.Context, paths []core.ProjectPath) error {
	if err := c.makeDirs(paths); err != nil {
		return err
	}
	failed := make([]error, len(paths))
	durable.InParallel(len(paths), func(i int) {
		if failed[i] = ctx.Err(); failed[i] == nil {
			failed[i] = c.copy(paths[i].String())
		}
	})
	if err := errors.Join(failed...); err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	return c.sync()
}

// makeDirs creates the directories above paths, from the root down.
func (c copier) makeDirs(paths []core.ProjectPath) error {
	above := map[string]bool{}
	for _, path := range paths {
		for dir := path.Dir(); !dir.IsRoot() && !above[dir.String()]; dir = dir.Dir() {
			above[dir.String()] = true
		}
	}
	dirs := make([]string, 0, len(above))
	for dir := range above {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, strings.Compare)
	for _, dir := range dirs {
		if err := os.Mkdir(filepath.Join(c.to, dir), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// copy copies one file. It skips an entry that is no longer a regular file. It reads the
// time after the content, so that a file that was written meanwhile does not look
// unchanged.
func (c copier) copy(name string) error {
	fd, _, err := nofollow.OpenRegular(c.from, name)
	if nofollow.IsAbsence(err) || core.IsCode(err, core.CodePathTraversal) {
		return nil
	}
	if err != nil {
		return err
	}
	source := os.NewFile(uintptr(fd), name)
	defer source.Close()
	path := filepath.Join(c.to, name)
	target, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	var stat unix.Stat_t
	if err == nil {
		err = unix.Fstat(fd, &stat)
	}
	if err == nil && stat.Mode&0o100 != 0 {
		err = target.Chmod(0o755)
	}
	if err = errors.Join(err, target.Close()); err != nil {
		return err
	}
	return durable.Retried(func() error {
		return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{stat.Mtim, stat.Mtim}, unix.AT_SYMLINK_NOFOLLOW)
	})
}

// sync syncs the whole file system once, because syncing every file takes a hundred times
// as long.
func (c copier) sync() error {
	dir, err := os.Open(c.to)
	if err != nil {
		return err
	}
	return errors.Join(durable.Retried(func() error { return unix.Syncfs(int(dir.Fd())) }), dir.Close())
}
