package gitdir

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

// Batch writes a set of files into a repository. After a crash no file is torn, and no
// file exists without those that were added before it. All files are written and synced
// aside, then renamed in order, then their directories are synced. If the power fails
// between the renames and the last sync, file systems with a journal keep the order;
// elsewhere a repair finds what is missing.
type Batch struct {
	dir   Dir
	files []batchFile
}

// batchFile is a file of a batch: temp is its path before it is renamed to path.
type batchFile struct {
	temp, path string
	content    []byte
	mode       fs.FileMode
	isIndex    bool
}

// NewBatch returns an empty batch.
func (d Dir) NewBatch() *Batch { return &Batch{dir: d} }

// add plans a file with a name in the repository.
func (b *Batch) add(name string, content []byte, mode fs.FileMode) {
	b.files = append(b.files, batchFile{
		temp:    b.dir.Aside("tmp-" + string(core.NewID())),
		path:    b.dir.Path(name),
		content: content,
		mode:    mode,
	})
}

// AddNote plans a note in the adapter's own folder.
func (b *Batch) AddNote(name string, content []byte) {
	b.add(filepath.Join(asideDir, name), content, 0o644)
}

// MinPackObjects is the number of objects from which on they are stored as one pack: two
// files to sync instead of one for each object. A lower number would litter the repository
// with small packs.
const MinPackObjects = 20

// AddObjects plans the storing of objects. It writes existing objects again: their files
// may be torn, or not yet on the disk.
func (b *Batch) AddObjects(stored []objects.Object) error {
	if len(stored) >= MinPackObjects {
		return b.addPack(stored)
	}
	for _, object := range stored {
		loose, err := object.Loose()
		if err != nil {
			return err
		}
		b.add(objects.LoosePath(object.Hash), loose, 0o444)
	}
	return nil
}

// addPack plans one pack and its index.
func (b *Batch) addPack(stored []objects.Object) error {
	pack, err := objects.EncodePack(stored)
	if err != nil {
		return err
	}
	b.add(pack.Name+".pack", pack.Body, 0o444)
	b.AddPackIndex(pack.Name, pack.Index)
	return nil
}

// AddPackIndex plans the index of a pack with a name in the repository. The index comes
// after the pack: a pack without an index is ignored.
func (b *Batch) AddPackIndex(name string, content []byte) {
	b.add(name+".idx", content, 0o444)
}

// Write carries out the plan. After an error some of the files may be in place, in order,
// and none is left aside.
func (b *Batch) Write() error {
	failed := make([]error, len(b.files))
	durable.InParallel(len(b.files), func(i int) {
		failed[i] = b.files[i].write()
	})
	err := errors.Join(failed...)
	dirs := make(map[string]bool)
	for i := range b.files {
		if err == nil {
			err = b.rename(b.files[i], dirs)
		}
		if err != nil {
			_ = os.Remove(b.files[i].temp)
		}
	}
	if err != nil {
		return b.explain(err)
	}
	return syncAll(dirs)
}

// explain says why a file could not be renamed into place. If the file has vanished from
// the aside folder, another process has taken over the project and cleared it.
func (b *Batch) explain(err error) error {
	if lost := b.dir.check(); lost != nil {
		return lost
	}
	if errors.Is(err, fs.ErrNotExist) {
		return core.Wrap(core.CodeUnavailable, err, "the repository was repaired in the meantime: try again")
	}
	return err
}

// write writes the file aside. The index gets the clock's time, to the nanosecond, like the
// times of the files in it, with which git compares it.
func (f batchFile) write() error {
	if err := durable.WriteFile(f.temp, f.content, f.mode); err != nil {
		return err
	}
	if !f.isIndex {
		return nil
	}
	now := time.Now()
	return os.Chtimes(f.temp, now, now)
}

// rename renames a file into place and records which directories changed.
func (b *Batch) rename(f batchFile, dirs map[string]bool) error {
	if err := b.dir.check(); err != nil {
		return err
	}
	dir := filepath.Dir(f.path)
	err := os.Rename(f.temp, f.path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeDirs(dir, dirs); err != nil {
			return err
		}
		err = os.Rename(f.temp, f.path)
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
