package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/locks"
)

var _ locks.Locker = (*Locks)(nil)

// Pauses between attempts to get a lock that another process holds. The kernel's own
// blocking call could not be ended by a context.
const (
	firstLockPause = time.Millisecond
	lastLockPause  = 50 * time.Millisecond
)

// Locks is a keyed lock that the processes of one machine share. It locks files, which
// the kernel unlocks when a process ends. A lock file exists only while its record is
// locked.
type Locks struct {
	// local queues the callers of this process.
	local locks.Locker
	dir   string
}

// NewLocks returns the locks of a folder, which it creates. local is the lock of this
// process. If the folder cannot be used, the error has code core.CodeUnavailable.
func NewLocks(dir string, local locks.Locker) (*Locks, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, durable.Fault(err, "folder of locks")
	}
	return &Locks{local, dir}, nil
}

// Lock implements locks.Locker.
func (l *Locks) Lock(ctx context.Context, record core.ID) (held context.Context, unlock func(), err error) {
	held, leave, err := l.local.Lock(ctx, record)
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(l.dir, filepath.Base(string(record)))
	file, err := l.wait(ctx, path)
	if err != nil {
		leave()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, durable.Fault(err, "lock")
	}
	return held, sync.OnceFunc(func() {
		// A process that opened the file meanwhile notices its removal and creates
		// another.
		_ = os.Remove(path)
		_ = file.Close()
		leave()
	}), nil
}

func (l *Locks) wait(ctx context.Context, path string) (*os.File, error) {
	for pause := firstLockPause; ; pause = min(2*pause, lastLockPause) {
		file, err := tryLock(path)
		if file != nil || err != nil {
			return file, err
		}
		if err := ctxsync.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// tryLock returns the locked file at the path, nil if another process holds the lock.
func tryLock(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		err = durable.Retried(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, file.Close()
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		held, err := file.Stat()
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if named, err := os.Lstat(path); err == nil && os.SameFile(held, named) {
			return file, nil
		}
		// Its holder removed the file between the two steps.
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
}
