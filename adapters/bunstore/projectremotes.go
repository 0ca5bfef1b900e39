package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// remoteRow keeps Conflicts as JSON.
type remoteRow struct {
	bun.BaseModel `bun:"table:project_remotes,alias:pr"`
	core.ProjectRemote
}

func (r remoteRow) remote() core.ProjectRemote { return r.ProjectRemote }

type projectRemotes struct{ session }

// Create implements storage.ProjectRemotes.
func (p projectRemotes) Create(ctx context.Context, remote core.ProjectRemote) error {
	if err := storage.CheckText(remote); err != nil {
		return err
	}
	return insert(ctx, p.session, "remote", &remoteRow{ProjectRemote: remote})
}

// ByProject implements storage.ProjectRemotes.
func (p projectRemotes) ByProject(ctx context.Context, project core.ID) (core.ProjectRemote, error) {
	row, err := find[remoteRow](ctx, p.session, "remote", "project_id", string(project))
	return row.remote(), err
}

// ByHook implements storage.ProjectRemotes.
func (p projectRemotes) ByHook(ctx context.Context, hash string) (core.ProjectRemote, error) {
	row, err := find[remoteRow](ctx, p.session, "remote", "hook_hash", hash)
	return row.remote(), err
}

// Claim implements storage.ProjectRemotes.
func (p projectRemotes) Claim(ctx context.Context, now, until core.Time) (core.ProjectRemote, error) {
	var row remoteRow
	err := p.exec(ctx, "remote", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("UPDATE project_remotes SET leased_until = ? WHERE id = ("+
			"SELECT id FROM project_remotes WHERE due_at > 0 AND due_at <= ? AND leased_until <= ? ORDER BY due_at, id LIMIT 1"+
			p.speaks().skipLocked()+") RETURNING *", until, now, now).Scan(ctx, &row)
	})
	return row.remote(), err
}

// Update implements storage.ProjectRemotes.
func (p projectRemotes) Update(ctx context.Context, id core.ID, change func(*core.ProjectRemote) error) (core.ProjectRemote, error) {
	row, err := update(ctx, p.session, "remote", id, func(row *remoteRow) error {
		before := row.ProjectRemote
		if err := change(&row.ProjectRemote); err != nil {
			return err
		}
		row.ID, row.ProjectID, row.HookHash, row.CreatedAt = before.ID, before.ProjectID, before.HookHash, before.CreatedAt
		return storage.CheckText(row.ProjectRemote)
	})
	return row.remote(), err
}

// Delete implements storage.ProjectRemotes.
func (p projectRemotes) Delete(ctx context.Context, id core.ID) error {
	return remove(ctx, p.session, "remote", "project_remotes", id)
}
