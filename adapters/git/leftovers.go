package git

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/git/quarantine"
)

const (
	// staleAfter is the age at which a lock or temporary file of another program counts
	// as abandoned. The stock git client holds its own for milliseconds; only a hook or
	// an editor makes it minutes.
	staleAfter = 10 * time.Minute

	// clockTick is how far the time of a fresh file may lag behind the clock: the kernel
	// takes file times from its timer ticks.
	clockTick = 10 * time.Millisecond

	// tornWithin is how long before the newest object others were written that a power
	// cut may have torn: the kernel writes dirty pages to the disk within a minute.
	tornWithin = 10 * time.Minute
)

// leftovers is what a crash, of this adapter or of a stock client, left behind in a
// repository.
type leftovers struct {
	dir gitdir.Dir
	// started is when the adapter was made.
	started time.Time
}

// clear removes the leftovers. The caller holds the project's lock, so nobody uses any
// leftovers of this package. Quarantines are the exception: they are filled without the
// lock (see adapters/git/quarantine). Leftovers of the stock git client are removed only if no process of
// this machine has them open and they are older than this adapter or than staleAfter. So a
// client at work keeps its lock.
func (l leftovers) clear() error {
	if err := l.clearAside(); err != nil {
		return err
	}
	if err := l.clearLocks(); err != nil {
		return err
	}
	return l.clearObjects()
}

// clearAside empties the adapter's own folder, except for what is in use.
func (l leftovers) clearAside() error {
	entries, err := os.ReadDir(l.dir.Aside())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		switch {
		case entry.Name() == gitdir.LockFile || entry.Name() == arrivalNote:
		case quarantine.Is(entry):
			err = quarantine.Clear(l.dir, entry)
		default:
			err = os.RemoveAll(l.dir.Aside(entry.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clearLocks removes stale locks beside HEAD, the index and the refs.
func (l leftovers) clearLocks() error {
	return filepath.WalkDir(l.dir.Path(), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && (path == l.dir.Path("objects") || path == l.dir.Aside()):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".lock":
			return nil
		case l.dir.OwnsLock(path):
			return gitdir.Remove(path)
		}
		return l.removeIfStale(path)
	})
}

// clearObjects removes half-written objects and packs, and torn objects. Torn objects
// hold nothing, and staging their content again writes them again.
func (l leftovers) clearObjects() error {
	objects := l.dir.Path("objects")
	var loose []looseFile
	var newest time.Time
	err := filepath.WalkDir(objects, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if strings.HasPrefix(entry.Name(), "tmp_") || isPackWithoutIndex(path) || strings.HasSuffix(path, ".lock") {
			return l.removeIfStale(path)
		}
		if !isLoosePath(path) {
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			loose = append(loose, looseFile{path, info.Size(), info.ModTime()})
			if info.ModTime().After(newest) {
				newest = info.ModTime()
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, file := range loose {
		if file.torn(newest.Add(-tornWithin)) {
			if err := gitdir.Remove(file.path); err != nil {
				return err
			}
		}
	}
	return nil
}

type looseFile struct {
	path     string
	size     int64
	modified time.Time
}

// torn reports whether an object cannot be read. It reads only objects that were written
// since a time.
func (f looseFile) torn(since time.Time) bool {
	if f.size == 0 {
		return true
	}
	if f.modified.Before(since) {
		return false
	}
	_, _, err := objects.ReadLoose(f.path)
	return errors.Is(err, objects.ErrDamaged)
}

func isLoosePath(path string) bool {
	folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path)
	_, err := hex.DecodeString(folder + name)
	return err == nil && len(folder) == 2 && len(name) == 38
}

func isPackWithoutIndex(path string) bool {
	base, isPack := strings.CutSuffix(path, ".pack")
	if !isPack {
		return false
	}
	_, err := os.Lstat(base + ".idx")
	return errors.Is(err, fs.ErrNotExist)
}

// removeIfStale removes a file of another program if it is certainly abandoned.
func (l leftovers) removeIfStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	old := info.ModTime().Before(l.started.Add(-clockTick)) || time.Since(info.ModTime()) > staleAfter
	if !old || isOpen(path) {
		return nil
	}
	return gitdir.Remove(path)
}

// isOpen reports whether a process of this machine has the file open. If that cannot be
// found out, it returns true.
func isOpen(path string) bool {
	processes, err := os.ReadDir("/proc")
	if err != nil {
		return true
	}
	for _, process := range processes {
		if _, err := strconv.Atoi(process.Name()); err != nil {
			continue
		}
		folder := filepath.Join("/proc", process.Name(), "fd")
		// Processes that have ended, or belong to another user, show nothing.
		descriptors, _ := os.ReadDir(folder)
		for _, descriptor := range descriptors {
			if target, err := os.Readlink(filepath.Join(folder, descriptor.Name())); err == nil && target == path {
				return true
			}
		}
	}
	return false
}
