package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// memberKey is the key of a membership.
type memberKey struct{ workspace, user core.ID }

type workspaces struct{ records records[core.Workspace] }

func workspacesOf(session conn) records[core.Workspace] {
	return records[core.Workspace]{
		session: session,
		noun:    "workspace",
		table:   func(s *database) *table[core.ID, core.Workspace] { return &s.workspaces },
		id:      func(w core.Workspace) core.ID { return w.ID },
		copy: func(w core.Workspace) core.Workspace {
			w.CreditLimit, w.CreditCap, w.CommandHosts = copyOf(w.CreditLimit), copyOf(w.CreditCap), slices.Clone(w.CommandHosts)
			return w
		},
		pin:   func(w *core.Workspace, before core.Workspace) { w.ID, w.CreatedAt = before.ID, before.CreatedAt },
		check: func(*database, core.Workspace) error { return nil },
	}
}

// Create implements storage.Workspaces.
func (w workspaces) Create(ctx context.Context, workspace core.Workspace) error {
	return w.records.create(ctx, workspace)
}

// ByID implements storage.Workspaces.
func (w workspaces) ByID(ctx context.Context, id core.ID) (core.Workspace, error) {
	return w.records.byID(ctx, id)
}

// SeenBy implements storage.Workspaces.
func (w workspaces) SeenBy(ctx context.Context, id, user core.ID) (core.Workspace, core.Standing, error) {
	state, err := w.records.session.view(ctx)
	if err != nil {
		return core.Workspace{}, core.Standing{}, err
	}
	workspace, err := w.records.in(state, id)
	return workspace, state.standing(id, user), err
}

// standing returns what a user is in a workspace.
func (s *database) standing(workspace, user core.ID) core.Standing {
	member, found := s.members.rows[memberKey{workspace, user}]
	return core.Standing{
		Role:        member.Role,
		LacksFactor: found && s.workspaces.rows[workspace].RequireMFA && !s.factors.rows[user].On(),
	}
}

