package gitdir

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// LockFile is a file in the adapter's own folder. Every lock that the adapter takes is a
// hard link to it.
const LockFile = "lock"

const lockNote = "Atelier holds the lock that is a hard link to this file.\n"

// lockWait is how long to wait for the lock of another client. The stock git client holds
// its locks for milliseconds.
const lockWait = 5 * time.Second

// IndexLock is git's lock of the index, which is held until Release.
type IndexLock struct{ fileLock }

// LockIndex takes the lock of the index. It waits at most lockWait while another client
// holds it; then the error has code core.CodeUnavailable, as it has if the project's lock
// was lost.
func (d Dir) LockIndex(ctx context.Context) (*IndexLock, error) {
	held, err := d.lock(ctx, indexName)
	if err != nil {
		return nil, err
	}
	return &IndexLock{held}, nil
}

// Index reads the index, which nobody else changes before Release.
func (l *IndexLock) Index() (*index.File, error) { return l.dir.Index() }

// Replace plans to replace the index.
func (l *IndexLock) Replace(b *Batch, content []byte) {
	b.add(indexName, content, 0o644)
	b.files[len(b.files)-1].isIndex = true
}

// HeadLock is git's lock of the head's ref, which is held until Release.
type HeadLock struct {
	fileLock
	head Head
}

// LockHead takes the lock of the ref that HEAD names, as LockIndex takes that of the index.
func (d Dir) LockHead(ctx context.Context) (*HeadLock, error) {
	for {
		before, err := d.Head()
		if err != nil {
			return nil, err
		}
		held, err := d.lock(ctx, before.Ref)
		if err != nil {
			return nil, err
		}
		now, err := d.Head()
		if err == nil && now.Ref == before.Ref {
			return &HeadLock{held, now}, nil
		}
		held.Release()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
	}
}

// Head returns the head, which nobody else moves before Release.
func (l *HeadLock) Head() Head { return l.head }

// Move plans to move the head to a commit.
func (l *HeadLock) Move(b *Batch, commit plumbing.Hash) {
	b.add(l.head.Ref, []byte(commit.String()+"\n"), 0o644)
}

// fileLock is git's lock of a file: the file with the ending ".lock" beside it.
type fileLock struct {
	dir  Dir
	path string
}

// lock takes the lock of a file in the repository.
func (d Dir) lock(ctx context.Context, name string) (fileLock, error) {
	own, held := d.Aside(LockFile), fileLock{d, d.Path(name) + ".lock"}
	deadline := time.Now().Add(lockWait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := os.Link(own, held.path)
		switch {
		case err == nil:
			if err := d.check(); err != nil {
				return fileLock{}, errors.Join(err, os.Remove(held.path))
			}
			return held, nil
		case errors.Is(err, fs.ErrNotExist):
			if err := d.MakeAside(); err != nil {
				return fileLock{}, err
			}
			continue
		case !errors.Is(err, fs.ErrExist):
			return fileLock{}, err
		case time.Now().After(deadline):
			return fileLock{}, core.Wrap(core.CodeUnavailable, err, "another program holds the repository's lock")
		}
		if err := ctxsync.Sleep(ctx, pause); err != nil {
			return fileLock{}, err
		}
	}
}

// Release releases the lock. If the project's lock was lost, it keeps the file: the process
// that repaired the repository may own it, and repairs clear away what is left behind.
func (l fileLock) Release() {
	if l.dir.check() == nil {
		_ = os.Remove(l.path)
	}
}

// OwnsLock reports whether the adapter took the lock at path. Either the lock is a link to
// this repository's lock file, or it was copied along with the repository, which turns the
// link into a file.
func (d Dir) OwnsLock(path string) bool {
	held, err := os.Lstat(path)
	if err != nil || !held.Mode().IsRegular() {
		return false
	}
	if own, err := os.Lstat(d.Aside(LockFile)); err == nil && os.SameFile(own, held) {
		return true
	}
	if held.Size() != int64(len(lockNote)) {
		return false
	}
	note, err := os.ReadFile(path)
	return err == nil && string(note) == lockNote
}
