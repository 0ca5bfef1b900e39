package storage

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type projectRemotes struct {
	records records[core.ProjectRemote]
}

func projectRemotesOf(session conn) records[core.ProjectRemote] {
	return records[core.ProjectRemote]{
		session: session,
		noun:    "remote",
		table:   func(s *database) *table[core.ID, core.ProjectRemote] { return &s.remotes },
		id:      func(r core.ProjectRemote) core.ID { return r.ID },
		copy: func(r core.ProjectRemote) core.ProjectRemote {
			r.Sealed, r.Conflicts, r.TaskID = slices.Clone(r.Sealed), slices.Clone(r.Conflicts), copyOf(r.TaskID)
			return r
		},
		pin: func(r *core.ProjectRemote, before core.ProjectRemote) {
			r.ID, r.ProjectID, r.HookHash, r.CreatedAt = before.ID, before.ProjectID, before.HookHash, before.CreatedAt
		},
		check: func(s *database, r core.ProjectRemote) error {
			if !s.projects.has(r.ProjectID) {
				return core.NotFound("project")
			}
			for _, other := range s.remotes.rows {
				if other.ID != r.ID && (other.ProjectID == r.ProjectID || other.HookHash == r.HookHash) {
					return core.Errorf(core.CodeConflict, "this remote already exists")
				}
			}
			return nil
		},
	}
}

// Create implements storage.ProjectRemotes.
func (p projectRemotes) Create(ctx context.Context, remote core.ProjectRemote) error {
	return p.records.create(ctx, remote)
}

// ByProject implements storage.ProjectRemotes.
func (p projectRemotes) ByProject(ctx context.Context, project core.ID) (core.ProjectRemote, error) {
	return p.records.first(ctx, func(r core.ProjectRemote) bool { return r.ProjectID == project })
}

// ByHook implements storage.ProjectRemotes.
func (p projectRemotes) ByHook(ctx context.Context, hash string) (core.ProjectRemote, error) {
	return p.records.first(ctx, func(r core.ProjectRemote) bool { return r.HookHash == hash })
}

// Claim implements storage.ProjectRemotes.
func (p projectRemotes) Claim(ctx context.Context, now, until core.Time) (core.ProjectRemote, error) {
	due := func(r core.ProjectRemote) (core.Time, bool) { return r.DueAt, r.DueAt > 0 && r.LeasedUntil <= now }
	return p.records.claimDue(ctx, now, due, func(r *core.ProjectRemote) { r.LeasedUntil = until })
}

// Update implements storage.ProjectRemotes.
func (p projectRemotes) Update(ctx context.Context, id core.ID, change func(*core.ProjectRemote) error) (core.ProjectRemote, error) {
	return p.records.update(ctx, id, change)
}

// Delete implements storage.ProjectRemotes.
func (p projectRemotes) Delete(ctx context.Context, id core.ID) error {
	return p.records.delete(ctx, id, func(state *database, id core.ID) { delete(state.remotes.edit(state), id) })
}
