package workspaces

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/storage"
)

// MemberDeps has the dependencies of the use cases around the members of workspaces.
type MemberDeps struct {
	// Quotas bound how many workspaces a person owns.
	Quotas core.Quotas
	Store  storage.Store
	Audit  *audit.Log
	// Runs stops the agent's runs for a member who left.
	Runs Runs
	// Trash removes the projects of workspaces that nobody belongs to any more.
	Trash Trash
	Bus   broadcast.Bus
	// Hooks tells webhooks of changed members; nil tells none.
	Hooks *webhooks.Queue
	Log   *slog.Logger
}

// Runs stops the agent; chat.Runs implements it.
type Runs interface {
	StopOf(ctx context.Context, project, user core.ID) error
}

// Members has the use cases around the members of a workspace. Many goroutines may
// use it.
//
// Every change reads the roles in its own transaction, so that of two concurrent
// changes the second sees the first.
type Members struct{ MemberDeps }

// NewMembers returns the use cases.
func NewMembers(deps MemberDeps) *Members { return &Members{deps} }

// List returns a workspace's members, the oldest member first. Only admins learn who has a second
// factor: the others would know whose account is the easiest to take.
func (m *Members) List(ctx context.Context, by core.Actor, workspace core.ID) ([]core.Member, error) {
	tables := m.Store.Tables()
	_, role, err := access.WorkspaceIn(ctx, tables, by, core.ActionMemberRead, workspace)
	if err != nil {
		return nil, err
	}
	members, err := tables.Members.List(ctx, workspace)
	if !role.AtLeast(core.RoleAdmin) {
		for i := range members {
			members[i].SecondFactor = nil
		}
	}
	return members, err
}

// SetRole changes a member's role. Only an owner makes or removes owners, and
// nobody gives a role above their own: else it returns core.CodeForbidden. It
// returns core.CodeConflict for the last owner and the founder of a personal
// workspace, who must stay owners, and for a new owner who owns as many workspaces
// as a person may.
func (m *Members) SetRole(ctx context.Context, by core.Actor, workspace, user core.ID, role core.Role) (core.Member, error) {
	var member core.Member
	changed := false
	err := m.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, own, err := access.WorkspaceIn(ctx, tables, by, core.ActionMemberWrite, workspace)
		if err != nil {
			return err
		}
		if member, err = tables.Members.ByID(ctx, workspace, user); err != nil {
			return err
		}
		if err := checkRank(own, member.Role, role); err != nil {
			return err
		}
		if changed = member.Role != role; !changed {
			return nil
		}
		if err := checkDispensable(ctx, tables, space, member); err != nil {
			return err
		}
		if role == core.RoleOwner {
			if err := checkOwned(ctx, tables, m.Quotas, user); err != nil {
				return err
			}
		}
		target := fmt.Sprintf("%s: %s → %s", member.Email, member.Role, role)
		member.Role = role
		if err := put(ctx, tables, workspace, user, role); err != nil {
			return err
		}
		if err := m.Hooks.Add(ctx, tables, webhooks.MemberChanged(workspace, user, webhooks.MemberRoleChanged, role)); err != nil {
			return err
		}
		return m.Audit.Record(ctx, tables, by, workspace, core.AuditMemberRoleChanged, target)
	})
	if err == nil && changed {
		m.announce(ctx, workspace)
	}
	return member, err
}

// checkRank returns an error for giving or removing a role above the caller's own.
func checkRank(own core.Role, roles ...core.Role) error {
	for _, role := range roles {
		if !own.AtLeast(role) {
			return core.Errorf(core.CodeForbidden, "only an %s may give or remove the role %s", role, role)
		}
	}
	return nil
}

// checkDispensable returns an error if the workspace needs the member as an owner.
func checkDispensable(ctx context.Context, tables storage.Tables, space core.Workspace, member core.Member) error {
	if member.Role != core.RoleOwner {
		return nil
	}
	if space.Personal && member.Founded(space) {
		return core.Errorf(core.CodeConflict, "the owner of a personal workspace cannot leave it, be removed or change role")
	}
	owners, err := tables.Members.Owners(ctx, space.ID)
	if err == nil && owners < 2 {
		return core.Errorf(core.CodeConflict, "a workspace needs an owner, and this is the last one: make somebody else an owner first")
	}
	return err
}

// put gives a person a role and increments the workspace's MembersVersion.
func put(ctx context.Context, tables storage.Tables, workspace, user core.ID, role core.Role) error {
	member, err := tables.Members.ByID(ctx, workspace, user)
	if err != nil {
		return err
	}
	membership := core.Membership{WorkspaceID: workspace, UserID: user, Role: role, JoinedAt: member.JoinedAt}
	if err := tables.Workspaces.PutMember(ctx, membership); err != nil {
		return err
	}
	return raise(ctx, tables, workspace)
}

