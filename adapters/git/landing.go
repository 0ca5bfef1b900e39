package git

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/atelierhq/atelier/adapters/git/objects"
	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// landing writes a set of files into a repository. After a crash no file is torn, and no
// file exists without those that were added before it. All files are written and synced
// aside, then renamed in order, then their directories are synced. If the power fails
// between the renames and the last sync, file systems with a journal keep the order;
// elsewhere Repair finds what is missing.
type landing struct {
	repo  *repository
	files []landed
}

type landed struct {
	temp, place string
	content     []byte
	mode        fs.FileMode
}

// add plans a file at place, a path in the repository.
func (l *landing) add(place string, content []byte, mode fs.FileMode) {
	l.files = append(l.files, landed{
		temp:    filepath.Join(l.repo.aside(), "tmp-"+string(core.NewID())),
		place:   filepath.Join(l.repo.git, place),
		content: content,
		mode:    mode,
	})
}

// land carries out the plan. After an error some of the files may be in place, in order,
// and none is left aside.
func (l *landing) land() error {
	failed := make([]error, len(l.files))
	durable.InParallel(len(l.files), func(i int) {
		failed[i] = l.files[i].write()
	})
	err := errors.Join(failed...)
	dirs := make(map[string]bool)
	for i := range l.files {
		if err == nil {
			err = l.move(l.files[i], dirs)
		}
		if err != nil {
			_ = os.Remove(l.files[i].temp)
		}
	}
	if err != nil {
		return l.cause(err)
	}
	return syncAll(dirs)
}

// cause explains why a file could not be moved into place. If the file has vanished from
// the aside folder, another process has taken over the project and cleared it.
func (l *landing) cause(err error) error {
	if lost := l.repo.check(); lost != nil {
		return lost
	}
	if errors.Is(err, fs.ErrNotExist) {
		return core.Wrap(core.CodeUnavailable, err, "the repository was repaired meanwhile: try again")
	}
	return err
}

// write writes the file aside. The index gets the clock's time, to the nanosecond, like the
// times of the files in it, with which git compares it.
func (f landed) write() error {
	if err := durable.WriteFile(f.temp, f.content, f.mode); err != nil {
		return err
	}
	if filepath.Base(f.place) != indexName {
		return nil
	}
	now := time.Now()
	return os.Chtimes(f.temp, now, now)
}

// move renames a file into place and records which directories changed.
func (l *landing) move(f landed, dirs map[string]bool) error {
	if err := l.repo.check(); err != nil {
		return err
	}
	dir := filepath.Dir(f.place)
	err := os.Rename(f.temp, f.place)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDirs(dir, dirs); err != nil {
			return err
		}
		err = os.Rename(f.temp, f.place)
	}
	dirs[dir] = true
	return err
}

// makeDirs creates a directory and its parents, and records which directories changed.
func makeDirs(dir string, dirs map[string]bool) error {
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDirs(filepath.Dir(dir), dirs); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	dirs[filepath.Dir(dir)] = true
	return nil
}

func syncAll(dirs map[string]bool) error {
	paths := make([]string, 0, len(dirs))
	for dir := range dirs {
		paths = append(paths, dir)
	}
	failed := make([]error, len(paths))
	durable.InParallel(len(paths), func(i int) { failed[i] = durable.SyncDir(paths[i]) })
	return errors.Join(failed...)
}

// packFrom is the number of objects from which on they are stored as one pack: two files
// to sync instead of one for each object. A lower number would litter the repository with
// small packs.
const packFrom = 20

// addObjects plans the storing of objects. It writes existing objects again: their files
// may be torn, or not yet on the disk.
func (l *landing) addObjects(stored []objects.Object) error {
	if len(stored) >= packFrom {
		return l.addPack(stored)
	}
	for _, object := range stored {
		loose, err := object.Loose()
		if err != nil {
			return err
		}
		l.add(objects.LoosePath(object.Hash), loose, 0o444)
	}
	return nil
}

// addPack plans one pack and its index. The index comes last: a pack without an index is
// ignored.
func (l *landing) addPack(stored []objects.Object) error {
	pack, err := objects.EncodePack(stored)
	if err != nil {
		return err
	}
	l.add(pack.Name+".pack", pack.Body, 0o444)
	l.add(pack.Name+".idx", pack.Index, 0o444)
	return nil
}
