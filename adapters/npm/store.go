package npm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/core"
)

// store is the directory whose layout the package comment shows.
type store struct{ dir string }

// The parts of a store.
const (
	contentDir    = "content"
	instancesDir  = "v"
	setsDir       = "sets"
	locksDir      = "locks"
	tarballsDir   = "tarballs"
	packumentsDir = "packuments"
	unsyncedDir   = "unsynced"
	tmpDir        = "tmp"
)

// notes returns the notes of what may not be on the disk yet.
func (s *store) notes() syncNotes { return syncNotes{s} }

func (s *store) path(parts ...string) string {
	return filepath.Join(append([]string{s.dir}, parts...)...)
}

// has reports whether a directory of the store exists. It is then complete, because it
// was renamed into place.
func (s *store) has(parts ...string) bool {
	_, err := os.Lstat(s.path(parts...))
	return err == nil
}

// scratch creates an empty directory in tmp.
func (s *store) scratch() (string, error) {
	dir, err := os.MkdirTemp(s.path(tmpDir), "")
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o755)
}

// adopt renames a directory of tmp into place. If another process was first, the existing
// one stays: names are derived from content, so both are the same.
func (s *store) adopt(tmp string, parts ...string) error {
	err := os.Rename(tmp, s.path(parts...))
	if err != nil && s.has(parts...) {
		return os.RemoveAll(tmp)
	}
	return err
}

// lockFile is the form of a lock on the disk.
type lockFile struct {
	Format int  `json:"format"`
	Lock   lock `json:"lock"`
}

const lockFormat = 1

// readLock returns the lock of a set of ranges, if it exists.
func (s *store) readLock(ranges string) (lock, bool, error) {
	text, err := os.ReadFile(s.path(locksDir, ranges+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return lock{}, false, nil
	}
	if err != nil {
		return lock{}, false, core.Wrap(core.CodeUnavailable, err, "the package store cannot be read")
	}
	var file lockFile
	if err := json.Unmarshal(text, &file); err != nil {
		return lock{}, false, core.Wrap(core.CodeUnavailable, err, "a lock of the package store is damaged: %s", ranges)
	}
	if file.Format != lockFormat || !file.Lock.sound() {
		return lock{}, false, core.Errorf(core.CodeUnavailable, "a lock of the package store is damaged: %s", ranges)
	}
	return file.Lock, true, nil
}

// writeLock stores a lock durably. The first writer for the ranges wins; all others get
// the winner's lock.
func (s *store) writeLock(ranges string, resolved lock) (winner *lock, err error) {
	text, err := json.MarshalIndent(lockFile{lockFormat, resolved}, "", "\t")
	if err != nil {
		return nil, err
	}
	taken, err := s.linkDurably(text, s.path(locksDir, ranges+".json"))
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the package store cannot be written")
	}
	if !taken {
		return nil, nil
	}
	theirs, found, err := s.readLock(ranges)
	if err == nil && !found {
		err = core.Errorf(core.CodeUnavailable, "a lock of the package store disappeared: %s", ranges)
	}
	return &theirs, err
}

// linkDurably writes a file that survives a power cut under a name that is free. taken
// reports that the name was not free.
func (s *store) linkDurably(content []byte, path string) (taken bool, err error) {
	file, err := os.CreateTemp(s.path(tmpDir), "")
	if err != nil {
		return false, err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return false, err
	}
	err = os.Link(file.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, syncDir(filepath.Dir(path))
}

// replace atomically replaces a file.
func (s *store) replace(content []byte, parts ...string) error {
	file, err := os.CreateTemp(s.path(tmpDir), "")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), s.path(parts...))
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
