package backends

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/locks"
)

// Schemas keeps test data in step with the projects' schema files.
type Schemas struct {
	deps   Deps
	client client
	// changing is held while a project's schema is compared and applied. Other processes are kept
	// out by alone, and by the lock of switches.
	changing ctxsync.KeyedMutex[core.ID]
	synced   *syncState
}

// maxSync bounds the time to bring test data up to date.
const maxSync = 2 * time.Minute

// Sync brings the project's test data and generated types up to date with its schema file, and
// returns what is wrong with it. It costs one small query if no file has changed since.
//
// A step that would lose values waits for a person: the diagnostic says so, and Pending returns
// the plan. An error means that the outcome is unknown.
func (s *Schemas) Sync(ctx context.Context, project core.ID) ([]core.Diagnostic, error) {
	return s.follow(ctx, project, true)
}

// Review is Sync for a caller that shows the outcome: it counts again what a waiting step would
// lose, because those records may be gone by now.
func (s *Schemas) Review(ctx context.Context, project core.ID) ([]core.Diagnostic, error) {
	return s.follow(ctx, project, false)
}

// follow is Sync. With mayWait, a step that waits for a person is not counted again.
func (s *Schemas) follow(ctx context.Context, project core.ID, mayWait bool) ([]core.Diagnostic, error) {
	state, err := s.deps.Store.Tables().Files.State(ctx, project)
	if err != nil {
		return nil, err
	}
	if last, ok := s.synced.at(project, state.Revision); ok && (mayWait || !last.waits) {
		return last.wrong, nil
	}
	unlock, err := s.changing.Lock(ctx, project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	// A client that disconnects must not leave test data without its seed.
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), maxSync)
	defer cancel()
	wrong, waits, err := s.sync(work, project, s.applyWithSnapshot)
	if err == nil {
		s.synced.set(project, syncOutcome{state.Revision, wrong, waits})
	}
	return wrong, err
}

// applier carries out a change, and turns what it refuses into a diagnostic.
type applier func(context.Context, *change) ([]core.Diagnostic, error)

// sync is Sync for a caller that holds the lock and says how a change is applied. It also reports
// whether a step waits.
func (s *Schemas) sync(ctx context.Context, project core.ID, apply applier) (wrong []core.Diagnostic, waits bool, err error) {
	var next *change
	err = s.alone(ctx, project, func(ctx context.Context, from sources) error {
		if next, wrong, err = s.toward(ctx, backend.Place{Project: project, Env: core.DataTest}, from); err != nil || len(wrong) > 0 || next == nil {
			return err
		}
		if waits = next.plan.Loses(); waits {
			wrong = []core.Diagnostic{next.pending()}
			return nil
		}
		wrong, err = s.bring(ctx, next, apply)
		return err
	})
	if err != nil || len(wrong) > 0 || next == nil {
		return wrong, waits, err
	}
	return nil, false, s.writeTypes(ctx, project, next.schema)
}

// bring brings test data up to date by a change that loses nothing.
func (s *Schemas) bring(ctx context.Context, next *change, apply applier) ([]core.Diagnostic, error) {
	project := next.place.Project
	if len(next.plan.Steps) > 0 || next.fresh {
		if wrong, err := apply(ctx, next); err != nil || len(wrong) > 0 {
			s.synced.seedChanged(project, next.seed)
			return wrong, err
		}
		s.synced.noteApplied(project, next.declared, next.plan.Steps)
	}
	return s.seedLate(ctx, next)
}

// sources are the files that define a project's test data. A file that is missing is nil.
type sources struct {
	schema, seed []byte
	// revision is that of the project's files when these were read.
	revision int64
}

// sources reads the files.
func (s *Schemas) sources(ctx context.Context, project core.ID) (sources, error) {
	state, err := s.deps.Store.Tables().Files.State(ctx, project)
	if err != nil {
		return sources{}, err
	}
	from := sources{revision: state.Revision}
	if from.schema, _, err = s.readFile(ctx, project, core.BackendSchemaPath); err != nil || from.schema == nil {
		return from, err
	}
	from.seed, _, err = s.readFile(ctx, project, core.BackendSeedPath)
	return from, err
}

// maxReads bounds how often files are read that change meanwhile.
const maxReads = 5

