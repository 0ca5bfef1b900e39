package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type users struct{ records records[core.User] }

func usersOf(session conn) records[core.User] {
	return records[core.User]{
		session: session,
		noun:    "user",
		table:   func(s *database) *table[core.ID, core.User] { return &s.users },
		id:      func(u core.User) core.ID { return u.ID },
		copy: func(u core.User) core.User {
			u.DisplayName, u.AvatarURL = copyOf(u.DisplayName), copyOf(u.AvatarURL)
			return u
		},
		pin: func(u *core.User, before core.User) { u.ID, u.CreatedAt = before.ID, before.CreatedAt },
		check: func(s *database, user core.User) error {
			for _, other := range s.users.rows {
				if other.Email == user.Email && other.ID != user.ID {
					return core.Errorf(core.CodeEmailTaken, "this e-mail address is in use")
				}
			}
			return nil
		},
	}
}

// Create implements storage.Users.
func (u users) Create(ctx context.Context, user core.User) error {
	return u.records.create(ctx, user)
}

// ByID implements storage.Users.
func (u users) ByID(ctx context.Context, id core.ID) (core.User, error) {
	return u.records.byID(ctx, id)
}

// ByEmail implements storage.Users.
func (u users) ByEmail(ctx context.Context, email string) (core.User, error) {
	return u.records.first(ctx, func(user core.User) bool { return user.Email == email })
}

// Any implements storage.Users.
func (u users) Any(ctx context.Context) (bool, error) {
	found, err := u.records.list(ctx, func(core.User) bool { return true }, nil)
	return len(found) > 0, err
}

// WithWorkspaces implements storage.Users.
func (u users) WithWorkspaces(ctx context.Context, id core.ID) (core.User, []core.JoinedWorkspace, error) {
	user, err := u.ByID(ctx, id)
	if err != nil {
		return core.User{}, nil, err
	}
	spaces, err := workspaces{workspacesOf(u.records.session)}.OfUser(ctx, id)
	return user, spaces, err
}

// OnProject implements storage.Users.
func (u users) OnProject(ctx context.Context, id, project core.ID) (storage.ProjectUser, error) {
	user, err := u.ByID(ctx, id)
	if err != nil {
		return storage.ProjectUser{}, err
	}
	found, standing, err := projects{projectsOf(u.records.session)}.SeenBy(ctx, project, id)
	if err != nil {
		return storage.ProjectUser{}, err
	}
	return storage.ProjectUser{User: user, WorkspaceID: found.WorkspaceID, Access: found.Access(), Standing: standing}, nil
}

// Update implements storage.Users.
func (u users) Update(ctx context.Context, id core.ID, change func(*core.User) error) (core.User, error) {
	return u.records.update(ctx, id, change)
}

// Delete implements storage.Users.
func (u users) Delete(ctx context.Context, id core.ID) error {
	return u.records.delete(ctx, id, func(state *database, id core.ID) {
		delete(state.users.edit(state), id)
		state.sessions.drop(state, func(s core.Session) bool { return s.UserID == id })
		state.tokens.drop(state, func(t core.APIToken) bool { return t.UserID == id })
		state.programGrants.drop(state, func(g core.ProgramGrant) bool { return g.UserID == id })
		state.identities.drop(state, func(i core.Identity) bool { return i.UserID == id })
		state.subscriptions.drop(state, func(s core.Subscription) bool { return s.UserID == id })
		state.tickets.drop(state, func(t core.Ticket) bool { return t.UserID == id })
		state.factors.drop(state, func(f core.Factor) bool { return f.UserID == id })
		state.passkeys.drop(state, func(p core.Passkey) bool { return p.UserID == id })
		state.members.drop(state, func(m core.Membership) bool { return m.UserID == id })
		state.groupGrants.drop(state, func(g core.GroupGrant) bool { return g.UserID == id })
	})
}
