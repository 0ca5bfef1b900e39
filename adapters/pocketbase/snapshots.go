package pocketbase

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Snapshot implements backend.Snapshots.
func (e *Engine) Snapshot(ctx context.Context, place backend.Place, id core.ID) (int64, error) {
	set, err := e.set(place)
	if err != nil {
		return 0, err
	}
	to, err := set.snapshot(id)
	if err != nil {
		return 0, err
	}
	var size int64
	err = set.alone(func(app *application) error {
		if err := app.copyTo(ctx, to); err != nil {
			return err
		}
		database, files, err := sizes(to)
		size = database + files
		return err
	})
	return size, err
}

// snapshot returns the directory of a snapshot.
func (s *dataSet) snapshot(id core.ID) (string, error) {
	if _, err := core.ParseID(string(id)); err != nil {
		return "", core.NotFound("snapshot")
	}
	return filepath.Join(s.snapshotsDir(), string(id)), nil
}

// copyTo copies the data into a new directory, durably and in one step. Nothing may change
// meanwhile.
func (a *application) copyTo(ctx context.Context, to string) error {
	parent := filepath.Dir(to)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return faultOf(err)
	}
	if _, err := os.Stat(to); err == nil {
		return core.Errorf(core.CodeConflict, "the snapshot exists already")
	}
	partial := to + ".new"
	if err := errors.Join(os.RemoveAll(partial), os.Mkdir(partial, 0o700)); err != nil {
		return faultOf(err)
	}
	_, err := a.NonconcurrentDB().NewQuery("VACUUM INTO {:path}").Bind(map[string]any{"path": filepath.Join(partial, "data.db")}).WithContext(ctx).Execute()
	if err == nil {
		err = linkFiles(filepath.Join(a.DataDir(), storageDir), filepath.Join(partial, storageDir))
	}
	if err == nil {
		err = syncTree(partial)
	}
	if err == nil {
		err = errors.Join(os.Rename(partial, to), durable.SyncDir(parent))
	}
	if err != nil {
		return errors.Join(core.Wrap(core.CodeUnavailable, err, "the data could not be copied"), os.RemoveAll(partial))
	}
	return nil
}

// linkFiles makes a copy of a tree of files with hard links. PocketBase never changes a file
// under its name.
func linkFiles(from, to string) error {
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, below), 0o700)
		case entry.Type().IsRegular():
			return os.Link(path, filepath.Join(to, below))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no file was ever uploaded
	}
	return err
}

// syncTree waits until the directories of a tree, and the files at its top, are on the disk.
func syncTree(root string) error {
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() && filepath.Dir(path) != root {
			return err
		}
		return durable.SyncDir(path)
	})
}

// Restore implements backend.Snapshots. The two directories are exchanged in one step.
func (e *Engine) Restore(_ context.Context, place backend.Place, id core.ID) error {
	set, err := e.set(place)
	if err != nil {
		return err
	}
	from, err := set.snapshot(id)
	if err != nil {
		return err
	}
	if _, err := os.Stat(from); err != nil {
		return durable.Fault(err, "snapshot")
	}
	return set.whileClosed(func() error { return set.replaceBy(from) })
}

// replaceBy makes the data a copy of a directory. The caller has closed the place.
func (s *dataSet) replaceBy(from string) error {
	fresh := s.dataDir() + ".new"
	err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700))
	if err == nil {
		err = copyFile(filepath.Join(from, "data.db"), filepath.Join(fresh, "data.db"))
	}
	if err == nil {
		err = linkFiles(filepath.Join(from, storageDir), filepath.Join(fresh, storageDir))
	}
	if err == nil {
		err = syncTree(fresh)
	}
	if err == nil {
		err = exchange(fresh, s.dataDir())
	}
	return faultOf(errors.Join(err, os.RemoveAll(fresh)))
}

// exchange puts a directory in the place of another, which gets its name, if there is one.
func exchange(fresh, present string) error {
	err := unix.Renameat2(unix.AT_FDCWD, fresh, unix.AT_FDCWD, present, unix.RENAME_EXCHANGE)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.Rename(fresh, present)
	}
	return errors.Join(err, durable.SyncDir(filepath.Dir(present)))
}

func copyFile(from, to string) error {
	content, err := os.Open(from)
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.ReadFrom(content)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Forget implements backend.Snapshots.
func (e *Engine) Forget(_ context.Context, place backend.Place, id core.ID) error {
	set, err := e.set(place)
	if err == nil {
		var at string
		if at, err = set.snapshot(id); err == nil {
			err = faultOf(os.RemoveAll(at))
		}
	}
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	return err
}

// Copy implements backend.Snapshots.
func (e *Engine) Copy(ctx context.Context, from, to backend.Place) error {
	source, err := e.set(from)
	if err != nil {
		return err
	}
	target, err := e.set(to)
	if err != nil {
		return err
	}
	staged := target.dataDir() + ".copy"
	if err := os.RemoveAll(staged); err != nil {
		return faultOf(err)
	}
	defer os.RemoveAll(staged)
	if err := source.alone(func(app *application) error { return app.copyTo(ctx, staged) }); err != nil {
		return err
	}
	if err := target.whileClosed(func() error { return target.replaceBy(staged) }); err != nil {
		return err
	}
	return target.alone(func(app *application) error { return app.endSessions() })
}

// endSessions makes all tokens of end users invalid.
func (a *application) endSessions() error {
	var collections []*pb.Collection
	if err := a.CollectionQuery().Where(nil).All(&collections); err != nil {
		return err
	}
	for _, collection := range collections {
		if !collection.IsAuth() {
			continue
		}
		for _, token := range secrets(collection) {
			token.Secret = security.RandomString(50)
		}
		if err := a.SaveNoValidate(collection); err != nil {
			return err
		}
	}
	return nil
}
