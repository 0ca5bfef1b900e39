package storage

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type instanceSettings struct{ session conn }

// Get implements storage.InstanceSettings.
func (s instanceSettings) Get(ctx context.Context) (core.InstanceSettings, error) {
	state, err := s.session.view(ctx)
	if err != nil {
		return core.InstanceSettings{}, err
	}
	return copyOfInstance(state.instance), nil
}

func copyOfInstance(settings core.InstanceSettings) core.InstanceSettings {
	settings.SignupDomains, settings.CreditLimit = slices.Clone(settings.SignupDomains), copyOf(settings.CreditLimit)
	return settings
}

// Update implements storage.InstanceSettings.
func (s instanceSettings) Update(ctx context.Context, change func(*core.InstanceSettings) error) (changed core.InstanceSettings, err error) {
	err = s.session.change(ctx, func(state *database) error {
		settings := copyOfInstance(state.instance)
		if err := change(&settings); err != nil {
			return err
		}
		if err := storage.CheckText(settings); err != nil {
			return err
		}
		state.instance, changed = copyOfInstance(settings), settings
		return nil
	})
	return changed, err
}

type instanceInvites struct {
	records records[core.InstanceInvite]
}

func instanceInvitesOf(session conn) records[core.InstanceInvite] {
	return records[core.InstanceInvite]{
		session: session,
		noun:    "invite",
		table:   func(s *database) *table[core.ID, core.InstanceInvite] { return &s.instanceInvites },
		id:      func(i core.InstanceInvite) core.ID { return i.ID },
		copy:    func(i core.InstanceInvite) core.InstanceInvite { return i },
	}
}

// Create implements storage.InstanceInvites.
func (i instanceInvites) Create(ctx context.Context, invite core.InstanceInvite) error {
	if err := storage.CheckText(invite); err != nil {
		return err
	}
	return i.records.session.change(ctx, func(state *database) error {
		for _, other := range state.instanceInvites.rows {
			if other.Email != invite.Email && (other.ID == invite.ID || other.TokenHash == invite.TokenHash || other.LinkHash == invite.LinkHash) {
				return core.Errorf(core.CodeConflict, "this invite already exists")
			}
		}
		state.instanceInvites.drop(state, func(other core.InstanceInvite) bool { return other.Email == invite.Email })
		state.instanceInvites.edit(state)[invite.ID] = invite
		return nil
	})
}

// ByID implements storage.InstanceInvites.
func (i instanceInvites) ByID(ctx context.Context, id core.ID) (core.InstanceInvite, error) {
	return i.records.byID(ctx, id)
}

// ByHash implements storage.InstanceInvites.
func (i instanceInvites) ByHash(ctx context.Context, hash string) (core.InstanceInvite, error) {
	return i.records.first(ctx, func(invite core.InstanceInvite) bool { return invite.TokenHash == hash || invite.LinkHash == hash })
}

// ByEmail implements storage.InstanceInvites.
func (i instanceInvites) ByEmail(ctx context.Context, email string) (core.InstanceInvite, error) {
	return i.records.first(ctx, func(invite core.InstanceInvite) bool { return invite.Email == email })
}

// List implements storage.InstanceInvites.
func (i instanceInvites) List(ctx context.Context) ([]core.InstanceInvite, error) {
	return i.records.list(ctx, func(core.InstanceInvite) bool { return true }, func(a, b core.InstanceInvite) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Delete implements storage.InstanceInvites.
func (i instanceInvites) Delete(ctx context.Context, id core.ID) error {
	return i.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.instanceInvites.edit(state), id) })
}

// Prune implements storage.InstanceInvites.
func (i instanceInvites) Prune(ctx context.Context, before core.Time) error {
	return i.records.session.change(ctx, func(state *database) error {
		state.instanceInvites.drop(state, func(invite core.InstanceInvite) bool { return invite.ExpiresAt < before })
		return nil
	})
}

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
		person := core.Person{User: user}
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

// Admins implements storage.Roster.
func (r roster) Admins(ctx context.Context, named core.AdminEmails) (int, error) {
	state, err := r.session.view(ctx)
	if err != nil {
		return 0, err
	}
	return len(usersOf(r.session).listIn(state, func(user core.User) bool { return user.InstanceRole(named) == core.InstanceAdmin }, nil)), nil
}
