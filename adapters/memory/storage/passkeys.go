package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type passkeys struct{ records records[core.Passkey] }

func passkeysOf(session conn) records[core.Passkey] {
	return records[core.Passkey]{
		session: session,
		noun:    "passkey",
		table:   func(s *database) *table[core.ID, core.Passkey] { return &s.passkeys },
		id:      func(p core.Passkey) core.ID { return p.ID },
		copy: func(p core.Passkey) core.Passkey {
			p.PublicKey, p.Transports, p.LastUsedAt = slices.Clone(p.PublicKey), slices.Clone(p.Transports), copyOf(p.LastUsedAt)
			return p
		},
		pin: func(changed *core.Passkey, before core.Passkey) {
			before.Name, before.SignCount, before.LastUsedAt = changed.Name, changed.SignCount, changed.LastUsedAt
			*changed = before
		},
		check: func(s *database, passkey core.Passkey) error {
			for _, other := range s.passkeys.rows {
				if other.CredentialID == passkey.CredentialID && other.ID != passkey.ID {
					return core.Errorf(core.CodeConflict, "this passkey already exists")
				}
			}
			if !s.users.has(passkey.UserID) {
				return core.NotFound("user")
			}
			return nil
		},
	}
}

// Create implements storage.Passkeys.
func (p passkeys) Create(ctx context.Context, passkey core.Passkey) error {
	return p.records.create(ctx, passkey)
}

// ByCredential implements storage.Passkeys.
func (p passkeys) ByCredential(ctx context.Context, credential string) (core.Passkey, error) {
	return p.records.first(ctx, func(passkey core.Passkey) bool { return passkey.CredentialID == credential })
}

// OfUser implements storage.Passkeys.
func (p passkeys) OfUser(ctx context.Context, user core.ID) ([]core.Passkey, error) {
	ofUser := func(passkey core.Passkey) bool { return passkey.UserID == user }
	return p.records.list(ctx, ofUser, func(a, b core.Passkey) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.Passkeys.
func (p passkeys) Update(ctx context.Context, id core.ID, change func(*core.Passkey) error) (core.Passkey, error) {
	return p.records.update(ctx, id, change)
}

// Delete implements storage.Passkeys.
func (p passkeys) Delete(ctx context.Context, user, id core.ID) (passkey core.Passkey, err error) {
	err = p.records.session.change(ctx, func(state *database) error {
		found, err := p.records.in(state, id)
		if err != nil {
			return err
		}
		if found.UserID != user {
			return core.NotFound("passkey")
		}
		passkey = found
		delete(state.passkeys.edit(state), id)
		return nil
	})
	return passkey, err
}

// DeleteOf implements storage.Passkeys.
func (p passkeys) DeleteOf(ctx context.Context, user core.ID) error {
	return p.records.session.change(ctx, func(state *database) error {
		state.passkeys.drop(state, func(passkey core.Passkey) bool { return passkey.UserID == user })
		return nil
	})
}
