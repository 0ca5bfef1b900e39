package backends

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"reflect"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/locks"
	"github.com/atelierhq/atelier/ports/storage"
)

// Releases changes live data together with the site.
type Releases struct {
	deps        Deps
	schemas     *Schemas
	inspections *Inspections
	notes       snapshotNotes
	switching   *switchRegistry
}

// Release is a deployment that is about to go live. AcceptDataLoss is the id of a plan that
// may lose live data.
type Release struct {
	Project, Deployment core.ID
	// By is who publishes.
	By core.Actor
	// AcceptDataLoss is the id of a plan, AcceptFindings those of findings.
	AcceptDataLoss core.ID
	AcceptFindings []core.ID
}

// Switch is a change of live data that belongs to a publish: both happen, or neither. The
// zero value changes nothing.
type Switch struct {
	releases *Releases
	place    backend.Place
	accepted acceptance
	// held is the context for work under the switch lock; unlock releases the lock.
	held   context.Context
	unlock func()
}

// Record stores what the release accepts, in the transaction that records the deployment.
// So after a failed publish, the user is asked again. If the switch lock was lost since
// Stage, another process may have undone the change; then Record fails, and the publish
// with it.
func (w *Switch) Record(ctx context.Context, tables storage.Tables) error {
	if w.releases != nil {
		if err := locks.Check(w.held); err != nil {
			return err
		}
	}
	return w.accepted.record(ctx, tables)
}

// Settle ends the switch: the new schema stays if the deployment was recorded. It asks the
// database, because a transaction whose answer was lost may have been committed. If it
// cannot reach the database or the engine, the live data stays closed until a later request
// settles the switch.
func (w *Switch) Settle(ctx context.Context) error {
	if w.releases == nil {
		return nil
	}
	defer w.unlock()
	err := w.releases.settleOpen(ctx, w.place.Project)
	w.releases.switching.end(w.place.Project, err == nil)
	return err
}

// Stage updates the live data to the project's schema file for a deployment that is about
// to go live, and closes the data until Settle. First it tries the change on a copy. Every
// release with live data makes a snapshot of it first.
//
// An invalid schema file has core.CodeBuildFailed with diagnostics. A plan that loses
// values has core.CodeDataLoss with the plan, unless the release accepts it. Data that
// strangers could access has core.CodeOpenData with the findings, unless each was accepted.
// Without a backend there is nothing to do.
func (s *Releases) Stage(ctx context.Context, release Release) (*Switch, error) {
	for range maxExaminations {
		seen, err := s.look(ctx, release)
		if err != nil || seen == nil {
			return &Switch{}, err
		}
		// Previews do not wait for the attack, which takes seconds.
		accepted, err := s.inspections.examine(ctx, release, seen)
		if err != nil {
			return nil, err
		}
		change, err := s.stageSeen(ctx, release, seen)
		if err == nil {
			change.accepted = accepted
		}
		if !errors.Is(err, errSchemaChanged) {
			return change, err
		}
	}
	return nil, errSchemaChanged
}

// maxExaminations bounds how often a release is examined if its schema changes meanwhile.
const maxExaminations = 3

var errSchemaChanged = core.Errorf(core.CodeConflict, "the schema of the backend was changed during the publish: publish again")

// look returns the change for a release, or nil if the project has no backend.
func (s *Releases) look(ctx context.Context, release Release) (*change, error) {
	unlock, err := s.schemas.changing.Lock(ctx, release.Project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	return s.due(ctx, release)
}

// due is look for a caller that holds the lock.
func (s *Releases) due(ctx context.Context, release Release) (*change, error) {
	if err := s.settleLeftover(ctx, release.Project); err != nil {
		return nil, err
	}
	next, wrong, err := s.schemas.next(ctx, release.Project, core.DataLive)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, buildFailed(wrong)
	}
	if next != nil && next.plan.Loses() && next.plan.ID != release.AcceptDataLoss {
		return nil, dataLoss(next.plan)
	}
	return next, nil
}

