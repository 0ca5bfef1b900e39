package backends

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/calllog"
	"github.com/atelierhq/atelier/core/datachanges"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// Files reads and writes projects' files; files.Pipeline implements it.
type Files interface {
	Open(ctx context.Context, at core.FileAt) (*files.File, error)
	Apply(ctx context.Context, project core.ID, by core.Author, changes []core.FileChange, guard files.Guard) ([]files.Result, error)
}

// Engine is all of an engine.
type Engine interface {
	backend.Engine
	backend.Lists
	backend.Queries
	backend.Snapshots
	backend.Switches
	backend.Transfers
}

// Deps has the dependencies of a Service. Log gets failures that do not change the answer to the caller.
type Deps struct {
	Store  storage.Store
	Gate   *access.Gate
	Files  Files
	Engine Engine
	// Locks are shared with other processes that use the same store; nil for a process alone.
	Locks locks.Locker
	Audit *audit.Log
	// Calls logs the requests of pages; nil logs none.
	Calls *calllog.Log
	// Changes tells members of changed records; nil tells nobody.
	Changes *datachanges.Announcer
	// Hooks tells webhooks of findings that refuse a publish; nil tells none.
	Hooks *webhooks.Queue
	Now   func() time.Time
	Log   *slog.Logger
}

// Service has the use cases of backends, by topic. It may be used by many goroutines.
type Service struct {
	*Schemas
	*Proposals
	*Records
	*Releases
	*Snapshots
	*Inspections
	*Rehearsals
	engine  Engine
	calls   *calllog.Log
	changes *datachanges.Announcer
	upkeep  upkeep
}

// New returns a service over the ports.
func New(deps Deps) *Service {
	asks := client{deps.Engine, deps.Changes}
	schemas := &Schemas{deps: deps, client: asks, synced: newSyncState()}
	inspections := &Inspections{deps: deps, schemas: schemas}
	releases := &Releases{deps, schemas, inspections, snapshotNotes{deps}, newSwitching()}
	upkeep := upkeep{schemas, releases, deps.Log}
	return &Service{
		Schemas: schemas, Proposals: &Proposals{deps, schemas}, Records: &Records{deps, asks, upkeep}, Releases: releases, Snapshots: newSnapshots(deps, releases, upkeep),
		Inspections: inspections, Rehearsals: &Rehearsals{deps, schemas, asks}, engine: deps.Engine, calls: deps.Calls, changes: deps.Changes, upkeep: upkeep,
	}
}

// Serve answers a page's request under /_data/: with test data for previews, and live data
// for published sites. The caller has found the project by the request's host. Without a
// backend, the answer is 404.
func (s *Service) Serve(w http.ResponseWriter, r *http.Request, place backend.Place) {
	s.upkeep.prepare(r.Context(), place)
	inner := r.Clone(r.Context())
	inner.URL.Path = "/api/" + belowData(r.URL.Path)
	inner.URL.RawPath = ""
	calls := s.calls
	if place.Copy != "" {
		calls = nil // people did not make these requests
	}
	defer s.changes.Answered(inner, place)
	calls.Watch(w, r, place, func(w http.ResponseWriter) { s.engine.Serve(w, inner, place, backend.Identity{}) })
}

// ServeFunction answers a request of one of the project's functions, in PocketBase's API.
// The path of r begins with /api/.
func (s *Service) ServeFunction(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	s.upkeep.prepare(r.Context(), place)
	defer s.changes.Answered(r, place)
	s.engine.Serve(calllog.WithoutUser(w), r, place, as)
}

// upkeep does the work that is due before data is read or changed.
type upkeep struct {
	schemas  *Schemas
	releases *Releases
	log      *slog.Logger
}

// prepare updates test data, and settles a switch of live data that a crash left open. If
// it fails, the engine answers with the present data.
func (u upkeep) prepare(ctx context.Context, place backend.Place) {
	var err error
	switch {
	case place.Copy != "":
		return // a copy stays as it was made
	case place.Env == core.DataLive:
		err = u.releases.examine(ctx, place.Project)
	default:
		_, err = u.schemas.Sync(ctx, place.Project)
	}
	if err != nil && ctx.Err() == nil {
		u.log.WarnContext(ctx, "could not prepare a backend", "project", place.Project, "env", place.Env, "error", err)
	}
}

// The paths of a page's host that belong to its backend.
const (
	DataPrefix      = "/_data/"
	FunctionsPrefix = "/_fn/"
)

// belowData returns the part of PocketBase's path after /api/. Its client requests
// /_data/api/collections/… if its address is /_data. The part api/ is optional.
func belowData(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, DataPrefix), "api/")
}

// readFile returns a file of the project, and false if it does not exist.
func (s *Schemas) readFile(ctx context.Context, project core.ID, name string) ([]byte, bool, error) {
	path, err := core.ParsePath(name)
	if err != nil {
		return nil, false, err
	}
	file, err := s.deps.Files.Open(ctx, core.FileAt{Project: project, Path: path})
	if core.IsCode(err, core.CodeNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, MaxSchemaBytes+1))
	if err != nil {
		return nil, false, core.Wrap(core.CodeUnavailable, err, "the file %s could not be read", name)
	}
	return text, true, nil
}
