package backends

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Releases switches live data together with the site.
type Releases struct {
	deps      Deps
	schemas   *Schemas
	switching *switching
}

// Switch is a change of live data that belongs to a publish: both happen, or neither. The zero
// value changes nothing.
type Switch struct {
	releases *Releases
	place    backend.Place
}

// Settle ends the switch: the new schema stays if the deployment was recorded. That is asked of
// the database, because a transaction whose answer was lost may have been committed. If the
// database or the engine cannot be reached, the live data stays closed until a later request for
// it settles the switch.
func (w *Switch) Settle(ctx context.Context) error {
	if w.releases == nil {
		return nil
	}
	err := w.releases.settleLeftover(ctx, w.place.Project)
	w.releases.switching.end(w.place.Project, err == nil)
	return err
}

// Stage brings the live data to the project's schema file for a deployment that is about to go
// live, and closes it until Settle. Before that it tries the change on a copy.
//
// A schema file that is wrong has core.CodeBuildFailed with diagnostics. A plan that loses values
// has core.CodeDataLoss with the plan, unless accepted is its id. A project without a backend has
// nothing to switch.
func (s *Releases) Stage(ctx context.Context, project, deployment core.ID, accepted core.ID) (*Switch, error) {
	unlock, err := s.schemas.changing.Lock(ctx, project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if err := s.settleLeftover(ctx, project); err != nil {
		return nil, err
	}
	next, wrong, err := s.schemas.next(ctx, project, core.DataLive)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, buildFailed(wrong)
	}
	if next == nil || len(next.plan.Steps) == 0 && !next.fresh {
		return &Switch{}, nil
	}
	if next.plan.Loses() && next.plan.ID != accepted {
		return nil, dataLoss(next.plan)
	}
	if err := s.rehearse(ctx, next); err != nil {
		return nil, err
	}
	change := backend.Switch{Note: deployment, Snapshot: core.NewID()}
	s.switching.begin(project)
	if err := s.deps.Engine.Stage(ctx, next.place, next.schema, change); err != nil {
		s.switching.end(project, false)
		return nil, next.asBuildFailure(err)
	}
	return &Switch{releases: s, place: next.place}, nil
}

// rehearse tries a change on a copy of the data, so that what fails, fails before anything is
// closed.
func (s *Releases) rehearse(ctx context.Context, next *change) error {
	if next.fresh {
		return next.asBuildFailure(s.deps.Engine.Check(ctx, next.place, next.schema))
	}
	scratch := next.place
	scratch.Copy = core.NewID()
	defer s.removeCopy(ctx, scratch)
	if err := s.deps.Engine.Copy(ctx, next.place, scratch); err != nil {
		return err
	}
	return next.asBuildFailure(s.deps.Engine.Apply(ctx, scratch, next.schema))
}

// removeCopy removes a scratch copy, also after the caller's context has ended.
func (s *Releases) removeCopy(ctx context.Context, scratch backend.Place) {
	if err := s.deps.Engine.Remove(context.WithoutCancel(ctx), scratch); err != nil {
		s.deps.Log.WarnContext(ctx, "could not remove a copy of a project's data", "project", scratch.Project, "error", err)
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

// settleLeftover settles a switch that a crash left open: the new schema stays if the deployment
// for which it was staged went live.
func (s *Releases) settleLeftover(ctx context.Context, project core.ID) error {
	place := backend.Place{Project: project, Env: core.DataLive}
	open, err := s.deps.Engine.Staged(ctx, place)
	if err != nil || open.Note == "" {
		return err
	}
	_, err = s.deps.Store.Tables().Deployments.ByID(ctx, open.Note)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	return s.deps.Engine.Settle(ctx, place, err == nil)
}