// alone calls work with the present sources, under the lock that keeps other processes from
// changing test data: older sources would undo what another process has just done. Reading
// flushes what people type, which needs the lock of the project's files, so it happens before.
// The files' revision under the lock shows whether the sources are still present. No other lock
// is taken under this one.
func (s *Schemas) alone(ctx context.Context, project core.ID, work func(context.Context, sources) error) error {
	for range maxReads {
		from, err := s.sources(ctx, project)
		if err != nil {
			return err
		}
		if present, err := s.ifPresent(ctx, project, from, work); present || err != nil {
			return err
		}
	}
	return core.Errorf(core.CodeUnavailable, "the project's files keep changing: try again")
}

// ifPresent calls work under the lock of test data, unless the files have changed since the sources
// were read.
func (s *Schemas) ifPresent(ctx context.Context, project core.ID, from sources, work func(context.Context, sources) error) (bool, error) {
	held, unlock, err := s.deps.lock(ctx, "test data of ", project)
	if err != nil {
		return false, err
	}
	defer unlock()
	present, err := s.deps.Store.Tables().Files.State(held, project)
	if err != nil || present.Revision != from.revision {
		return false, err
	}
	return true, work(held, from)
}

// change is what would bring an environment up to date.
type change struct {
	place    backend.Place
	declared Declaration
	schema   backend.Schema
	plan     core.SchemaPlan
	// inForce is the schema before the change, seed the text of the seed file.
	inForce backend.Schema
	seed    []byte
	// fresh says that there is no data yet.
	fresh bool
}

// next returns the change that would bring an environment up to date, nil for a project without
// a backend. Diagnostics say what is wrong with the file.
func (s *Schemas) next(ctx context.Context, project core.ID, env core.DataEnv) (*change, []core.Diagnostic, error) {
	text, _, err := s.readFile(ctx, project, core.BackendSchemaPath)
	if err != nil {
		return nil, nil, err
	}
	return s.toward(ctx, backend.Place{Project: project, Env: env}, sources{schema: text})
}

// toward is next for files that have been read.
func (s *Schemas) toward(ctx context.Context, place backend.Place, from sources) (*change, []core.Diagnostic, error) {
	if from.schema == nil {
		return nil, nil, nil
	}
	declared, wrong := ParseSchema(from.schema)
	if len(wrong) > 0 {
		return nil, wrong, nil
	}
	c := &change{place: place, declared: declared, seed: from.seed}
	var err error
	c.inForce, err = s.deps.Engine.Schema(ctx, c.place)
	c.fresh = core.IsCode(err, core.CodeNotFound)
	if err != nil && !c.fresh {
		return nil, nil, err
	}
	if c.schema, wrong = declared.Resolve(c.inForce); len(wrong) > 0 {
		return nil, wrong, nil
	}
	c.plan, err = s.weigh(ctx, c.place, c.inForce, c.schema)
	return c, nil, err
}

// pending is the diagnostic of a change that waits for a person.
func (c *change) pending() core.Diagnostic {
	message := "This change of the schema would lose test data. Confirm it under Data, or take it back."
	for _, step := range c.plan.Steps {
		if step.Loses {
			message += " " + step.Text
		}
	}
	return core.Diagnostic{Path: core.BackendSchemaPath, Line: 1, Column: 1, Message: message}
}

// applyWithSnapshot is apply after a snapshot of the data: always before a change that loses values,
// before any other only if there is no recent snapshot.
func (s *Schemas) applyWithSnapshot(ctx context.Context, c *change) ([]core.Diagnostic, error) {
	notes := snapshotNotes{s.deps}
	if c.fresh || !c.plan.Loses() && notes.hasRecentSnapshot(ctx, c.place) {
		return s.apply(ctx, c)
	}
	kept := notes.beforeChange(ctx, c.place)
	wrong, err := s.apply(ctx, c)
	if len(wrong) > 0 && kept != "" {
		notes.abandon(ctx, c.place, kept)
	}
	return wrong, err
}

