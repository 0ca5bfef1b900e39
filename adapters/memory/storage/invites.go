package storage

import (
	"cmp"
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type invites struct{ records records[core.Invite] }

func invitesOf(session conn) records[core.Invite] {
	return records[core.Invite]{
		session: session,
		noun:    "invite",
		table:   func(s *database) *table[core.ID, core.Invite] { return &s.invites },
		id:      func(i core.Invite) core.ID { return i.ID },
		copy:    func(i core.Invite) core.Invite { return i },
	}
}

// Create implements storage.Invites.
func (i invites) Create(ctx context.Context, invite core.Invite) error {
	if err := storage.CheckText(invite); err != nil {
		return err
	}
	return i.records.session.change(ctx, func(state *database) error {
		if !state.workspaces.has(invite.WorkspaceID) {
			return core.NotFound("workspace")
		}
		isEarlier := func(other core.Invite) bool {
			return other.WorkspaceID == invite.WorkspaceID && other.Email == invite.Email
		}
		for _, other := range state.invites.rows {
			if !isEarlier(other) && (other.ID == invite.ID || opens(other, invite.TokenHash) || invite.LinkHash != nil && opens(other, *invite.LinkHash)) {
				return core.Errorf(core.CodeConflict, "this invite already exists")
			}
		}
		state.invites.drop(state, isEarlier)
		state.invites.edit(state)[invite.ID] = invite
		return nil
	})
}

// ByID implements storage.Invites.
func (i invites) ByID(ctx context.Context, id core.ID) (core.Invite, error) {
	return i.records.byID(ctx, id)
}

// ByHash implements storage.Invites.
func (i invites) ByHash(ctx context.Context, hash string) (core.Invite, error) {
	return i.records.first(ctx, func(invite core.Invite) bool { return opens(invite, hash) })
}

// opens reports whether a hash is that of one of an invite's secrets.
func opens(invite core.Invite, hash string) bool {
	return invite.TokenHash == hash || invite.LinkHash != nil && *invite.LinkHash == hash
}

// SetLink implements storage.Invites.
func (i invites) SetLink(ctx context.Context, id core.ID, hash string) error {
	return i.records.session.change(ctx, func(state *database) error {
		invite, found := state.invites.rows[id]
		if !found {
			return core.NotFound("invite")
		}
		for _, other := range state.invites.rows {
			if other.ID != id && opens(other, hash) {
				return core.Errorf(core.CodeConflict, "this invite already exists")
			}
		}
		invite.LinkHash = &hash
		state.invites.edit(state)[id] = invite
		return nil
	})
}

// List implements storage.Invites.
func (i invites) List(ctx context.Context, filter storage.InviteFilter) ([]core.Invite, error) {
	wanted := func(invite core.Invite) bool {
		if filter.Email != "" {
			return invite.Email == filter.Email
		}
		return invite.WorkspaceID == filter.WorkspaceID
	}
	return i.records.list(ctx, wanted, func(a, b core.Invite) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Delete implements storage.Invites.
func (i invites) Delete(ctx context.Context, id core.ID) error {
	return i.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.invites.edit(state), id) })
}

// Prune implements storage.Invites.
func (i invites) Prune(ctx context.Context, before core.Time) error {
	return i.records.session.change(ctx, func(state *database) error {
		state.invites.drop(state, func(invite core.Invite) bool { return invite.ExpiresAt < before })
		return nil
	})
}
