package disk

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Walk implements worktree.Tree.
func (t *tree) Walk(ctx context.Context, visit func(worktree.Info) error) error {
	fd, err := nofollow.Open(t.base, "", unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return t.absent(err, "project directory")
	}
	w := walker{ctx, visit}
	if err := w.dir(fd, ""); err != nil {
		return err
	}
	return ctx.Err()
}

type walker struct {
	ctx   context.Context
	visit func(worktree.Info) error
}

// dir visits everything below an open directory and closes it.
func (w walker) dir(fd int, prefix string) error {
	dir := os.NewFile(uintptr(fd), prefix)
	defer dir.Close()
	entries, err := dir.ReadDir(-1)
	if err != nil {
		return durable.Fault(err, "directory")
	}
	for _, entry := range inWalkOrder(entries) {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		path, err := core.ParsePath(prefix + entry.Name())
		if err != nil || path.Generated() {
			continue
		}
		if err := w.entry(fd, path, entry.IsDir()); err != nil {
			return err
		}
	}
	return nil
}

// entry visits a file, or everything below a directory. It skips what has been removed or
// replaced since the directory was read.
func (w walker) entry(parent int, path core.ProjectPath, dir bool) error {
	if !dir {
		stat, err := nofollow.LstatAt(parent, path.Base())
		if err == nil && nofollow.IsRegular(stat) {
			return w.visit(infoOf(path, stat))
		}
		if err != nil && !nofollow.IsAbsence(err) {
			return durable.Fault(err, "file")
		}
		return nil
	}
	fd, err := nofollow.OpenAt(parent, path.Base(), unix.O_RDONLY|unix.O_DIRECTORY)
	if nofollow.IsAbsence(err) {
		return nil
	}
	if err != nil {
		return durable.Fault(err, "directory")
	}
	return w.dir(fd, path.String()+"/")
}

// inWalkOrder keeps files and directories and sorts them so that the paths below them
// ascend: a directory's name counts with its slash.
func inWalkOrder(entries []fs.DirEntry) []fs.DirEntry {
	kept := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !e.Type().IsRegular() && !e.IsDir() })
	slices.SortFunc(kept, func(a, b fs.DirEntry) int { return strings.Compare(walkKey(a), walkKey(b)) })
	return kept
}

func walkKey(entry fs.DirEntry) string {
	if entry.IsDir() {
		return entry.Name() + "/"
	}
	return entry.Name()
}
