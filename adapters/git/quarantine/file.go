package quarantine

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

const (
	// filePrefix begins the names of packs, both in the adapter's own folder and
	// in the repository.
	filePrefix = "pack-"

	// abandonedAfter is how long a quarantine of another machine must not have been
	// written to before it counts as abandoned. It is twice the longest duration of a
	// push, so the clocks of machines need not agree.
	abandonedAfter = time.Hour
)

// createFile creates the file of a quarantine, which is filled without the project's lock.
// Two things tell other processes that it is in use: the kernel's lock of the file, which
// ends with the process, and the file's name, which says on which machine that lock is.
// Machines that share a directory may not share its locks.
func createFile(dir gitdir.Dir) (*os.File, error) {
	for {
		path := dir.Aside(filePrefix + bootID() + "." + string(core.NewID()))
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o444)
		if err != nil {
			return nil, err
		}
		// If the file system has no locks, the age of the file must suffice.
		_ = durable.Retried(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX) })
		if _, err = os.Lstat(path); err == nil {
			return file, nil
		}
		// Before the file was locked, a repair took it as abandoned and removed it.
		if err := errors.Join(notMissing(err), file.Close()); err != nil {
			return nil, err
		}
	}
}

// Clear removes the file of an abandoned quarantine. A quarantine of this boot of this
// machine is abandoned once its lock is free, any other if it is also old. The file is
// locked while it is removed, so that its maker cannot lock it in between.
func Clear(dir gitdir.Dir, entry fs.DirEntry) error {
	path := dir.Aside(entry.Name())
	file, err := os.Open(path)
	if err != nil {
		return notMissing(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	// A shared lock needs no write permission, even on network file systems.
	err = durable.Retried(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	free := err == nil && isOfThisBoot(entry.Name())
	if !free && time.Since(info.ModTime()) <= abandonedAfter {
		return nil
	}
	return gitdir.Remove(path)
}

// Is reports whether an entry of the adapter's own folder is a quarantine, in use or not.
func Is(entry fs.DirEntry) bool {
	return entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), filePrefix)
}

// isOfThisBoot reports whether a process whose locks are visible here made the quarantine:
// one of this machine, since its last boot.
func isOfThisBoot(name string) bool {
	boot, _, found := strings.Cut(strings.TrimPrefix(name, filePrefix), ".")
	return found && boot != "" && boot == bootID()
}

// bootID returns the id of this boot of the machine, which all its containers share. It is
// "" if the kernel gives none.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// notMissing returns err, or nil if err says that a file does not exist.
func notMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
