package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type tokens struct{ records records[core.APIToken] }

func tokensOf(session conn) records[core.APIToken] {
	return records[core.APIToken]{
		session: session,
		noun:    "token",
		table:   func(s *database) *table[core.ID, core.APIToken] { return &s.tokens },
		id:      func(t core.APIToken) core.ID { return t.ID },
		copy: func(t core.APIToken) core.APIToken {
			t.Scopes, t.LastUsedAt, t.ExpiresAt = slices.Clone(t.Scopes), copyOf(t.LastUsedAt), copyOf(t.ExpiresAt)
			return t
		},
		check: func(s *database, token core.APIToken) error {
			for _, other := range s.tokens.rows {
				if other.TokenHash == token.TokenHash && other.ID != token.ID {
					return core.Errorf(core.CodeConflict, "this token already exists")
				}
			}
			if !s.users.has(token.UserID) {
				return core.NotFound("user")
			}
			return nil
		},
	}
}

// Create implements storage.APITokens.
func (t tokens) Create(ctx context.Context, token core.APIToken) error {
	return t.records.create(ctx, token)
}

// ByHash implements storage.APITokens.
func (t tokens) ByHash(ctx context.Context, hash string) (core.APIToken, error) {
	return t.records.first(ctx, func(token core.APIToken) bool { return token.TokenHash == hash })
}

// List implements storage.APITokens.
func (t tokens) List(ctx context.Context, user core.ID) ([]core.APIToken, error) {
	ofUser := func(token core.APIToken) bool { return token.UserID == user }
	return t.records.list(ctx, ofUser, func(a, b core.APIToken) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Touch implements storage.APITokens.
func (t tokens) Touch(ctx context.Context, id core.ID, at core.Time) error {
	return t.records.session.change(ctx, func(state *database) error {
		token, err := t.records.in(state, id)
		if err != nil {
			return err
		}
		if token.LastUsedAt == nil || *token.LastUsedAt < at {
			token.LastUsedAt = &at
		}
		return t.records.put(state, token)
	})
}

// Delete implements storage.APITokens.
func (t tokens) Delete(ctx context.Context, user, id core.ID) (token core.APIToken, err error) {
	err = t.records.session.change(ctx, func(state *database) error {
		found, err := t.records.in(state, id)
		if err != nil {
			return err
		}
		if found.UserID != user {
			return core.NotFound("token")
		}
		token = found
		delete(state.tokens.edit(state), id)
		return nil
	})
	return token, err
}

// DeleteOf implements storage.APITokens.
func (t tokens) DeleteOf(ctx context.Context, user core.ID) error {
	return t.records.session.change(ctx, func(state *database) error {
		state.tokens.drop(state, func(token core.APIToken) bool { return token.UserID == user })
		return nil
	})
}