// stageSeen stages an examined change. If a different change is due by now, it returns
// errSchemaChanged.
func (s *Releases) stageSeen(ctx context.Context, release Release, seen *change) (*Switch, error) {
	unlock, err := s.schemas.changing.Lock(ctx, release.Project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	next, err := s.due(ctx, release)
	if err != nil {
		return nil, err
	}
	if next == nil || next.fresh != seen.fresh || !reflect.DeepEqual(next.schema, seen.schema) {
		return nil, errSchemaChanged
	}
	if err := s.notes.plan(ctx, next.place); err != nil {
		return nil, err
	}
	if len(next.plan.Steps) == 0 && !next.fresh {
		_, err := s.notes.make(ctx, next.place, core.SnapshotPublish, release.By.UserID)
		return &Switch{}, err
	}
	if err := s.rehearse(ctx, next); err != nil {
		return nil, err
	}
	return s.stage(ctx, release, next)
}

// stage closes the live data with a change. It records the snapshot first; settling the
// switch keeps it.
func (s *Releases) stage(ctx context.Context, release Release, next *change) (*Switch, error) {
	change := backend.Switch{Note: release.Deployment, Snapshot: core.NewID()}
	if !next.fresh {
		stats, err := s.deps.Engine.Stats(ctx, next.place)
		if err != nil {
			return nil, err
		}
		note, err := s.notes.begin(ctx, next.place, core.SnapshotPublish, release.By.UserID, stats.Bytes+stats.FileBytes)
		if err != nil {
			return nil, err
		}
		change.Snapshot = note.ID
	}
	held, unlock, err := s.deps.lockSwitch(ctx, release.Project)
	if err != nil {
		s.notes.abandon(ctx, next.place, change.Snapshot)
		return nil, err
	}
	s.switching.begin(release.Project)
	if err = s.unchanged(ctx, next); err == nil {
		err = s.deps.Engine.Stage(ctx, next.place, next.schema, change)
	}
	if err != nil {
		unlock()
		s.switching.end(release.Project, false)
		s.notes.abandon(ctx, next.place, change.Snapshot)
		return nil, next.asBuildFailure(err)
	}
	return &Switch{releases: s, place: next.place, held: held, unlock: unlock}, nil
}

// unchanged returns errSchemaChanged if another process has published since a change was weighed.
// The caller holds the switch's lock.
func (s *Releases) unchanged(ctx context.Context, next *change) error {
	inForce, err := s.deps.Engine.Schema(ctx, next.place)
	switch {
	case next.fresh && core.IsCode(err, core.CodeNotFound):
		return nil
	case err != nil:
		return err
	case next.fresh || !reflect.DeepEqual(inForce, next.inForce):
		return errSchemaChanged
	}
	return nil
}

// rehearse tries a change on a copy of the data, to find failures before anything is closed.
func (s *Releases) rehearse(ctx context.Context, next *change) error {
	if next.fresh {
		return next.asBuildFailure(s.deps.Engine.Check(ctx, next.place, next.schema))
	}
	scratch := next.place
	scratch.Copy = core.NewID()
	defer s.deps.removeCopy(ctx, scratch)
	if err := s.deps.Engine.Copy(ctx, next.place, scratch); err != nil {
		return err
	}
	return next.asBuildFailure(s.deps.Engine.Apply(ctx, scratch, next.schema))
}

// removeCopy removes a scratch copy, even after the caller's context has ended.
func (d Deps) removeCopy(ctx context.Context, scratch backend.Place) {
	if err := d.Engine.Remove(context.WithoutCancel(ctx), scratch); err != nil {
		d.Log.WarnContext(ctx, "could not remove a copy of a project's data", "project", scratch.Project, "error", err)
	}
}

// asBuildFailure converts a problem of the engine to diagnostics.
func (c *change) asBuildFailure(err error) error {
	if problem := new(backend.Problem); errors.As(err, &problem) {
		return buildFailed([]core.Diagnostic{c.declared.locate(problem)})
	}
	return err
}

func buildFailed(wrong []core.Diagnostic) error {
	failed := core.Errorf(core.CodeBuildFailed, "the schema of the project's backend is wrong")
	failed.Diagnostics = wrong
	return failed
}

func dataLoss(plan core.SchemaPlan) error {
	lost := core.Errorf(core.CodeDataLoss, "publishing would lose live data: look at the plan, and confirm it or change the schema")
	lost.Plan = &plan
	return lost
}

// examine settles a switch left open by a crash, once per project and process.
func (s *Releases) examine(ctx context.Context, project core.ID) error {
	if !s.switching.due(project) {
		return nil
	}
	unlock, err := s.schemas.changing.Lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	if !s.switching.due(project) {
		return nil
	}
	if err := s.settleLeftover(ctx, project); err != nil {
		return err
	}
	s.switching.done(project)
	return nil
}

// settleLeftover settles a switch left open by a crash. It waits for a switch of another process.
func (s *Releases) settleLeftover(ctx context.Context, project core.ID) error {
	open, err := s.deps.Engine.Staged(ctx, backend.Place{Project: project, Env: core.DataLive})
	if err != nil || open.Note == "" {
		return err
	}
	_, unlock, err := s.deps.lockSwitch(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	return s.settleOpen(ctx, project)
}

// settleOpen settles an open switch, if any. The new schema stays if its deployment went
// live. The caller holds the switch lock.
func (s *Releases) settleOpen(ctx context.Context, project core.ID) error {
	place := backend.Place{Project: project, Env: core.DataLive}
	open, err := s.deps.Engine.Staged(ctx, place)
	if err != nil || open.Note == "" {
		return err
	}
	_, err = s.deps.Store.Tables().Deployments.ByID(ctx, open.Note)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	keep := err == nil
	if keep {
		if err := s.notes.settle(ctx, place, open.Snapshot); err != nil {
			return err
		}
	}
	if err := s.deps.Engine.Settle(ctx, place, keep); err != nil {
		return err
	}
	if !keep {
		s.notes.abandon(ctx, place, open.Snapshot)
		return nil
	}
	s.deps.Changes.Changed(place)
	return nil
}

// atRest settles a switch left open by a crash. If a switch of this process is open, it
// returns core.CodeUnavailable. The caller holds the project's lock, so no other switch
// begins.
func (s *Releases) atRest(ctx context.Context, project core.ID) error {
	if s.switching.isOpen(project) {
		return core.Errorf(core.CodeUnavailable, "the application is being published: try again")
	}
	return s.settleLeftover(ctx, project)
}

// switchRegistry remembers which projects have an open switch of this process, and which were
// examined for one left open by a crash.
type switchRegistry struct {
	mu       sync.Mutex
	open     map[core.ID]bool
	examined map[core.ID]bool
}

func newSwitching() *switchRegistry {
	return &switchRegistry{open: make(map[core.ID]bool), examined: make(map[core.ID]bool)}
}

func (s *switchRegistry) begin(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[project] = true
}

func (s *switchRegistry) isOpen(project core.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[project]
}

// end forgets the switch. After a failure the project is examined again.
func (s *switchRegistry) end(project core.ID, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, project)
	if !settled {
		delete(s.examined, project)
	}
}

// due reports whether a project has to be examined before its live data is served.
func (s *switchRegistry) due(project core.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.open[project] && !s.examined[project]
}

func (s *switchRegistry) done(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.examined) >= maxSynced {
		clear(s.examined)
	}
	s.examined[project] = true
}

// lockSwitch locks the switch of a project's live data against other processes, until it is
// settled. So a switch found under the lock was left by a crash. No other lock is taken
// under it.
func (d Deps) lockSwitch(ctx context.Context, project core.ID) (held context.Context, unlock func(), err error) {
	return d.lock(ctx, "switch of ", project)
}

// lock takes a lock that is shared with other processes. what tells it apart from the lock
// of the project's files.
func (d Deps) lock(ctx context.Context, what string, project core.ID) (held context.Context, unlock func(), err error) {
	if d.Locks == nil {
		return ctx, func() {}, nil
	}
	sum := sha256.Sum256([]byte(what + string(project)))
	text := hex.EncodeToString(sum[:16])
	return d.Locks.Lock(ctx, core.ID(text[:8]+"-"+text[8:12]+"-"+text[12:16]+"-"+text[16:20]+"-"+text[20:]))
}
