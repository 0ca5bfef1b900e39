package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	lockName = "lock"
	lockNote = "Atelier holds the lock that is a hard link to this file.\n"

	// lockWait is how long a lock of another client is waited for. The stock client
	// holds its locks for milliseconds.
	lockWait = 5 * time.Second
)

// lock takes git's lock for the file at path: path + ".lock". It waits while
// another client holds it, at most lockWait, then the error has code
// core.CodeUnavailable, as under a project's lock that was lost.
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
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// unlock gives git's lock back. Once the project's lock was lost it may be the lock of
// somebody else, who has repaired the repository: repairs clear away what is left behind.
func (r *repository) unlock(held string) {
	if r.check() == nil {
		_ = os.Remove(held)
	}
}

// makeLockFile completes a repository that the stock client made.
func (r *repository) makeLockFile() error {
	if err := os.Mkdir(r.aside(), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	err := os.WriteFile(filepath.Join(r.aside(), lockName), []byte(lockNote), 0o644)
	return err
}

// ownLock reports whether the lock at path was taken by this package: here, or where
// the repository was copied from, which makes a file of its own of the link.
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
