package disk

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

// Size implements worktree.Tree. It skips files that are removed meanwhile.
func (t *tree) Size(ctx context.Context) (int64, error) {
	var size int64
	err := filepath.WalkDir(t.base, func(name string, entry fs.DirEntry, err error) error {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err != nil {
			if name != t.base && errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		var stat unix.Stat_t
		if entry.Type().IsRegular() && durable.Retried(func() error { return unix.Lstat(name, &stat) }) == nil {
			size += max(stat.Size, stat.Blocks*512)
		}
		return nil
	})
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	return size, t.absent(err, "project directory")
}
