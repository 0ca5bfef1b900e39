package backends

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Status shows a project's members its backend.
type Status struct {
	Enabled      bool              `json:"enabled"`
	Collections  []Collection      `json:"collections"`
	Diagnostics  []core.Diagnostic `json:"diagnostics"`
	Environments Environments      `json:"environments"`
}

// Collection is a collection of the schema in force.
type Collection struct {
	Name   string                 `json:"name"`
	Type   backend.CollectionType `json:"type"`
	Fields []Field                `json:"fields"`
	Rules  Rules                  `json:"rules"`
}

// Field is a field of a collection.
type Field struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Required bool   `json:"required"`
	// Collection is the name of the collection that a relation refers to.
	Collection string   `json:"collection,omitempty"`
	Values     []string `json:"values,omitempty"`
	Multiple   bool     `json:"multiple"`
}

// Rules are the rules of a collection; null means the project's members only.
type Rules struct {
	List   *string `json:"list"`
	View   *string `json:"view"`
	Create *string `json:"create"`
	Update *string `json:"update"`
	Delete *string `json:"delete"`
}

// Environments are the two environments; nil for one without data.
type Environments struct {
	Test *EnvironmentStatus `json:"test"`
	Live *EnvironmentStatus `json:"live"`
}

// EnvironmentStatus counts the contents of an environment. Pending is a plan that waits for a yes.
type EnvironmentStatus struct {
	backend.Stats
	// Counts has the records by the collections' names.
	Counts  map[string]int64 `json:"counts"`
	Pending *core.SchemaPlan `json:"pending"`
}

// Status returns the state of a project's backend. A project without the schema file has none:
// Enabled is false, and the data that it has left is shown.
func (s *Schemas) Status(ctx context.Context, by core.Actor, project core.ID) (Status, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, project); err != nil {
		return Status{}, err
	}
	wrong, err := s.Review(ctx, project)
	if err != nil {
		return Status{}, err
	}
	status := Status{Collections: []Collection{}, Diagnostics: orNone(wrong)}
	next, _, err := s.next(ctx, project, core.DataTest)
	if err != nil {
		return Status{}, err
	}
	status.Enabled = next != nil || len(wrong) > 0
	test := backend.Place{Project: project, Env: core.DataTest}
	inForce, err := s.deps.Engine.Schema(ctx, test)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return Status{}, err
	}
	for _, collection := range inForce.Collections {
		status.Collections = append(status.Collections, present(collection, inForce))
	}
	if status.Environments.Test, err = s.environment(ctx, test); err != nil {
		return Status{}, err
	}
	if at := status.Environments.Test; at != nil && next != nil && next.plan.Loses() {
		at.Pending = &next.plan
	}
	status.Environments.Live, err = s.environment(ctx, backend.Place{Project: project, Env: core.DataLive})
	return status, err
}

func orNone(diagnostics []core.Diagnostic) []core.Diagnostic {
	if diagnostics == nil {
		return []core.Diagnostic{}
	}
	return diagnostics
}

// environment returns what a place holds, nil if it does not exist.
func (s *Schemas) environment(ctx context.Context, at backend.Place) (*EnvironmentStatus, error) {
	stats, err := s.deps.Engine.Stats(ctx, at)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &EnvironmentStatus{Stats: stats, Counts: stats.Collections}, nil
}

func present(collection backend.Collection, schema backend.Schema) Collection {
	shown := Collection{Name: collection.Name, Type: collection.Type, Fields: []Field{}, Rules: Rules(collection.Rules)}
	for _, field := range collection.Fields {
		one := Field{Name: field.Name, Type: field.Type, Required: string(field.Options["required"]) == "true", Multiple: isMultiple(field)}
		if target := find(schema.Collections, field.Text("collectionId")); target != nil {
			one.Collection = target.Name
		}
		// Values that are no strings were refused with the schema.
		_ = json.Unmarshal(field.Options["values"], &one.Values)
		shown.Fields = append(shown.Fields, one)
	}
	return shown
}

// ApplyPending confirms the pending plan of the test data. It returns core.CodeConflict if
// another plan, or none, is pending.
func (s *Schemas) ApplyPending(ctx context.Context, by core.Actor, project, plan core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return err
	}
	unlock, err := s.changing.Lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	var next *change
	err = s.alone(ctx, project, func(ctx context.Context, from sources) error {
		var wrong []core.Diagnostic
		if next, wrong, err = s.toward(ctx, backend.Place{Project: project, Env: core.DataTest}, from); err != nil {
			return err
		}
		if next == nil || len(wrong) > 0 || next.plan.ID != plan || !next.plan.Loses() {
			return core.Errorf(core.CodeConflict, "this plan is no longer the pending one: reload and look at it again")
		}
		if wrong, err = s.applyWithSnapshot(ctx, next); err != nil {
			return err
		}
		s.synced.forget(project)
		if len(wrong) > 0 {
			return core.Errorf(core.CodeConflict, "the schema cannot be applied: %s", wrong[0].Message)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.writeTypes(ctx, project, next.schema)
}

// Reset recreates the test data from the schema file, and from the seed file if seed is true. It
// builds the new data beside the present data, which stays if that fails. Snapshots are kept.
func (s *Schemas) Reset(ctx context.Context, by core.Actor, project core.ID, seed bool) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendTest, project); err != nil {
		return err
	}
	unlock, err := s.changing.Lock(ctx, project)
	if err != nil {
		return err
	}
	defer unlock()
	s.synced.forget(project)
	return s.alone(ctx, project, func(ctx context.Context, from sources) error {
		next, wrong, err := s.toward(ctx, backend.Place{Project: project, Env: core.DataTest}, from)
		if err != nil {
			return err
		}
		if next == nil {
			return core.NotFound("backend")
		}
		if len(wrong) > 0 {
			return core.Errorf(core.CodeConflict, "the schema file is wrong: %s", wrong[0].Message)
		}
		anew := *next
		anew.place.Copy, anew.fresh = core.NewID(), seed
		defer s.deps.removeCopy(ctx, anew.place)
		if wrong, err = s.apply(ctx, &anew); err != nil {
			return err
		}
		if len(wrong) > 0 {
			return core.Errorf(core.CodeConflict, "%s", wrong[0].Message)
		}
		return s.deps.replace(ctx, anew.place, next.place)
	})
}

// hasCollection reports whether a schema has a collection of a name.
func hasCollection(schema backend.Schema, name string) bool {
	return slices.ContainsFunc(schema.Collections, func(c backend.Collection) bool { return c.Name == name })
}
