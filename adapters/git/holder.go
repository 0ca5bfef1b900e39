package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

const (
	// quarantinePrefix begins the names of packs, aside and in the repository.
	quarantinePrefix = "pack-"

	// abandonedAfter is for how long nobody has written to a quarantine when one of
	// another machine counts as left behind. It is twice what a push may take, so that
	// the clocks of machines need not agree.
	abandonedAfter = time.Hour
)

// makeHeld makes the file of a quarantine, which is filled without the project's lock.
// Two things tell other processes that it is in use: the kernel's lock of it, which
// ends with the process, and its name, which says on which machine that lock is. A
// directory that machines share may not share its locks.
func (r *repository) makeHeld() (*os.File, error) {
	for {
		path := filepath.Join(r.aside(), quarantinePrefix+machineRun()+"."+string(core.NewID()))
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o444)
		if err != nil {
			return nil, err
		}
		// Where there are no locks, the age of the file has to do.
		_ = durable.Retried(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX) })
		if _, err = os.Lstat(path); err == nil {
			return file, nil
		}
		// Without the lock, a repair took it for left behind.
		if err := errors.Join(notMissing(err), file.Close()); err != nil {
			return nil, err
		}
	}
}

// clearQuarantine removes the file of a quarantine that nobody fills: one of this run
// of the machine as soon as nobody locks it, any other when it is also old. It is
// locked while it is removed, so that its maker does not lock it in between.
func (r *repository) clearQuarantine(entry fs.DirEntry) error {
	path := filepath.Join(r.aside(), entry.Name())
	file, err := os.Open(path)
	if err != nil {
		return notMissing(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	// A shared lock takes no right to write, on network file systems too.
	err = durable.Retried(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	free := err == nil && isOfThisRun(entry.Name())
	if !free && time.Since(info.ModTime()) <= abandonedAfter {
		return nil
	}
	return removeFile(path)
}

// isQuarantine reports whether a file aside is a quarantine, be it in use or not.
func isQuarantine(entry fs.DirEntry) bool {
	return entry.Type().IsRegular() && strings.HasPrefix(entry.Name(), quarantinePrefix)
}

// isOfThisRun reports whether a quarantine was made by a process whose locks this one
// sees: of this machine, since it was started.
func isOfThisRun(name string) bool {
	run, _, found := strings.Cut(strings.TrimPrefix(name, quarantinePrefix), ".")
	return found && run != "" && run == machineRun()
}

// machineRun names this run of the machine's kernel, all containers on it included;
// "" where it has no name.
func machineRun() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// notMissing is err unless it says that a file is not there.
func notMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
