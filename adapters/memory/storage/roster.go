package storage

import (
	"cmp"
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type roster struct{ session conn }

// List implements storage.Roster.
func (r roster) List(ctx context.Context, query string, page core.Page) ([]core.Person, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return nil, err
	}
	text := strings.Map(lowerASCII, query)
	found := usersOf(r.session).listIn(state, func(user core.User) bool {
		name := ""
		if user.DisplayName != nil {
			name = strings.Map(lowerASCII, *user.DisplayName)
		}
		return (strings.Contains(user.Email, text) || strings.Contains(name, text)) && isBehind(user.CreatedAt, user.ID, page.Before)
	}, func(a, b core.User) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	people := []core.Person{}
	for _, user := range found[:min(len(found), max(0, page.Limit))] {
		person := core.Person{User: user, SecondFactor: state.factors.rows[user.ID].On()}
		for _, session := range state.sessions.rows {
			if session.UserID == user.ID {
				person.LastSeenAt = max(person.LastSeenAt, session.LastSeenAt)
			}
		}
		for key := range state.members.rows {
			if key.user == user.ID {
				person.Workspaces++
			}
		}
		people = append(people, person)
	}
	return people, nil
}

func lowerASCII(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// Workspaces implements storage.Roster.
func (r roster) Workspaces(ctx context.Context, filter storage.WorkspaceFilter, page core.Page) ([]core.WorkspaceUse, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return nil, err
	}
	text := strings.Map(lowerASCII, filter.Query)
	owners := map[core.ID]string{}
	found := workspacesOf(r.session).listIn(state, func(space core.Workspace) bool {
		owners[space.ID] = ownerIn(state, space.ID)
		matches := func(part string) bool { return strings.Contains(part, text) }
		return (filter.ID == "" || filter.ID == space.ID) && isBehind(space.CreatedAt, space.ID, page.Before) &&
			(matches(strings.Map(lowerASCII, space.Name)) || matches(space.Slug) || matches(owners[space.ID]))
	}, func(a, b core.Workspace) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
	uses := []core.WorkspaceUse{}
	for _, space := range found[:min(len(found), max(0, page.Limit))] {
		use := core.WorkspaceUse{Workspace: space, Owner: owners[space.ID]}
		for key := range state.members.rows {
			if key.workspace == space.ID {
				use.Members++
			}
		}
		for _, project := range state.projects.rows {
			if project.WorkspaceID != space.ID {
				continue
			}
			if project.CopyOf == nil {
				use.Projects++
			}
			for _, entry := range state.files.rows[project.ID].rows {
				use.Bytes += entry.Size
			}
		}
		uses = append(uses, use)
	}
	return uses, nil
}

// ownerIn returns the address of the owner of a workspace who joined first.
func ownerIn(state *database, workspace core.ID) string {
	var first core.Membership
	for key, member := range state.members.rows {
		if key.workspace == workspace && member.Role == core.RoleOwner &&
			(first.UserID == "" || cmp.Or(cmp.Compare(member.JoinedAt, first.JoinedAt), cmp.Compare(key.user, first.UserID)) < 0) {
			first = member
			first.UserID = key.user
		}
	}
	return state.users.rows[first.UserID].Email
}

// Admins implements storage.Roster.
func (r roster) Admins(ctx context.Context, named core.AdminEmails) (int, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return 0, err
	}
	return len(usersOf(r.session).listIn(state, func(user core.User) bool { return user.InstanceRole(named) == core.InstanceAdmin }, nil)), nil
}