// raise increments the workspace's MembersVersion.
func raise(ctx context.Context, tables storage.Tables, workspace core.ID) error {
	_, err := tables.Workspaces.Update(ctx, workspace, func(space *core.Workspace) error {
		space.MembersVersion++
		return nil
	})
	return err
}

// Remove removes a member from a workspace. Everybody may leave; removing somebody
// else requires an admin, and removing an owner an owner, else it returns
// core.CodeForbidden. It returns core.CodeConflict for the last owner and the
// founder of a personal workspace. The agent's runs for the person are stopped, and
// with the membership ends what they made to let others in (takeOut); everything else
// that they made stays.
func (m *Members) Remove(ctx context.Context, by core.Actor, workspace, user core.ID) error {
	err := m.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, own, err := access.WorkspaceIn(ctx, tables, by, core.ActionMemberRemove, workspace)
		if err != nil {
			return err
		}
		if user != by.UserID {
			if err := core.RuleOf(core.ActionMemberWrite).Authorize(by, core.Standing{Role: own}); err != nil {
				return err
			}
		}
		member, err := tables.Members.ByID(ctx, workspace, user)
		if err != nil {
			return err
		}
		if err := checkRank(own, member.Role); err != nil {
			return err
		}
		if err := checkDispensable(ctx, tables, space, member); err != nil {
			return err
		}
		if err := m.takeOut(ctx, tables, by, workspace, member); err != nil {
			return err
		}
		if err := m.Hooks.Add(ctx, tables, webhooks.MemberChanged(workspace, user, webhooks.MemberRemoved, core.RoleNone)); err != nil {
			return err
		}
		return m.Audit.Record(ctx, tables, by, workspace, core.AuditMemberRemoved, member.Email)
	})
	if err == nil {
		m.announce(ctx, workspace, user)
	}
	return err
}

// takeOut ends a membership, and with it what the member made to let others in: their invites, which
// are void and would be valid again with a new membership, and their links to previews.
func (m *Members) takeOut(ctx context.Context, tables storage.Tables, by core.Actor, workspace core.ID, member core.Member) error {
	if err := dropInvites(ctx, tables, workspace, member.UserID); err != nil {
		return err
	}
	links, err := tables.PreviewLinks.DeleteOf(ctx, workspace, member.UserID)
	if err == nil && links > 0 {
		err = m.Audit.Record(ctx, tables, by, workspace, core.AuditPreviewUnshared, fmt.Sprintf("all by %s: %d", member.Email, links))
	}
	if err == nil {
		err = tables.Members.Remove(ctx, workspace, member.UserID)
	}
	if err == nil {
		err = raise(ctx, tables, workspace)
	}
	return err
}

// Transfer makes another member the owner and the caller an admin. A personal
// workspace cannot be transferred: core.CodeConflict. The caller's own id has code
// core.CodeValidationFailed.
func (m *Members) Transfer(ctx context.Context, by core.Actor, workspace, to core.ID) (View, error) {
	var view View
	err := m.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionWorkspaceTransfer, workspace)
		if err != nil {
			return err
		}
		if space.Personal {
			return core.Errorf(core.CodeConflict, "a personal workspace cannot be transferred")
		}
		if to == by.UserID {
			return core.Errorf(core.CodeValidationFailed, "userId must be another member: you already own the workspace")
		}
		member, err := tables.Members.ByID(ctx, workspace, to)
		if err != nil {
			return err
		}
		if member.Role != core.RoleOwner {
			if err := checkOwned(ctx, tables, m.Quotas, to); err != nil {
				return err
			}
		}
		if err := put(ctx, tables, workspace, to, core.RoleOwner); err != nil {
			return err
		}
		if err := put(ctx, tables, workspace, by.UserID, core.RoleAdmin); err != nil {
			return err
		}
		err = m.Hooks.Add(ctx, tables,
			webhooks.MemberChanged(workspace, to, webhooks.MemberRoleChanged, core.RoleOwner),
			webhooks.MemberChanged(workspace, by.UserID, webhooks.MemberRoleChanged, core.RoleAdmin))
		if err != nil {
			return err
		}
		view = View{space, core.RoleAdmin}
		return m.Audit.Record(ctx, tables, by, workspace, core.AuditWorkspaceTransfer, member.Email)
	})
	if err == nil {
		m.announce(ctx, workspace)
	}
	return view, err
}
