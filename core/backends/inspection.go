package backends

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/attack"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/storage"
)

// Inspections checks what strangers can access of projects' data.
type Inspections struct {
	deps    Deps
	schemas *Schemas
	// busy is held while test data is attacked: an attack costs as much as hundreds of requests.
	busy ctxsync.KeyedMutex[core.ID]
}

// Check attacks a copy of the project's test data as strangers would, and returns what they
// could access, worst first. A project without a backend has core.CodeNotFound.
func (s *Inspections) Check(ctx context.Context, by core.Actor, project core.ID) ([]core.Finding, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return nil, err
	}
	unlock, err := s.busy.Lock(ctx, project)
	if err != nil {
		return nil, err
	}
	defer unlock()
	if _, err := s.schemas.Sync(ctx, project); err != nil {
		return nil, err
	}
	test := backend.Place{Project: project, Env: core.DataTest}
	schema, err := s.deps.Engine.Schema(ctx, test)
	if err != nil {
		return nil, err
	}
	return attack.Run(ctx, s.deps.Engine, test, schema)
}

// examine attacks a copy of what a release makes live: live data, or test data before the first
// release, with the schema of the file. A finding of high weight that nobody has accepted has
// core.CodeOpenData with all such. It returns those that the release accepts.
func (s *Inspections) examine(ctx context.Context, release Release, next *change) (acceptance, error) {
	at, schema := next.place, next.schema
	if next.fresh {
		at.Env = core.DataTest
		if test, wrong, err := s.schemas.next(ctx, release.Project, core.DataTest); err != nil {
			return acceptance{}, err
		} else if test != nil && len(wrong) == 0 {
			schema = test.schema
		}
	}
	found, err := attack.Run(ctx, s.deps.Engine, at, schema)
	if err != nil {
		return acceptance{}, next.asBuildFailure(err)
	}
	remembered, err := s.deps.Store.Tables().AcceptedFindings.List(ctx, release.Project)
	if err != nil {
		return acceptance{}, err
	}
	var accepted, open []core.Finding
	for _, one := range found {
		known := slices.ContainsFunc(remembered, func(a core.AcceptedFinding) bool { return a.FindingID == one.ID })
		switch {
		case one.Severity != core.FindingHigh || known:
		case slices.Contains(release.AcceptFindings, one.ID):
			accepted = append(accepted, one)
		default:
			open = append(open, one)
		}
	}
	if len(open) > 0 {
		events := make([]webhooks.Event, len(open))
		for i, one := range open {
			events[i] = webhooks.FindingCreated(release.Project, one)
		}
		s.deps.Hooks.Tell(ctx, events...)
		return acceptance{}, openData(append(open, accepted...))
	}
	return acceptance{s.deps, release, accepted, next.plan}, nil
}

// openData asks for the findings of this release: a person accepts all of them at once.
func openData(findings []core.Finding) error {
	refused := core.Errorf(core.CodeOpenData, "strangers could reach other people's data: change the rules, or accept each finding")
	refused.Findings = findings
	return refused
}

// acceptance lists the risks that a release accepts. The zero value has none.
type acceptance struct {
	deps     Deps
	release  Release
	findings []core.Finding
	plan     core.SchemaPlan
}

// record stores it, with an entry in the security log for each finding, and for each step that loses
// live data.
func (a acceptance) record(ctx context.Context, tables storage.Tables) error {
	if len(a.findings) == 0 && !a.plan.Loses() {
		return nil
	}
	project, err := tables.Projects.ByID(ctx, a.release.Project)
	if err != nil {
		return err
	}
	for _, one := range a.findings {
		row := core.AcceptedFinding{ProjectID: project.ID, FindingID: one.ID, By: a.release.By.UserID, CreatedAt: core.At(a.deps.Now())}
		if err := tables.AcceptedFindings.Add(ctx, row); err != nil {
			return err
		}
		if err := a.deps.Audit.Record(ctx, tables, a.release.By, project.WorkspaceID, core.AuditFindingAccepted, project.Name+": "+one.Text); err != nil {
			return err
		}
	}
	for _, step := range a.plan.Steps {
		if !step.Loses {
			continue
		}
		if err := a.deps.Audit.Record(ctx, tables, a.release.By, project.WorkspaceID, core.AuditLiveDataChanged, project.Name+": published with a loss: "+step.Text); err != nil {
			return err
		}
	}
	return nil
}
