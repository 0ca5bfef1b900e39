package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

const (
	lockName = "lock"
	lockNote = "Atelier holds the lock that is a hard link to this file.\n"

	// lockWait is how long this package waits for the lock of another client. The stock
	// git client holds its locks for milliseconds.
	lockWait = 5 * time.Second
)

// lock takes git's lock for the file at path: path + ".lock". It waits at most lockWait
// while another client holds it; then the error has code core.CodeUnavailable, as it has
// if the project's lock was lost.
func (r *repository) lock(ctx context.Context, path string) (release func(), err error) {
	own, held := filepath.Join(r.aside(), lockName), path+".lock"
	deadline := time.Now().Add(lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := os.Link(own, held)
		switch {
		case err == nil:
			if err := r.check(); err != nil {
				return nil, errors.Join(err, os.Remove(held))
			}
			return func() { r.unlock(held) }, nil
		case errors.Is(err, fs.ErrNotExist):
			if err := r.makeLockFile(); err != nil {
				return nil, err
			}
			continue
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		case time.Now().After(deadline):
			return nil, core.Wrap(core.CodeUnavailable, err, "another program holds the repository's lock")
		}
		if err := ctxsync.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// unlock releases git's lock. If the project's lock was lost, it keeps the file: the
// process that repaired the repository may own it, and repairs clear away what is left
// behind.
func (r *repository) unlock(held string) {
	if r.check() == nil {
		_ = os.Remove(held)
	}
}

// makeLockFile completes a repository that the stock git client made.
func (r *repository) makeLockFile() error {
	if err := os.Mkdir(r.aside(), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err := os.WriteFile(filepath.Join(r.aside(), lockName), []byte(lockNote), 0o644)
	return err
}

// ownLock reports whether this package took the lock at path. Either the lock is a link
// to this repository's lock file, or it was copied along with the repository, which turns
// the link into a file.
func (r *repository) ownLock(path string) bool {
	held, err := os.Lstat(path)
	if err != nil || !held.Mode().IsRegular() {
		return false
	}
	if own, err := os.Lstat(filepath.Join(r.aside(), lockName)); err == nil && os.SameFile(own, held) {
		return true
	}
	if held.Size() != int64(len(lockNote)) {
		return false
	}
	note, err := os.ReadFile(path)
	return err == nil && string(note) == lockNote
}
