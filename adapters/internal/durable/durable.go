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

// workers is how many files are synced at once: the journal of the file
// system writes their waits out together.
const workers = 16

// WriteFile makes a new file with content and waits until it is on the disk. A
// failed write or sync leaves the file for the caller to remove; a sync is never
// tried twice, since the kernel drops what it could not write.
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

// InParallel calls work for every index below n, on at most 16
// goroutines, and waits for all. One call is made in place.
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

// Fault gives a failure of the disk its code. nil stays nil, and an error that has
// a code keeps it. What is missing has code core.CodeNotFound and is called what;
// everything else core.CodeUnavailable.
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
