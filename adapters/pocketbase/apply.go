package pocketbase

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	pb "github.com/pocketbase/pocketbase/core"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/pocketbase/views"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Apply implements backend.Engine.
func (e *Engine) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	set.owner.note(ctx)
	if err := checkStatements(schema); err != nil {
		return err
	}
	if err := set.create(); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the backend could not be created")
	}
	return set.alone(func(app *application) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return app.apply(schema, nil)
	})
}

// errDryRun rolls back the transaction of Check, and of a dry run of Insert.
var errDryRun = errors.New("dry run")

// Check implements backend.Engine. For a place that does not exist, it uses a temporary one.
func (e *Engine) Check(ctx context.Context, place backend.Place, schema backend.Schema) error {
	if err := checkStatements(schema); err != nil {
		return err
	}
	err := e.places.read(ctx, place, func(app *application) error { return app.apply(schema, errDryRun) })
	if core.IsCode(err, core.CodeNotFound) {
		err = e.checkFresh(ctx, place, schema)
	}
	if errors.Is(err, errDryRun) {
		return nil
	}
	return err
}

func (e *Engine) checkFresh(ctx context.Context, place backend.Place, schema backend.Schema) error {
	dir, err := os.MkdirTemp(e.config.Dir, "check-")
	if err != nil {
		return faultOf(err)
	}
	defer os.RemoveAll(dir)
	config := e.config
	config.owner = &owner{project: place.Project}
	config.owner.note(ctx)
	app, err := start(place, dir, dir, config)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the schema could not be checked")
	}
	err = app.apply(schema, errDryRun)
	if stopped := app.stop(); stopped != nil {
		e.config.Log.Warn("could not close a schema's check", "error", stopped)
	}
	return err
}

// create creates the directory of a place with an empty database.
func (s *dataSet) create() error {
	s.gate.Lock()
	defer s.gate.Unlock()
	if err := s.dir.exists(); !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	if s.retired.Load() {
		return notHeld()
	}
	if err := s.dir.isHeld(); err != nil {
		return err
	}
	fresh := s.dir.data() + ".new"
	if err := s.createIn(fresh); err != nil {
		return err
	}
	if err := os.Rename(fresh, s.dir.data()); err != nil {
		return err
	}
	return errors.Join(durable.SyncDir(s.dir.root), durable.SyncDir(filepath.Dir(s.dir.root)))
}

// createIn creates a directory with an empty database.
func (s *dataSet) createIn(fresh string) error {
	made := fresh
	if s.dir.work != "" {
		made = s.dir.live() + ".new"
	}
	if err := errors.Join(os.RemoveAll(fresh), os.MkdirAll(fresh, 0o700), os.RemoveAll(made), os.MkdirAll(made, 0o700)); err != nil {
		return err
	}
	app, err := start(s.place, made, made, *s.config)
	if err != nil {
		return err
	}
	if err := app.stop(); err != nil || made == fresh {
		return err
	}
	return publish(made, fresh)
}

// apply replaces the collections by those of a schema, in one transaction. If outcome is
// not nil, it is a dry run that returns outcome.
func (a *application) apply(schema backend.Schema, outcome error) error {
	err := a.RunInTransaction(func(tx pb.App) error {
		if err := replaceCollections(tx, schema); err != nil {
			return err
		}
		return outcome
	})
	err = a.withLimit(err)
	if reload := a.ReloadCachedCollections(); reload != nil {
		return errors.Join(err, reload)
	}
	return err
}

// replaceCollections removes, saves and then validates, because collections may refer to
// each other in any order.
func replaceCollections(tx pb.App, schema backend.Schema) error {
	var present []*pb.Collection
	if err := tx.CollectionQuery().All(&present); err != nil {
		return err
	}
	if err := views.Loosen(tx.DB()); err != nil {
		return err
	}
	for _, collection := range present {
		collection.IntegrityChecks(false)
	}
	if err := removeMissing(tx, present, schema); err != nil {
		return err
	}
	if err := stepAside(tx, present, schema); err != nil {
		return err
	}
	built, err := buildAll(tx, schema)
	if err != nil {
		return err
	}
	for _, collection := range built {
		if err := tx.SaveNoValidate(collection); err != nil {
			return saveProblem(err, collection)
		}
	}
	// Validation runs the queries of views.
	ctx := context.Background()
	if err := views.Check(ctx, tx); err != nil {
		return err
	}
	for _, collection := range built {
		if err := tx.Validate(collection); err != nil {
			return problemOf(err, collection)
		}
	}
	if err := views.Tighten(ctx, tx); err != nil {
		return err
	}
	return keepSchema(tx, schema)
}

func removeMissing(tx pb.App, present []*pb.Collection, schema backend.Schema) error {
	wanted := make(map[string]bool, len(schema.Collections))
	for _, collection := range schema.Collections {
		wanted[collection.ID] = true
	}
	for _, collection := range present {
		if collection.System || wanted[collection.Id] {
			continue
		}
		if err := tx.Delete(collection); err != nil {
			return fmt.Errorf("remove collection %s: %w", collection.Name, err)
		}
	}
	return nil
}

// stepAside gives collections temporary names whose present names others get, so that collections
// exchange their names in any order.
func stepAside(tx pb.App, present []*pb.Collection, schema backend.Schema) error {
	wanted := make(map[string]string, len(schema.Collections))
	for _, collection := range schema.Collections {
		wanted[strings.ToLower(collection.Name)] = collection.ID
	}
	for _, collection := range present {
		next, isTaken := wanted[strings.ToLower(collection.Name)]
		isKept := slices.ContainsFunc(schema.Collections, func(c backend.Collection) bool { return c.ID == collection.Id })
		if !isTaken || next == collection.Id || !isKept || collection.System {
			continue
		}
		aside := *collection
		aside.Name = "aside_" + collection.Id
		if err := tx.SaveNoValidate(&aside); err != nil {
			return fmt.Errorf("rename collection %s: %w", collection.Name, err)
		}
	}
	return nil
}

// buildAll builds the schema's collections. Views come last, because they read the others.
func buildAll(tx pb.App, schema backend.Schema) ([]*pb.Collection, error) {
	var tables, views []*pb.Collection
	for _, from := range schema.Collections {
		existing, err := tx.FindCollectionByNameOrId(from.ID)
		if err != nil || existing.Id != from.ID {
			existing = nil
		}
		if existing != nil && existing.System {
			return nil, &backend.Problem{Collection: from.Name, Member: "id", Message: "This id is reserved."}
		}
		if existing != nil && existing.Type != string(from.Type) {
			return nil, &backend.Problem{Collection: from.Name, Member: "type", Message: "The type of a collection cannot change."}
		}
		built, err := build(from, existing)
		if err != nil {
			return nil, err
		}
		built.IntegrityChecks(false)
		if from.Type == backend.View {
			views = append(views, built)
		} else {
			tables = append(tables, built)
		}
	}
	return append(tables, views...), nil
}

// saveProblem explains why a collection could not be saved: usually SQLite rejects a query
// or an index, or values are not unique.
func saveProblem(err error, collection *pb.Collection) error {
	problem := problemOf(err, collection)
	if problem.Member == "" && collection.IsView() {
		problem.Member = "viewQuery"
	}
	return problem
}

// faultOf gives an error of the disk its code.
func faultOf(err error) error { return durable.Fault(err, "backend") }
