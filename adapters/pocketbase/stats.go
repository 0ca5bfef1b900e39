package pocketbase

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place backend.Place) (backend.Stats, error) {
	stats := backend.Stats{Collections: make(map[string]int64)}
	err := e.read(ctx, place, func(app *application) error {
		var collections []*pb.Collection
		if err := app.CollectionQuery().All(&collections); err != nil {
			return err
		}
		for _, collection := range collections {
			if collection.System || collection.IsView() {
				continue
			}
			count, err := app.CountRecords(collection)
			if err != nil {
				return err
			}
			stats.Collections[collection.Name] = count
			stats.Records += count
			if collection.IsAuth() {
				stats.Users += count
			}
		}
		var err error
		stats.Bytes, stats.FileBytes, err = sizes(app.DataDir())
		return err
	})
	return stats, err
}

// sizes returns the bytes of the database in a data directory, and those of the files.
func sizes(dir string) (database, files int64, err error) {
	database, err = sizeOf(dir, func(path string) bool { return filepath.Base(path) != storageDir })
	if err != nil {
		return 0, 0, err
	}
	files, err = sizeOf(filepath.Join(dir, storageDir), func(string) bool { return true })
	return database, files, err
}

// storageDir is PocketBase's directory of files.
const storageDir = "storage"

// sizeOf adds up the files below a directory, without those directories that enter refuses.
func sizeOf(dir string, enter func(path string) bool) (int64, error) {
	var size int64
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // removed meanwhile
		case err != nil:
			return err
		case entry.IsDir() && !enter(path):
			return filepath.SkipDir
		case entry.IsDir():
			return nil
		}
		info, err := entry.Info()
		if err == nil {
			size += info.Size()
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	return size, err
}

// checkRoom refuses an upload to a place whose files have reached their limit. The database
// has a bound of its own (connect).
func (s *dataSet) checkRoom(method string, bytes int64) error {
	// Bodies without files are small.
	if bytes < 64<<10 || method != "POST" && method != "PATCH" && method != "PUT" {
		return nil
	}
	used, err := sizeOf(filepath.Join(s.dataDir(), storageDir), func(string) bool { return true })
	if err != nil {
		return faultOf(err)
	}
	if used+bytes > s.config.Limits.FileBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the files of this application have reached their limit of %d MiB", s.config.Limits.FileBytes>>20)
	}
	return nil
}

// Remove implements backend.Engine.
func (e *Engine) Remove(_ context.Context, place backend.Place) error {
	if place.Env == "" {
		return e.removeProject(place.Project)
	}
	set, err := e.set(place)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return set.whileClosed(func() error { return faultOf(os.RemoveAll(set.dir)) })
}

func (e *Engine) removeProject(project core.ID) error {
	if _, err := core.ParseID(string(project)); err != nil {
		return nil
	}
	var errs []error
	for _, set := range e.all() {
		if set.place.Project == project {
			errs = append(errs, set.whileClosed(func() error { return faultOf(os.RemoveAll(set.dir)) }))
		}
	}
	errs = append(errs, faultOf(os.RemoveAll(filepath.Join(e.config.Dir, string(project)))))
	return errors.Join(errs...)
}