// OfUser implements storage.Workspaces.
func (w workspaces) OfUser(ctx context.Context, user core.ID) ([]core.JoinedWorkspace, error) {
	state, err := w.records.session.view(ctx)
	if err != nil {
		return nil, err
	}
	isMember := func(ws core.Workspace) bool { return state.members.has(memberKey{ws.ID, user}) }
	spaces := w.records.listIn(state, isMember, func(a, b core.Workspace) int {
		if a.Personal != b.Personal {
			if a.Personal {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	joined := make([]core.JoinedWorkspace, len(spaces))
	for i, space := range spaces {
		member := state.members.rows[memberKey{space.ID, user}]
		joined[i] = core.JoinedWorkspace{Workspace: space, Role: member.Role, JoinedAt: member.JoinedAt}
	}
	return joined, nil
}

// Update implements storage.Workspaces.
func (w workspaces) Update(ctx context.Context, id core.ID, change func(*core.Workspace) error) (core.Workspace, error) {
	return w.records.update(ctx, id, change)
}

// Delete implements storage.Workspaces.
func (w workspaces) Delete(ctx context.Context, id core.ID) error {
	return w.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.workspaces.edit(state), id)
		state.members.drop(state, func(m core.Membership) bool { return m.WorkspaceID == id })
		state.folders.drop(state, func(f core.Folder) bool { return f.WorkspaceID == id })
		state.providers.drop(state, func(p core.Provider) bool { return p.WorkspaceID == id })
		state.invites.drop(state, func(i core.Invite) bool { return i.WorkspaceID == id })
		state.modes.drop(state, func(m core.Mode) bool { return m.WorkspaceID == id })
		state.commands.drop(state, func(c core.Command) bool { return c.WorkspaceID == id })
		state.dropWebhooks(func(w core.Webhook) bool { return w.WorkspaceID == id })
		state.connectors.drop(state, func(c core.Connector) bool { return c.WorkspaceID == id })
		state.dropTemplates(func(t core.SharedTemplate) bool { return t.WorkspaceID == id })
		state.creditHolds.drop(state, func(h core.CreditHold) bool { return h.WorkspaceID == id })
		state.groupGrants.drop(state, func(g core.GroupGrant) bool { return g.WorkspaceID == id })
		for key := range state.usage.rows {
			if key.workspace == id {
				delete(state.usage.edit(state), key)
			}
		}
		for _, project := range state.projects.drop(state, func(p core.Project) bool { return p.WorkspaceID == id }) {
			state.dropProject(project.ID)
		}
	})
}

// PutMember implements storage.Workspaces.
func (w workspaces) PutMember(ctx context.Context, member core.Membership) error {
	if err := storage.CheckText(member); err != nil {
		return err
	}
	return w.records.session.change(ctx, func(state *database) error {
		if !state.workspaces.has(member.WorkspaceID) {
			return core.NotFound("workspace")
		}
		if !state.users.has(member.UserID) {
			return core.NotFound("user")
		}
		key := memberKey{member.WorkspaceID, member.UserID}
		if before, found := state.members.rows[key]; found {
			member.JoinedAt = before.JoinedAt
		}
		state.members.edit(state)[key] = member
		return nil
	})
}

// Role implements storage.Workspaces.
func (w workspaces) Role(ctx context.Context, workspace, user core.ID) (core.Role, error) {
	state, err := w.records.session.view(ctx)
	if err != nil {
		return core.RoleNone, err
	}
	return state.members.rows[memberKey{workspace, user}].Role, nil
}

type folders struct{ records records[core.Folder] }

func foldersOf(session conn) records[core.Folder] {
	return records[core.Folder]{
		session: session,
		noun:    "folder",
		table:   func(s *database) *table[core.ID, core.Folder] { return &s.folders },
		pin: func(changed *core.Folder, before core.Folder) {
			changed.ID, changed.WorkspaceID, changed.CreatedAt = before.ID, before.WorkspaceID, before.CreatedAt
		},
		id: func(f core.Folder) core.ID { return f.ID },
		copy: func(f core.Folder) core.Folder {
			f.ParentID = copyOf(f.ParentID)
			return f
		},
		check: func(s *database, folder core.Folder) error {
			if !s.workspaces.has(folder.WorkspaceID) {
				return core.NotFound("workspace")
			}
			if folder.ParentID != nil && !s.folders.has(*folder.ParentID) {
				return core.NotFound("folder")
			}
			return nil
		},
	}
}

// Create implements storage.Folders.
func (f folders) Create(ctx context.Context, folder core.Folder) error {
	return f.records.create(ctx, folder)
}

// ByID implements storage.Folders.
func (f folders) ByID(ctx context.Context, id core.ID) (core.Folder, error) {
	return f.records.byID(ctx, id)
}

// List implements storage.Folders.
func (f folders) List(ctx context.Context, workspace core.ID) ([]core.Folder, error) {
	inWorkspace := func(folder core.Folder) bool { return folder.WorkspaceID == workspace }
	return f.records.list(ctx, inWorkspace, func(a, b core.Folder) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Folders.
func (f folders) Update(ctx context.Context, id core.ID, change func(*core.Folder) error) (core.Folder, error) {
	return f.records.update(ctx, id, change)
}

// Delete implements storage.Folders.
func (f folders) Delete(ctx context.Context, id core.ID) error {
	return f.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.folders.edit(state), id)
		for key, folder := range state.folders.rows {
			if folder.ParentID != nil && *folder.ParentID == id {
				folder.ParentID = nil
				state.folders.edit(state)[key] = folder
			}
		}
		for key, project := range state.projects.rows {
			if project.FolderID != nil && *project.FolderID == id {
				project.FolderID = nil
				state.projects.edit(state)[key] = project
			}
		}
	})
}