// apply carries out a change, and fills fresh test data from the seed: with all of it, or none.
// A refusal of the engine is a diagnostic.
func (s *Schemas) apply(ctx context.Context, c *change) ([]core.Diagnostic, error) {
	if !c.fresh || c.place.Env != core.DataTest || c.seed == nil {
		return s.deps.applyTo(ctx, c, c.place)
	}
	scratch := c.place
	scratch.Copy = core.NewID()
	defer s.deps.removeCopy(ctx, scratch)
	if wrong, err := s.deps.applyTo(ctx, c, scratch); err != nil || len(wrong) > 0 {
		return wrong, err
	}
	wrong, err := s.seed(ctx, scratch, c.schema, c.seed)
	switch {
	case err != nil:
		return nil, err
	case len(wrong) > 0:
		// The application works without its seed.
		_, err := s.deps.applyTo(ctx, c, c.place)
		return wrong, err
	}
	return nil, s.deps.replace(ctx, scratch, c.place)
}

// replace makes a place a copy of another. A lock that was lost since keeps it from that.
func (d Deps) replace(ctx context.Context, from, place backend.Place) error {
	if err := locks.Check(ctx); err != nil {
		return err
	}
	defer d.Changes.Changed(place)
	return d.Engine.Copy(ctx, from, place)
}

// applyTo applies the schema to a place. A lock that was lost since keeps it from that.
func (d Deps) applyTo(ctx context.Context, c *change, place backend.Place) ([]core.Diagnostic, error) {
	err := locks.Check(ctx)
	if err == nil {
		defer d.Changes.Changed(place)
		err = d.Engine.Apply(ctx, place, c.schema)
	}
	if problem := new(backend.Problem); errors.As(err, &problem) {
		return []core.Diagnostic{c.declared.locate(problem)}, nil
	}
	return nil, err
}

// locate finds the place in the file that a problem of the engine is about.
func (d Declaration) locate(problem *backend.Problem) core.Diagnostic {
	at := node{file: d.file}
	for _, collection := range d.Collections {
		if collection.Name != problem.Collection {
			continue
		}
		at = collection.at
		members := collection.members
		for _, field := range collection.fields {
			if field.Name == problem.Field {
				at, members = field.at, field.members
			}
		}
		if member, ok := members[problem.Member]; ok {
			at = member
		}
	}
	d.file.found = nil
	at.complain("%s", problem.Error())
	return d.file.found[0]
}

// writeTypes writes the types of a schema into the project if they have changed.
func (s *Schemas) writeTypes(ctx context.Context, project core.ID, schema backend.Schema) error {
	types := TypesOf(schema)
	present, found, err := s.readFile(ctx, project, core.BackendTypesPath)
	if err != nil || found && bytes.Equal(present, types) {
		return err
	}
	path, err := core.ParsePath(core.BackendTypesPath)
	if err != nil {
		return err
	}
	write := core.FileChange{Op: core.OpWrite, Path: path, Content: types}
	results, err := s.deps.Files.Apply(ctx, project, core.Author{Kind: core.AuthorAgent, Name: "Atelier"}, []core.FileChange{write}, nil)
	if err == nil {
		err = results[0].Err
	}
	return err
}

// syncState remembers the outcome of each project's last Sync.
type syncState struct {
	mu      sync.Mutex
	last    map[core.ID]syncOutcome
	applied map[core.ID]migrationSteps
	// seeds are hashes of the seed files.
	seeds map[core.ID][sha256.Size]byte
}

// syncOutcome is the outcome of a Sync at a revision of the files.
type syncOutcome struct {
	revision int64
	wrong    []core.Diagnostic
	// waits says that a step that would lose values waits for a person.
	waits bool
}

// maxSynced bounds the outcomes; beyond it all are dropped, which costs each project one
// reading of its file.
const maxSynced = 10_000

func newSyncState() *syncState {
	return &syncState{last: make(map[core.ID]syncOutcome), applied: make(map[core.ID]migrationSteps), seeds: make(map[core.ID][sha256.Size]byte)}
}

func (s *syncState) at(project core.ID, revision int64) (syncOutcome, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last, ok := s.last[project]
	return last, ok && last.revision == revision
}

func (s *syncState) set(project core.ID, outcome syncOutcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.last) >= maxSynced {
		clear(s.last)
	}
	s.last[project] = outcome
}

func (s *syncState) forget(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.last, project)
}
