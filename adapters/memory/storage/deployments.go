package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type deployments struct{ records records[core.Deployment] }

func deploymentsOf(session conn) records[core.Deployment] {
	return records[core.Deployment]{
		session: session,
		noun:    "deployment",
		table:   func(s *database) *table[core.ID, core.Deployment] { return &s.deployments },
		id:      func(d core.Deployment) core.ID { return d.ID },
		copy:    func(d core.Deployment) core.Deployment { return d },
		check: func(s *database, deployment core.Deployment) error {
			if !s.projects.has(deployment.ProjectID) {
				return core.NotFound("project")
			}
			return nil
		},
	}
}

// Create implements storage.Deployments.
func (d deployments) Create(ctx context.Context, deployment core.Deployment) error {
	return d.records.create(ctx, deployment)
}

// ByID implements storage.Deployments.
func (d deployments) ByID(ctx context.Context, id core.ID) (core.Deployment, error) {
	return d.records.byID(ctx, id)
}

// List implements storage.Deployments.
func (d deployments) List(ctx context.Context, project core.ID) ([]core.Deployment, error) {
	ofProject := func(deployment core.Deployment) bool { return deployment.ProjectID == project }
	return d.records.list(ctx, ofProject, func(a, b core.Deployment) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

// SetStatus implements storage.Deployments.
func (d deployments) SetStatus(ctx context.Context, id core.ID, status core.DeploymentStatus) error {
	if err := storage.CheckText(core.Deployment{Status: status}); err != nil {
		return err
	}
	return d.records.session.change(ctx, func(state *database) error {
		deployment, err := d.records.in(state, id)
		if err != nil {
			return err
		}
		deployment.Status = status
		return d.records.put(state, deployment)
	})
}

// Delete implements storage.Deployments.
func (d deployments) Delete(ctx context.Context, id core.ID) error {
	return d.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.deployments.edit(state), id)
		state.schedules.drop(state, func(s core.FunctionSchedule) bool { return s.DeploymentID == id })
	})
}

// CountSites implements storage.Deployments.
func (d deployments) CountSites(ctx context.Context) (int, error) {
	state, err := d.records.session.view(ctx)
	if err != nil {
		return 0, err
	}
	sites := 0
	for _, project := range state.projects.rows {
		if project.DeploymentID != nil && project.DeletedAt == nil {
			sites++
		}
	}
	return sites, nil
}

type snapshots struct{ records records[core.DataSnapshot] }

func snapshotsOf(session conn) records[core.DataSnapshot] {
	return records[core.DataSnapshot]{
		session: session,
		noun:    "snapshot",
		table:   func(s *database) *table[core.ID, core.DataSnapshot] { return &s.snapshots },
		id:      func(d core.DataSnapshot) core.ID { return d.ID },
		copy: func(d core.DataSnapshot) core.DataSnapshot {
			d.By = copyOf(d.By)
			return d
		},
		pin: func(d *core.DataSnapshot, before core.DataSnapshot) {
			before.Bytes, before.SchemaPrint, before.State, before.DueAt = d.Bytes, d.SchemaPrint, d.State, d.DueAt
			*d = before
		},
		check: checkSnapshot,
	}
}

func checkSnapshot(s *database, snapshot core.DataSnapshot) error {
	if !s.projects.has(snapshot.ProjectID) {
		return core.NotFound("project")
	}
	if snapshot.State != core.SnapshotPlanned {
		return nil
	}
	for _, other := range s.snapshots.rows {
		if other.State == core.SnapshotPlanned && other.ID != snapshot.ID && other.ProjectID == snapshot.ProjectID && other.Env == snapshot.Env {
			return core.Errorf(core.CodeConflict, "this snapshot already exists")
		}
	}
	return nil
}

// Create implements storage.Snapshots.
func (s snapshots) Create(ctx context.Context, snapshot core.DataSnapshot) error {
	return s.records.create(ctx, snapshot)
}

// ByID implements storage.Snapshots.
func (s snapshots) ByID(ctx context.Context, id core.ID) (core.DataSnapshot, error) {
	return s.records.byID(ctx, id)
}

// List implements storage.Snapshots.
func (s snapshots) List(ctx context.Context, project core.ID, env core.DataEnv) ([]core.DataSnapshot, error) {
	kept := func(d core.DataSnapshot) bool {
		return d.ProjectID == project && d.Env == env && d.State == core.SnapshotKept
	}
	return s.records.list(ctx, kept, func(a, b core.DataSnapshot) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

// Update implements storage.Snapshots.
func (s snapshots) Update(ctx context.Context, id core.ID, change func(*core.DataSnapshot) error) (core.DataSnapshot, error) {
	return s.records.update(ctx, id, change)
}

// Delete implements storage.Snapshots.
func (s snapshots) Delete(ctx context.Context, id core.ID) error {
	return s.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.snapshots.edit(state), id) })
}

// Claim implements storage.Snapshots.
func (s snapshots) Claim(ctx context.Context, now, until core.Time) (core.DataSnapshot, error) {
	due := func(snapshot core.DataSnapshot) (core.Time, bool) { return snapshot.DueAt, snapshot.DueAt > 0 }
	return s.records.claimDue(ctx, now, due, func(snapshot *core.DataSnapshot) { snapshot.DueAt = until })
}

// acceptedKey is the key of an accepted finding.
type acceptedKey struct{ project, finding core.ID }

type acceptedFindings struct{ session conn }

// Add implements storage.AcceptedFindings.
func (a acceptedFindings) Add(ctx context.Context, accepted core.AcceptedFinding) error {
	if err := storage.CheckText(accepted); err != nil {
		return err
	}
	return a.session.change(ctx, func(state *database) error {
		if !state.projects.has(accepted.ProjectID) {
			return core.NotFound("project")
		}
		if key := (acceptedKey{accepted.ProjectID, accepted.FindingID}); !state.accepted.has(key) {
			state.accepted.edit(state)[key] = accepted
		}
		return nil
	})
}

// List implements storage.AcceptedFindings.
func (a acceptedFindings) List(ctx context.Context, project core.ID) ([]core.AcceptedFinding, error) {
	state, err := a.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var found []core.AcceptedFinding
	for _, accepted := range state.accepted.rows {
		if accepted.ProjectID == project {
			found = append(found, accepted)
		}
	}
	slices.SortFunc(found, func(a, b core.AcceptedFinding) int { return cmp.Compare(a.FindingID, b.FindingID) })
	return found, nil
}
