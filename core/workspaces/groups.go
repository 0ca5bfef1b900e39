package workspaces

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

// GroupRoles are the roles that groups at a company provider give to a person at a sign-in.
type GroupRoles struct {
	Provider core.CompanyProvider
	Person   core.User
	// Roles are those in workspaces; the person has no other role through the provider.
	Roles map[core.ID]core.Role
}

// ApplyGroups gives a person the roles of their groups, and withdraws those that the provider gave
// before and gives no more, in the transaction that signs them in. by has the address of the call.
//
// A role that somebody has by themselves stays: it is what they had before, or what a person raised
// it to since. The last owner of a workspace stays its owner, and a workspace that may have no more
// members gets none; the log of the workspace says so, and the next sign-in tries again. Personal
// workspaces and those that are gone are left out.
//
// announce, to be called once the transaction has committed, tells the people concerned.
func (m *Members) ApplyGroups(ctx context.Context, tables storage.Tables, by core.Actor, groups GroupRoles) (announce func(context.Context), err error) {
	grants, err := tables.GroupGrants.Of(ctx, groups.Provider.ID, groups.Person.ID)
	if err != nil {
		return nil, err
	}
	held := map[core.ID]core.GroupGrant{}
	for _, grant := range grants {
		held[grant.WorkspaceID] = grant
	}
	spaces := slices.Sorted(maps.Keys(groups.Roles))
	for _, grant := range grants {
		if groups.Roles[grant.WorkspaceID] == core.RoleNone {
			spaces = append(spaces, grant.WorkspaceID)
		}
	}
	by.UserID = groups.Person.ID
	a := groupChange{Members: m, GroupRoles: groups, tables: tables, by: by}
	changed := map[core.ID]core.ID{}
	for _, id := range spaces {
		role, altered, err := a.apply(ctx, id, held[id])
		if err != nil {
			return nil, err
		}
		if altered {
			changed[id] = ""
			if role == core.RoleNone {
				changed[id] = groups.Person.ID
			}
		}
	}
	return func(ctx context.Context) {
		for space, gone := range changed {
			m.announce(ctx, space, gone)
		}
	}, nil
}

// groupChange is the work of ApplyGroups.
type groupChange struct {
	*Members
	GroupRoles
	tables storage.Tables
	by     core.Actor
}

// settled returns the role that somebody gets who has role and whom groups give want, and the role
// that they have by themselves. grant is what the groups gave before.
func settled(role, want core.Role, grant core.GroupGrant) (next, own core.Role) {
	own = role
	if grant.Role != core.RoleNone && grant.Role.AtLeast(role) && role.AtLeast(grant.Before) {
		own = grant.Before
	}
	if own.AtLeast(want) {
		return own, own
	}
	return want, own
}

// apply changes the role in one workspace, and returns the new one if it is another.
func (a groupChange) apply(ctx context.Context, id core.ID, grant core.GroupGrant) (core.Role, bool, error) {
	space, standing, err := a.tables.Workspaces.SeenBy(ctx, id, a.Person.ID)
	if core.IsCode(err, core.CodeNotFound) || err == nil && space.Personal {
		return core.RoleNone, false, nil
	}
	if err != nil {
		return core.RoleNone, false, err
	}
	role := standing.Role
	next, own := settled(role, a.Roles[id], grant)
	if next != role {
		err := a.check(ctx, space, role, next)
		if core.IsCode(err, core.CodeConflict) {
			return role, false, a.record(ctx, id, core.AuditGroupRefused, err.Error())
		}
		if err == nil {
			err = a.set(ctx, id, role, next)
		}
		if err != nil {
			return core.RoleNone, false, err
		}
	}
	return next, next != role, a.remember(ctx, id, next, own)
}

// remember stores what the groups gave, if that is more than the person's own role.
func (a groupChange) remember(ctx context.Context, id core.ID, role, own core.Role) error {
	if role == own {
		return a.tables.GroupGrants.Delete(ctx, a.Provider.ID, id, a.Person.ID)
	}
	return a.tables.GroupGrants.Put(ctx, core.GroupGrant{
		ProviderID: a.Provider.ID, WorkspaceID: id, UserID: a.Person.ID, Role: role, Before: own, CreatedAt: core.At(a.Store.Now()),
	})
}

// check returns core.CodeConflict for a change that the workspace or the person's quota forbids.
func (a groupChange) check(ctx context.Context, space core.Workspace, role, next core.Role) error {
	if role != core.RoleNone {
		member, err := a.tables.Members.ByID(ctx, space.ID, a.Person.ID)
		if err != nil {
			return err
		}
		if err := checkDispensable(ctx, a.tables, space, member); err != nil {
			return err
		}
	} else if err := checkMembers(ctx, a.tables, a.Quotas, space.ID); err != nil {
		return err
	}
	if next == core.RoleOwner {
		return checkOwned(ctx, a.tables, a.Quotas, a.Person.ID)
	}
	return nil
}

// set stores the role and tells the log and webhooks.
func (a groupChange) set(ctx context.Context, id core.ID, role, next core.Role) error {
	change, action, target := webhooks.MemberRoleChanged, core.AuditMemberRoleChanged, fmt.Sprintf("%s → %s", role, next)
	var err error
	switch core.RoleNone {
	case role:
		change, action, target = webhooks.MemberJoined, core.AuditMemberJoined, string(next)
		membership := core.Membership{WorkspaceID: id, UserID: a.Person.ID, Role: next, JoinedAt: core.At(a.Store.Now())}
		if err = a.tables.Workspaces.PutMember(ctx, membership); err == nil {
			err = raise(ctx, a.tables, id)
		}
	case next:
		change, action, target = webhooks.MemberRemoved, core.AuditMemberRemoved, "removed"
		err = a.takeOut(ctx, a.tables, a.by, id, core.Member{UserID: a.Person.ID, Email: a.Person.Email})
	default:
		err = put(ctx, a.tables, id, a.Person.ID, next)
	}
	if err != nil {
		return err
	}
	if err := a.Hooks.Add(ctx, a.tables, webhooks.MemberChanged(id, a.Person.ID, change, next)); err != nil {
		return err
	}
	return a.record(ctx, id, action, target)
}

func (a groupChange) record(ctx context.Context, workspace core.ID, action core.AuditAction, what string) error {
	return a.Audit.Record(ctx, a.tables, a.by, workspace, action, fmt.Sprintf("%s: %s by groups of %s", a.Person.Email, what, a.Provider.Name))
}
