package access

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Gate guards every use case that touches a workspace or a project.
type Gate struct {
	store storage.Store
	named core.AdminEmails
}

// NewGate returns a gate that reads roles from store at every call, so that a changed
// role takes effect at once. named are addresses of admins of the installation.
func NewGate(store storage.Store, named ...string) *Gate { return &Gate{store, named} }

// Instance checks an action on the installation, and returns the caller. It returns
// core.CodeForbidden to callers without the role, and core.CodeInsufficientScope.
func (g *Gate) Instance(ctx context.Context, by core.Actor, action core.Action) (core.User, error) {
	return g.InstanceIn(ctx, g.store.Tables(), by, action)
}

// InstanceIn is Gate.Instance within a transaction, as WorkspaceIn is Gate.Workspace.
func (g *Gate) InstanceIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action) (core.User, error) {
	user, err := tables.Users.ByID(ctx, by.UserID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return core.User{}, err
	}
	if err := core.RuleOf(action).AuthorizeInstance(by, g.InstanceRole(user)); err != nil {
		return core.User{}, err
	}
	return user, nil
}

// InstanceRole returns a person's role in the installation.
func (g *Gate) InstanceRole(user core.User) core.InstanceRole { return user.InstanceRole(g.named) }

// CheckAdmins returns core.CodeConflict if the installation has no admin left: for the end of a
// transaction that takes somebody's role.
func (g *Gate) CheckAdmins(ctx context.Context, tables storage.Tables) error {
	admins, err := tables.Roster.Admins(ctx, g.named)
	if err == nil && admins == 0 {
		return core.Errorf(core.CodeConflict, "this is the last admin of the installation: first make somebody else an admin")
	}
	return err
}

// IsNamed reports whether the settings name a person as an admin.
func (g *Gate) IsNamed(user core.User) bool { return slices.Contains(g.named, user.Email) }

// Caller checks an action that belongs to no workspace. It returns
// core.CodeInsufficientScope for an API token without the scope.
func (g *Gate) Caller(by core.Actor, action core.Action) error {
	return core.RuleOf(action).Authorize(by, core.Standing{})
}

// Workspace returns the workspace and the caller's role in it. It returns
// core.CodeNotFound to callers who are not members, core.CodeForbidden to a member whose
// role is too low, core.CodeMFASetupRequired to one who lacks the second factor that the workspace
// requires, and core.CodeInsufficientScope.
func (g *Gate) Workspace(ctx context.Context, by core.Actor, action core.Action, id core.ID) (core.Workspace, core.Role, error) {
	return WorkspaceIn(ctx, g.store.Tables(), by, action, id)
}

// WorkspaceIn is Gate.Workspace within a transaction: for changes that must not happen if the
// caller loses the right at the same moment.
func WorkspaceIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action, id core.ID) (core.Workspace, core.Role, error) {
	workspace, standing, err := tables.Workspaces.SeenBy(ctx, id, by.UserID)
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return core.Workspace{}, "", err
	}
	if err := core.RuleOf(action).Authorize(by, standing); err != nil {
		return core.Workspace{}, "", err
	}
	return workspace, standing.Role, err
}

// Project returns the project if the caller may do action with it. It returns
// core.CodeNotFound for a soft-deleted project and to callers who may not know about it,
// core.CodeForbidden to those who see it but may not do action,
// core.CodeMFASetupRequired as Workspace does, and core.CodeInsufficientScope.
func (g *Gate) Project(ctx context.Context, by core.Actor, action core.Action, id core.ID) (core.Project, error) {
	return ProjectIn(ctx, g.store.Tables(), by, action, id)
}

// Files is Project for callers that use the project's files: it also returns their
// state, from the same query.
func (g *Gate) Files(ctx context.Context, by core.Actor, action core.Action, id core.ID) (storage.FileState, error) {
	seen, err := g.store.Tables().Files.SeenBy(ctx, id, by.UserID)
	if err != nil {
		return storage.FileState{}, err
	}
	return seen.State, authorizeLiving(by, action, seen.Access, seen.Standing)
}

// Person is Project for callers who act in their own name: it returns the user and the
// project's workspace.
func (g *Gate) Person(ctx context.Context, by core.Actor, action core.Action, id core.ID) (user core.User, workspace core.ID, err error) {
	on, err := g.store.Tables().Users.OnProject(ctx, by.UserID, id)
	if err == nil {
		err = authorizeLiving(by, action, on.Access, on.Standing)
	}
	if err != nil {
		return core.User{}, "", err
	}
	return on.User, on.WorkspaceID, nil
}

// authorizeLiving is authorize for projects that are not deleted.
func authorizeLiving(by core.Actor, action core.Action, project core.ProjectAccess, standing core.Standing) error {
	if err := authorize(by, action, project, standing); err != nil {
		return err
	}
	if project.Deleted {
		return core.NotFound("project")
	}
	return nil
}

// ProjectIn is Gate.Project within a transaction, as WorkspaceIn is Gate.Workspace: between a
// first check and the change, a project may be moved, hidden or deleted, and its caller
// may leave.
func ProjectIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action, id core.ID) (core.Project, error) {
	project, err := DeletedProjectIn(ctx, tables, by, action, id)
	if err == nil && project.DeletedAt != nil {
		return core.Project{}, core.NotFound("project")
	}
	return project, err
}

// DeletedProject is Project, but finds soft-deleted projects too. A project that is
// being removed permanently has core.CodeNotFound for every action but
// core.ActionProjectPurge.
func (g *Gate) DeletedProject(ctx context.Context, by core.Actor, action core.Action, id core.ID) (core.Project, error) {
	return DeletedProjectIn(ctx, g.store.Tables(), by, action, id)
}

// DeletedProjectIn is Gate.DeletedProject within a transaction.
func DeletedProjectIn(ctx context.Context, tables storage.Tables, by core.Actor, action core.Action, id core.ID) (core.Project, error) {
	project, standing, err := tables.Projects.SeenBy(ctx, id, by.UserID)
	if err != nil {
		return core.Project{}, err
	}
	if err := authorize(by, action, project.Access(), standing); err != nil {
		return core.Project{}, err
	}
	return project, nil
}

func authorize(by core.Actor, action core.Action, project core.ProjectAccess, standing core.Standing) error {
	if err := core.RuleOf(action).AuthorizeProject(by, standing, project); err != nil {
		return err
	}
	if project.Purging && action != core.ActionProjectPurge {
		return core.Errorf(core.CodeNotFound, "the project is being deleted permanently")
	}
	return nil
}
