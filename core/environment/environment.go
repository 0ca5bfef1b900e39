package environment

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps has the dependencies of a Service. Log gets failures that do not change the answer to the caller,
// and never a value.
type Deps struct {
	Store  storage.Store
	Gate   *access.Gate
	Bus    broadcast.Bus
	Sealer identity.Sealer
	Audit  *audit.Log
	Now    func() time.Time
	Log    *slog.Logger
}

// Service has the use cases of environment values. Methods that take an actor first ask the gate,
// which hides the values' existence from readers who are not members. Their errors are those of
// access.Gate.Project and those that the method names. The other methods are for use cases that
// have checked access. It may be used by many goroutines.
type Service struct{ deps Deps }

// New returns a service over the ports.
func New(deps Deps) *Service { return &Service{deps} }

// List returns a project's variables by key, without their values.
func (s *Service) List(ctx context.Context, by core.Actor, project core.ID) ([]core.Variable, error) {
	if err := s.check(ctx, by, project); err != nil {
		return nil, err
	}
	return s.deps.Store.Tables().Environment.List(ctx, project)
}

// Get returns a variable without its value, or core.CodeNotFound.
func (s *Service) Get(ctx context.Context, by core.Actor, project core.ID, key string) (core.Variable, error) {
	if err := s.check(ctx, by, project); err != nil {
		return core.Variable{}, err
	}
	return s.deps.Store.Tables().Environment.ByKey(ctx, project, key)
}

// Put sets the value of a key. It returns core.CodeValidationFailed for a key or a value out of
// bounds, and core.CodeConflict for a new key beyond core.MaxVariables.
func (s *Service) Put(ctx context.Context, by core.Actor, project core.ID, key, value string) error {
	if err := s.check(ctx, by, project); err != nil {
		return err
	}
	if err := core.CheckVariableKey(key); err != nil {
		return err
	}
	if err := core.CheckVariableValue(value); err != nil {
		return err
	}
	sealed, err := s.deps.Sealer.Seal([]byte(value), placeOf(project, key))
	if err != nil {
		return err
	}
	now := core.At(s.deps.Now())
	variable := core.Variable{Key: key, ProjectID: project, SealedValue: sealed, CreatedAt: now, UpdatedAt: now}
	return s.change(ctx, by, project, func(ctx context.Context, tables storage.Tables) error {
		if err := checkRoom(ctx, tables, project, key); err != nil {
			return err
		}
		if _, err := tables.Environment.Put(ctx, variable); err != nil {
			return err
		}
		return s.record(ctx, tables, by, project, core.AuditEnvironmentUpdated, key)
	})
}

// Delete removes a variable. It returns core.CodeNotFound if there is no such variable.
func (s *Service) Delete(ctx context.Context, by core.Actor, project core.ID, key string) error {
	if err := s.check(ctx, by, project); err != nil {
		return err
	}
	return s.change(ctx, by, project, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Environment.Delete(ctx, project, key); err != nil {
			return err
		}
		return s.record(ctx, tables, by, project, core.AuditEnvironmentDeleted, key)
	})
}

// Public returns the values of a project that builds may put into pages, by key.
func (s *Service) Public(ctx context.Context, project core.ID) (map[string]string, error) {
	public := map[string]string{}
	err := s.open(ctx, project, core.Variable.Public, func(key, value string) { public[key] = value })
	return public, err
}

// Values returns all values of a project, for its functions, by key.
func (s *Service) Values(ctx context.Context, project core.ID) (map[string]string, error) {
	values := map[string]string{}
	all := func(core.Variable) bool { return true }
	err := s.open(ctx, project, all, func(key, value string) { values[key] = value })
	return values, err
}

func (s *Service) check(ctx context.Context, by core.Actor, project core.ID) error {
	_, err := s.deps.Gate.Project(ctx, by, core.ActionEnvironment, project)
	return err
}

// checkRoom returns an error for a variable too many.
func checkRoom(ctx context.Context, tables storage.Tables, project core.ID, key string) error {
	others, err := tables.Environment.List(ctx, project)
	if err != nil || len(others) < core.MaxVariables {
		return err
	}
	if _, err := tables.Environment.ByKey(ctx, project, key); !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	return core.Errorf(core.CodeConflict, "a project can have at most %d environment values: delete one first", core.MaxVariables)
}

// change changes variables, if the caller still has the right, and causes a new build. It
// increments the revision of the files in the same transaction, because the revision covers all
// inputs of a build: a caller that asks for a current build does not get an older one.
func (s *Service) change(ctx context.Context, by core.Actor, project core.ID, do func(context.Context, storage.Tables) error) error {
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := access.ProjectIn(ctx, tables, by, core.ActionEnvironment, project); err != nil {
			return err
		}
		if err := do(ctx, tables); err != nil {
			return err
		}
		_, err := tables.Files.Apply(ctx, project, storage.FileDelta{})
		return err
	})
	if err != nil {
		return err
	}
	if err := s.deps.Bus.Publish(ctx, core.Notice{Kind: core.NoticeFiles, ProjectID: project}); err != nil {
		s.deps.Log.WarnContext(ctx, "could not notify followers of changed environment values", "project", project, "error", err)
	}
	return nil
}

// open passes the values of the project's variables that wanted selects to take, by key.
func (s *Service) open(ctx context.Context, project core.ID, wanted func(core.Variable) bool, take func(key, value string)) error {
	project, err := s.holder(ctx, project)
	if err != nil {
		return err
	}
	variables, err := s.deps.Store.Tables().Environment.List(ctx, project)
	if err != nil {
		return err
	}
	for _, variable := range variables {
		if !wanted(variable) {
			continue
		}
		value, err := s.deps.Sealer.Open(variable.SealedValue, placeOf(project, variable.Key))
		if err != nil {
			return err
		}
		take(variable.Key, string(value))
	}
	return nil
}

// holder returns the project whose values a project has: a working copy has those of its project.
func (s *Service) holder(ctx context.Context, id core.ID) (core.ID, error) {
	project, err := s.deps.Store.Tables().Projects.ByID(ctx, id)
	if core.IsCode(err, core.CodeNotFound) || err == nil && project.CopyOf == nil {
		return id, nil
	}
	if err != nil {
		return "", err
	}
	return *project.CopyOf, nil
}

// placeOf binds a sealed value to the row that holds it.
func placeOf(project core.ID, key string) string {
	return "variables/" + string(project) + "/" + key + "/value"
}

// record writes a change, without the value, to the workspace's log.
func (s *Service) record(ctx context.Context, tables storage.Tables, by core.Actor, id core.ID, action core.AuditAction, key string) error {
	project, err := tables.Projects.ByID(ctx, id)
	if err != nil {
		return err
	}
	return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, action, key+" of "+project.Name)
}
