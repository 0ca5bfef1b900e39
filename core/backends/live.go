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

// Releases switches live data together with the site.
type Releases struct {
	deps        Deps
	schemas     *Schemas
	inspections *Inspections
	notes       snapshotNotes
	switching   *switching
}

// Release is a deployment that is about to go live. AcceptDataLoss is the id of a plan that may
// lose live data.
type Release struct {
	Project, Deployment core.ID
	// By publishes.
	By core.Actor
	// AcceptDataLoss is the id of a plan, AcceptFindings those of findings.
	AcceptDataLoss core.ID
	AcceptFindings []core.ID
}

// Switch is a change of live data that belongs to a publish: both happen, or neither. The zero
// value changes nothing.
type Switch struct {
	releases *Releases
	place    backend.Place
	accepted acceptance
	// held is the context of the work under the lock of switches, unlock releases that.
	held   context.Context
	unlock func()
}

// Record stores what the release accepts, in the transaction that records the deployment: what was
// accepted for a publish that failed is asked again. If the lock of switches was lost since Stage,
// another process may have undone the change: it fails, and so does the publish.
func (w *Switch) Record(ctx context.Context, tables storage.Tables) error {
	if w.releases != nil {
		if err := locks.Check(w.held); err != nil {
			return err
		}
	}
	return w.accepted.record(ctx, tables)
}

// Settle ends the switch: the new schema stays if the deployment was recorded. That is asked of
// the database, because a transaction whose answer was lost may have been committed. If the
// database or the engine cannot be reached, the live data stays closed until a later request for
// it settles the switch.
func (w *Switch) Settle(ctx context.Context) error {
	if w.releases == nil {
		return nil
	}
	defer w.unlock()
	err := w.releases.settleOpen(ctx, w.place.Project)
	w.releases.switching.end(w.place.Project, err == nil)
	return err
}

// Stage brings the live data to the project's schema file for a deployment that is about to go
// live, and closes it until Settle. Before that it tries the change on a copy. Every release with
// live data makes a snapshot of it first.
//
// A schema file that is wrong has core.CodeBuildFailed with diagnostics. A plan that loses values
// has core.CodeDataLoss with the plan, unless the release accepts it. Data that strangers could
// reach has core.CodeOpenData with the findings, unless each was accepted. A project without a
// backend has nothing to switch.
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

// maxExaminations bounds how often a release is examined whose schema changes meanwhile.
const maxExaminations = 3

var errSchemaChanged = core.Errorf(core.CodeConflict, "the schema of the backend was changed during the publish: publish again")

// look returns the change that a release makes, nil if the project has no backend.
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

// stageSeen stages a change that has been examined. If another one is due by now, it returns
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

// stage closes the live data with a change. The snapshot is noted before; what ends the switch
// keeps it.
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

// rehearse tries a change on a copy of the data, so that what fails, fails before anything is
// closed.
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

// removeCopy removes a scratch copy, also after the caller's context has ended.
func (d Deps) removeCopy(ctx context.Context, scratch backend.Place) {
	if err := d.Engine.Remove(context.WithoutCancel(ctx), scratch); err != nil {
		d.Log.WarnContext(ctx, "could not remove a copy of a project's data", "project", scratch.Project, "error", err)
	}
}

// asBuildFailure turns a problem of the engine into diagnostics.
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

// examine settles a switch that a crash left open, once for each project and process.
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

// settleLeftover settles a switch that a crash left open. It waits for one of another process.
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

// settleOpen settles an open switch, if there is one: the new schema stays if the deployment for
// which it was staged went live. The caller holds the switch's lock.
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
	}
	return nil
}

// atRest settles a switch that a crash left open. While one of this process is open, it returns
// core.CodeUnavailable. The caller holds the project's lock, so that no other begins.
func (s *Releases) atRest(ctx context.Context, project core.ID) error {
	if s.switching.isOpen(project) {
		return core.Errorf(core.CodeUnavailable, "the application is being published: try again")
	}
	return s.settleLeftover(ctx, project)
}

// switching remembers which projects' live data has an open switch of this process, and which
// were looked at for one that a crash left open.
type switching struct {
	mu       sync.Mutex
	open     map[core.ID]bool
	examined map[core.ID]bool
}

func newSwitching() *switching {
	return &switching{open: make(map[core.ID]bool), examined: make(map[core.ID]bool)}
}

func (s *switching) begin(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[project] = true
}

func (s *switching) isOpen(project core.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[project]
}

// end forgets the switch. After a failure the project is examined again.
func (s *switching) end(project core.ID, settled bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, project)
	if !settled {
		delete(s.examined, project)
	}
}

// due reports whether a project has to be examined before its live data is served.
func (s *switching) due(project core.ID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.open[project] && !s.examined[project]
}

func (s *switching) done(project core.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.examined) >= maxSynced {
		clear(s.examined)
	}
	s.examined[project] = true
}

// lockSwitch locks the switch of a project's live data against other processes, from its beginning
// until it is settled. So what is found under the lock was left by a crash. No other lock is
// taken under it.
func (d Deps) lockSwitch(ctx context.Context, project core.ID) (held context.Context, unlock func(), err error) {
	return d.lock(ctx, "switch of ", project)
}

// lock takes a lock that other processes take too. What it is of tells it from that of the
// project's files.
func (d Deps) lock(ctx context.Context, what string, project core.ID) (held context.Context, unlock func(), err error) {
	if d.Locks == nil {
		return ctx, func() {}, nil
	}
	sum := sha256.Sum256([]byte(what + string(project)))
	text := hex.EncodeToString(sum[:16])
	return d.Locks.Lock(ctx, core.ID(text[:8]+"-"+text[8:12]+"-"+text[12:16]+"-"+text[16:20]+"-"+text[20:]))
}
