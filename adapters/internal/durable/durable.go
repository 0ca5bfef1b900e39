// Package durable holds what adapters that keep files share: synced writes, and
// the codes of a disk's failures.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/core"
)

// workers is how many files are synced at the same time: the file system's journal
// commits concurrent syncs together.
const workers = 16

// WriteFile creates a new file with content and waits until it is on the disk. After a
// failed write or sync the caller removes the file. A sync is never retried, because the
// kernel drops what it could not write.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// SyncDir waits until the entries of a directory are on the disk.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// InParallel calls work for every index below n, on at most 16 goroutines, and waits for
// all. A single call runs on the caller's goroutine.
func InParallel(n int, work func(i int)) {
	if n == 1 {
		work(0)
		return
	}
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, workers) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
}

// Retried repeats a system call that a signal interrupted.
func Retried(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// Fault gives a failure of the disk its code. nil stays nil, and an error with a code
// keeps it. A missing file has code core.CodeNotFound, and the message calls it what;
// everything else has core.CodeUnavailable.
func Fault(err error, what string) error {
	var known *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &known):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return core.NotFound(what)
	case errors.Is(err, unix.ENOSPC), errors.Is(err, unix.EDQUOT):
		return core.Wrap(core.CodeUnavailable, err, "the disk is full")
	}
	return core.Wrap(core.CodeUnavailable, err, "the disk failed")
}
