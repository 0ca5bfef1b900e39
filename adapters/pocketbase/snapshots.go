package pocketbase

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/pocketbase/dbx"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/pocketbase/views"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Snapshot implements backend.Snapshots.
func (e *Engine) Snapshot(ctx context.Context, place backend.Place, id core.ID) (int64, error) {
	set, done, err := e.places.use(place)
	if err != nil {
		return 0, err
	}
	defer done()
	to, err := set.dir.snapshot(id)
	if err != nil {
		return 0, err
	}
	var size int64
	err = set.alone(func(app *application) error {
		if err := app.copyTo(ctx, set.dir, to); err != nil {
			return err
		}
		database, files, err := sizes(to, filepath.Join(to, storageDir))
		size = database + files
		return err
	})
	return size, err
}

// copyTo copies the data to a new directory, durably and atomically, by way of the scratch directory of
// a place. Nothing may change meanwhile.
func (a *application) copyTo(ctx context.Context, by directory, to string) (err error) {
	parent := filepath.Dir(to)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return faultOf(err)
	}
	if _, err := os.Stat(to); err == nil {
		return core.Errorf(core.CodeConflict, "the snapshot exists already")
	}
	partial, err := by.scratch()
	if err != nil {
		return err
	}
	whole, cancel := withoutDeadline(ctx)
	defer cancel()
	_, err = a.NonconcurrentDB().NewQuery("VACUUM INTO {:path}").Bind(map[string]any{"path": filepath.Join(partial, "data.db")}).WithContext(whole).Execute()
	if err == nil {
		err = linkFiles(a.files, filepath.Join(partial, storageDir))
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

// Restore implements backend.Snapshots. It exchanges the two directories atomically.
func (e *Engine) Restore(_ context.Context, place backend.Place, id core.ID) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	from, err := set.dir.snapshot(id)
	if err != nil {
		return err
	}
	if _, err := os.Stat(from); err != nil {
		return durable.Fault(err, "snapshot")
	}
	return set.whileClosed(func() error { return set.dir.replaceBy(from) })
}

// Forget implements backend.Snapshots.
func (e *Engine) Forget(_ context.Context, place backend.Place, id core.ID) error {
	set, done, err := e.places.use(place)
	if err == nil {
		defer done()
		var at string
		if at, err = set.dir.snapshot(id); err == nil {
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
	source, doneSource, err := e.places.use(from)
	if err != nil {
		return err
	}
	defer doneSource()
	target, doneTarget, err := e.places.use(to)
	if err != nil {
		return err
	}
	defer doneTarget()
	staged := target.dir.data() + ".copy"
	if err := os.RemoveAll(staged); err != nil {
		return faultOf(err)
	}
	defer os.RemoveAll(staged)
	if err := source.alone(func(app *application) error { return app.copyTo(ctx, target.dir, staged) }); err != nil {
		return err
	}
	if err := target.whileClosed(func() error { return target.dir.replaceBy(staged) }); err != nil {
		return err
	}
	return target.alone(func(app *application) error { return app.endSessions() })
}

// endSessions invalidates all tokens of end users.
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

// Export implements backend.Snapshots.
func (e *Engine) Export(ctx context.Context, place backend.Place, to io.Writer) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	// Links to the files are of one file system.
	staged, err := set.dir.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(staged)
	root := filepath.Join(staged, "pb_data")
	if err := set.alone(func(app *application) error { return app.copyTo(ctx, set.dir, root) }); err != nil {
		return err
	}
	if err := loosenViews(filepath.Join(root, "data.db")); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the data could not be exported")
	}
	archive := tar.NewWriter(to)
	return errors.Join(archive.AddFS(os.DirFS(staged)), archive.Close())
}

// loosenViews gives a database the views that PocketBase itself makes: it could not change tables
// that others read.
func loosenViews(path string) error {
	db, err := dbx.Open("sqlite", path)
	if err != nil {
		return err
	}
	return errors.Join(views.Loosen(db), db.Close())
}
