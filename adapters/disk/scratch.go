package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// scratch is this process's folder for temporary files. A lock file beside it is locked
// for the life of the process. So the next process to start recognizes unused folders and
// removes them, without touching those of living processes that share the disk.
type scratch struct {
	dir  string
	lock *os.File
	last atomic.Uint64
}

const lockSuffix = ".lock"

func openScratch(parent string) (*scratch, error) {
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return nil, err
	}
	if err := removeStale(parent); err != nil {
		return nil, err
	}
	for {
		dir := filepath.Join(parent, string(core.NewID()))
		lock, err := takeLock(dir + lockSuffix)
		if err != nil {
			return nil, err
		}
		if lock == nil {
			continue
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, errors.Join(err, lock.Close())
		}
		return &scratch{dir: dir, lock: lock}, nil
	}
}

// name returns an unused path for a temporary file or directory.
func (s *scratch) name() string {
	return filepath.Join(s.dir, strconv.FormatUint(s.last.Add(1), 36))
}

// nameFor is name for a content on its way into a project; clear finds it by this name.
func (s *scratch) nameFor(project string) string {
	return filepath.Join(s.dir, project+"."+strconv.FormatUint(s.last.Add(1), 36))
}

// clear removes the temporary files of all processes for a project.
func (s *scratch) clear(project string) error {
	parent := filepath.Dir(s.dir)
	processes, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, process := range processes {
		if !process.IsDir() {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(parent, process.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, entry := range entries {
			if !strings.HasPrefix(entry.Name(), project+".") {
				continue
			}
			if err := os.Remove(filepath.Join(parent, process.Name(), entry.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// probeBytes is how much a probe writes. A disk with less free space counts as full.
const probeBytes = 64 << 10

// probe durably writes a file, moves it into folder, on the same disk, and removes it.
// All processes use the same name there, so that crashes leave at most one file.
func (s *scratch) probe(folder string) error {
	fresh, placed := s.name(), filepath.Join(folder, ".probe")
	defer os.Remove(fresh)
	if err := durable.WriteFile(fresh, make([]byte, probeBytes), 0o600); err != nil {
		return err
	}
	if err := os.Rename(fresh, placed); err != nil {
		return err
	}
	if err := os.Remove(placed); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func (s *scratch) close() error {
	return errors.Join(os.RemoveAll(s.dir), os.Remove(s.dir+lockSuffix), s.lock.Close())
}

// takeLock creates the lock file and locks it. The result is nil if a cleaner removed it
// between the two steps.
func takeLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = durable.Retried(func() error { return unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB) })
	if err != nil {
		_ = file.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, err
	}
	held, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if named, err := os.Lstat(path); err != nil || !os.SameFile(held, named) {
		return nil, file.Close()
	}
	return file, nil
}

// removeStale removes the folders whose lock nobody holds.
func removeStale(parent string) error {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), lockSuffix)
		if err := removeUnlocked(filepath.Join(parent, name)); err != nil {
			return err
		}
	}
	return nil
}

func removeUnlocked(dir string) error {
	lock, err := takeLock(dir + lockSuffix)
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.Remove(dir + lockSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
