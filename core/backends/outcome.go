package backends

import (
	"context"
	"crypto/sha256"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Outcome is what became of the schema file as it is.
type Outcome struct {
	// Applied are the steps that brought the test data to it, as far as this process knows.
	Applied []core.SchemaStep
	// Pending is the plan that waits for a member, nil if none does.
	Pending *core.SchemaPlan
	// Wrong is what is wrong with the file.
	Wrong []core.Diagnostic
	// Stats is what the test data hold now.
	Stats backend.Stats
}

// Outcome brings the project's test data up to date, and returns what became of the schema file.
// A project without the file has core.CodeNotFound.
func (s *Schemas) Outcome(ctx context.Context, by core.Actor, project core.ID) (Outcome, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return Outcome{}, err
	}
	wrong, err := s.Sync(ctx, project)
	if err != nil {
		return Outcome{}, err
	}
	next, _, err := s.next(ctx, project, core.DataTest)
	if err != nil {
		return Outcome{}, err
	}
	switch {
	case next == nil && len(wrong) == 0:
		return Outcome{}, core.NotFound("backend")
	case next == nil:
		return Outcome{Wrong: wrong}, nil
	case next.plan.Loses():
		return Outcome{Pending: &next.plan}, nil
	}
	outcome := Outcome{Applied: s.synced.appliedTo(project, next.declared), Wrong: wrong}
	stats, err := s.deps.Engine.Stats(ctx, next.place)
	if err == nil {
		outcome.Stats = stats
	} else if !core.IsCode(err, core.CodeNotFound) {
		return Outcome{}, err
	}
	return outcome, nil
}

// applied are the steps by which test data came to a schema file.
type applied struct {
	file  [sha256.Size]byte
	steps []core.SchemaStep
}

// noteApplied keeps the steps that were applied for a file, for Outcome.
func (s *syncState) noteApplied(project core.ID, declared Declaration, steps []core.SchemaStep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.applied) >= maxSynced {
		clear(s.applied)
	}
	s.applied[project] = applied{sha256.Sum256(declared.file.text), steps}
}

// appliedTo returns the steps that were last applied, if they were for this file.
func (s *syncState) appliedTo(project core.ID, declared Declaration) []core.SchemaStep {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := s.applied[project]; last.file == sha256.Sum256(declared.file.text) {
		return last.steps
	}
	return nil
}
