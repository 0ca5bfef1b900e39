package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type programClients struct {
	records records[core.ProgramClient]
}

func programClientsOf(session conn) records[core.ProgramClient] {
	return records[core.ProgramClient]{
		session: session,
		noun:    "program",
		table:   func(s *database) *table[core.ID, core.ProgramClient] { return &s.programClients },
		id:      func(c core.ProgramClient) core.ID { return c.ID },
		copy: func(c core.ProgramClient) core.ProgramClient {
			c.Redirects = slices.Clone(c.Redirects)
			return c
		},
		check: func(*database, core.ProgramClient) error { return nil },
	}
}

// Create implements storage.ProgramClients.
func (p programClients) Create(ctx context.Context, client core.ProgramClient) error {
	return p.records.create(ctx, client)
}

// ByID implements storage.ProgramClients.
func (p programClients) ByID(ctx context.Context, id core.ID) (core.ProgramClient, error) {
	return p.records.byID(ctx, id)
}

// Use implements storage.ProgramClients.
func (p programClients) Use(ctx context.Context, id core.ID, at core.Time) error {
	return p.records.session.change(ctx, func(state *database) error {
		client, err := p.records.in(state, id)
		if err != nil {
			return err
		}
		client.UsedAt = max(client.UsedAt, at)
		return p.records.put(state, client)
	})
}

// Unused implements storage.ProgramClients.
func (p programClients) Unused(ctx context.Context) (int, error) {
	unused, err := p.records.list(ctx, func(c core.ProgramClient) bool { return c.UsedAt == 0 }, func(a, b core.ProgramClient) int { return cmp.Compare(a.ID, b.ID) })
	return len(unused), err
}

// Prune implements storage.ProgramClients.
func (p programClients) Prune(ctx context.Context, unused, used core.Time) error {
	return p.records.session.change(ctx, func(state *database) error {
		state.programClients.drop(state, func(c core.ProgramClient) bool {
			return c.UsedAt == 0 && c.CreatedAt < unused || c.UsedAt > 0 && c.UsedAt < used
		})
		return nil
	})
}

type programGrants struct{ records records[core.ProgramGrant] }

func programGrantsOf(session conn) records[core.ProgramGrant] {
	return records[core.ProgramGrant]{
		session: session,
		noun:    "program",
		table:   func(s *database) *table[core.ID, core.ProgramGrant] { return &s.programGrants },
		id:      func(g core.ProgramGrant) core.ID { return g.ID },
		copy: func(g core.ProgramGrant) core.ProgramGrant {
			g.Scopes = slices.Clone(g.Scopes)
			return g
		},
		pin: func(g *core.ProgramGrant, before core.ProgramGrant) {
			g.ID, g.UserID, g.FamilyHash, g.CreatedAt = before.ID, before.UserID, before.FamilyHash, before.CreatedAt
		},
		check: func(s *database, grant core.ProgramGrant) error {
			if !s.users.has(grant.UserID) {
				return core.NotFound("user")
			}
			for _, other := range s.programGrants.rows {
				if other.ID != grant.ID && (other.FamilyHash == grant.FamilyHash || other.AccessHash == grant.AccessHash) {
					return core.Errorf(core.CodeConflict, "this program already exists")
				}
			}
			return nil
		},
	}
}

// Create implements storage.ProgramGrants.
func (p programGrants) Create(ctx context.Context, grant core.ProgramGrant) error {
	return p.records.create(ctx, grant)
}

// ByHash implements storage.ProgramGrants.
func (p programGrants) ByHash(ctx context.Context, hash string) (core.ProgramGrant, error) {
	return p.records.first(ctx, func(g core.ProgramGrant) bool { return g.FamilyHash == hash || g.AccessHash == hash })
}

// List implements storage.ProgramGrants.
func (p programGrants) List(ctx context.Context, user core.ID) ([]core.ProgramGrant, error) {
	ofUser := func(g core.ProgramGrant) bool { return g.UserID == user }
	return p.records.list(ctx, ofUser, func(a, b core.ProgramGrant) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// Update implements storage.ProgramGrants.
func (p programGrants) Update(ctx context.Context, id core.ID, change func(*core.ProgramGrant) error) (core.ProgramGrant, error) {
	return p.records.update(ctx, id, change)
}

// Delete implements storage.ProgramGrants.
func (p programGrants) Delete(ctx context.Context, user, id core.ID) (grant core.ProgramGrant, err error) {
	err = p.records.session.change(ctx, func(state *database) error {
		found, err := p.records.in(state, id)
		if err != nil {
			return err
		}
		if found.UserID != user {
			return core.NotFound("program")
		}
		grant = found
		delete(state.programGrants.edit(state), id)
		return nil
	})
	return grant, err
}

// DeleteOf implements storage.ProgramGrants.
func (p programGrants) DeleteOf(ctx context.Context, user core.ID) error {
	return p.drop(ctx, func(g core.ProgramGrant) bool { return g.UserID == user })
}

// Prune implements storage.ProgramGrants.
func (p programGrants) Prune(ctx context.Context, before core.Time) error {
	return p.drop(ctx, func(g core.ProgramGrant) bool { return g.ExpiresAt < before })
}

func (p programGrants) drop(ctx context.Context, match func(core.ProgramGrant) bool) error {
	return p.records.session.change(ctx, func(state *database) error {
		state.programGrants.drop(state, match)
		return nil
	})
}
