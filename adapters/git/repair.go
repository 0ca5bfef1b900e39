package git

import (
	"context"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/git/index"
	"github.com/atelierhq/atelier/adapters/git/objects"
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

// repair clears what a crash left behind. The caller holds the project's lock, so nobody
// uses any leftovers of this package. Quarantines are the exception: they are filled
// without the lock (see makeHeld). Leftovers of the stock git client are removed only if
// no process of this machine has them open and they are older than this adapter or than
// staleAfter. So a client at work keeps its lock.
func (r *repository) repair(ctx context.Context) (rebuilt bool, err error) {
	if err := r.check(); err != nil {
		return false, err
	}
	if err := r.clearAside(); err != nil {
		return false, err
	}
	if err := r.clearLocks(); err != nil {
		return false, err
	}
	if err := r.clearObjects(); err != nil {
		return false, err
	}
	release, err := r.lock(ctx, filepath.Join(r.git, indexName))
	if err != nil {
		return false, err
	}
	defer release()
	sound, err := r.indexIsSound()
	if err != nil || sound {
		return false, err
	}
	return true, r.rebuildIndex()
}

func (r *repository) clearAside() error {
	entries, err := os.ReadDir(r.aside())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, entry := range entries {
		switch {
		case entry.Name() == lockName || entry.Name() == arrivingName:
		case isQuarantine(entry):
			err = r.clearQuarantine(entry)
		default:
			err = os.RemoveAll(filepath.Join(r.aside(), entry.Name()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// clearLocks removes stale locks beside HEAD, the index and the refs.
func (r *repository) clearLocks() error {
	return filepath.WalkDir(r.git, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case entry.IsDir() && (path == filepath.Join(r.git, "objects") || path == r.aside()):
			return filepath.SkipDir
		case entry.IsDir() || filepath.Ext(path) != ".lock":
			return nil
		case r.ownLock(path):
			return removeFile(path)
		}
		return r.removeIfStale(path)
	})
}

// clearObjects removes half-written objects and packs, and torn objects. Torn objects
// hold nothing, and staging their content again writes them again.
func (r *repository) clearObjects() error {
	objects := filepath.Join(r.git, "objects")
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
			return r.removeIfStale(path)
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
			if err := removeFile(file.path); err != nil {
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
func (r *repository) removeIfStale(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	old := info.ModTime().Before(r.started.Add(-clockTick)) || time.Since(info.ModTime()) > staleAfter
	if !old || isOpen(path) {
		return nil
	}
	return removeFile(path)
}

func removeFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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

// indexIsSound reports whether the index can be read and every blob exists that the index
// names and the last version does not have.
func (r *repository) indexIsSound() (bool, error) {
	staged, err := r.readIndex()
	if errors.Is(err, index.ErrUnreadable) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, last, err := r.last()
	if err != nil {
		return false, err
	}
	root, err := staged.Tree()
	if err != nil {
		// A merge that the stock git client left open is no damage.
		return true, nil
	}
	changes, err := r.objects.Difference(last.Tree, root)
	if err != nil {
		return false, err
	}
	for _, file := range changes.Files {
		if file.Mode&unix.S_IFMT == unix.S_IFREG && !r.objects.Has(plumbing.BlobObject, file.Hash) {
			return false, nil
		}
	}
	return true, nil
}

// rebuildIndex builds an index from the last version. Its entries match no file, so git
// looks at the content of every file.
func (r *repository) rebuildIndex() error {
	_, last, err := r.last()
	if err != nil {
		return err
	}
	edits, err := r.listTree(nil, "", last.Tree)
	if err != nil {
		return err
	}
	empty := index.New()
	l := landing{repo: r}
	l.add(indexName, empty.Encode(edits), 0o644)
	return l.land()
}

// listTree appends an edit for every file of a stored tree, in the order of the index.
func (r *repository) listTree(edits []index.Edit, prefix string, hash plumbing.Hash) ([]index.Edit, error) {
	children, err := r.objects.ReadTree(hash)
	if err != nil {
		return nil, err
	}
	for _, child := range children {
		name := prefix + child.Name
		if !child.IsTree() {
			edits = append(edits, index.Edit{Name: name, Entry: index.NewEntry(name, child.Hash, child.Mode, unix.Stat_t{})})
			continue
		}
		if edits, err = r.listTree(edits, name+"/", child.Hash); err != nil {
			return nil, err
		}
	}
	return edits, nil
}
