package pocketbase

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Stats implements backend.Engine.
func (e *Engine) Stats(ctx context.Context, place backend.Place) (backend.Stats, error) {
	stats := backend.Stats{Collections: make(map[string]int64)}
	err := e.places.read(ctx, place, func(app *application) error {
		var collections []*pb.Collection
		if err := app.CollectionQuery().All(&collections); err != nil {
			return core.Wrap(core.CodeUnavailable, err, "the records could not be read")
		}
		for _, collection := range collections {
			if collection.System || collection.IsView() {
				continue
			}
			count, err := app.CountRecords(collection)
			if err != nil {
				return core.Wrap(core.CodeUnavailable, err, "the records could not be read")
			}
			stats.Collections[collection.Name] = count
			stats.Records += count
			if collection.IsAuth() {
				stats.Users += count
			}
		}
		var err error
		stats.Bytes, stats.FileBytes, err = sizes(app.dir, app.files)
		return err
	})
	return stats, err
}

// gauge tells what is open.
type gauge struct{ of *places }

// Load implements backend.LoadGauge.
func (g gauge) Load(ctx context.Context) (backend.Load, error) {
	var load backend.Load
	for _, set := range g.of.all() {
		app := set.present()
		if app == nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return backend.Load{}, err
		}
		size, err := sizeOf(app.dir, func(path string) bool { return filepath.Base(path) != storageDir })
		if err != nil {
			return backend.Load{}, faultOf(err)
		}
		load.Open++
		load.Bytes += size
	}
	return load, nil
}

// checkRoom rejects an upload if the files of a place have reached their limit. The
// database has a separate limit (connect).
func (s *dataSet) checkRoom(method string, bytes int64) error {
	// Bodies without files are small.
	if bytes < 64<<10 || method != "POST" && method != "PATCH" && method != "PUT" {
		return nil
	}
	used, err := sizeOf(s.dir.files(), func(string) bool { return true })
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
	set, done, err := e.places.use(place)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer done()
	return set.whileClosed(set.dir.remove)
}

func (e *Engine) removeProject(project core.ID) error {
	if _, err := core.ParseID(string(project)); err != nil {
		return nil
	}
	var errs []error
	for _, set := range e.places.all() {
		if set.place.Project == project {
			errs = append(errs, set.whileClosed(set.dir.remove))
		}
	}
	if e.config.Shared != "" {
		return errors.Join(append(errs, e.places.removeShared(project))...)
	}
	errs = append(errs, faultOf(os.RemoveAll(filepath.Join(e.config.Dir, string(project)))))
	return errors.Join(errs...)
}
