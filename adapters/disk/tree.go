package disk

import (
	"context"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/nofollow"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/worktree"
)

// tree is one project's directory. It holds no descriptor, so it needs no closing and
// always refers to the current mount.
type tree struct {
	trees *Trees
	base  string
}

// Open implements worktree.Tree.
func (t *tree) Open(ctx context.Context, path core.ProjectPath) (worktree.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	fd, stat, err := nofollow.OpenRegular(t.base, path.String())
	if err != nil {
		return nil, t.absent(err, "file")
	}
	return &openFile{File: os.NewFile(uintptr(fd), path.String()), info: infoOf(path, stat)}, nil
}

// Stat implements worktree.Tree.
func (t *tree) Stat(ctx context.Context, path core.ProjectPath) (worktree.Info, error) {
	if err := ctx.Err(); err != nil {
		return worktree.Info{}, err
	}
	stat, err := nofollow.Stat(t.base, path.String())
	if err != nil {
		return worktree.Info{}, t.absent(err, "file")
	}
	return infoOf(path, stat), nil
}

// absent gives a failed look-up its code. A missing file may mean that the whole disk is
// missing.
func (t *tree) absent(err error, what string) error {
	if !nofollow.IsAbsence(err) {
		return durable.Fault(err, what)
	}
	if _, err := os.Lstat(t.base); err != nil {
		if err := t.trees.present(); err != nil {
			return err
		}
		return core.NotFound("project directory")
	}
	return core.NotFound(what)
}

func infoOf(path core.ProjectPath, stat unix.Stat_t) worktree.Info {
	info := worktree.Info{
		Path:         path,
		Size:         stat.Size,
		Modified:     core.At(time.Unix(stat.Mtim.Unix())),
		ModifiedNano: stat.Mtim.Nano(),
		Dir:          nofollow.IsDir(stat),
	}
	if info.Dir {
		info.Size = 0
	}
	return info
}

// openFile is an open regular file.
type openFile struct {
	*os.File
	info worktree.Info
}

// Info implements worktree.File.
func (f *openFile) Info() worktree.Info { return f.info }
