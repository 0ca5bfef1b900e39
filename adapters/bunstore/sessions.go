package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// sessionRow keeps Spent as JSON.
type sessionRow struct {
	bun.BaseModel `bun:"table:sessions,alias:s"`
	core.Session
	EndedAt *int64
}

func rowOfSession(session core.Session) *sessionRow {
	return &sessionRow{Session: session, EndedAt: (*int64)(session.EndedAt)}
}

func (s sessionRow) session() core.Session {
	s.Session.EndedAt = (*core.Time)(s.EndedAt)
	return s.Session
}

// standingRow is a user with the fields of a session.
type standingRow struct {
	bun.BaseModel     `bun:"table:users,alias:u"`
	CredentialVersion int
	Open              bool `bun:",scanonly"`
}

type sessions struct{ session }

// Create implements storage.Sessions.
func (s sessions) Create(ctx context.Context, session core.Session) error {
	if err := storage.CheckText(session); err != nil {
		return err
	}
	return insert(ctx, s.session, "session", rowOfSession(session))
}

// ByID implements storage.Sessions.
func (s sessions) ByID(ctx context.Context, id core.ID) (core.Session, error) {
	row, err := find[sessionRow](ctx, s.session, "session", "id", string(id))
	return row.session(), err
}

// Update implements storage.Sessions.
func (s sessions) Update(ctx context.Context, id core.ID, change func(*core.Session) error) (core.Session, error) {
	row, err := update(ctx, s.session, "session", id, func(row *sessionRow) error {
		session := row.session()
		if err := change(&session); err != nil {
			return err
		}
		session.ID, session.UserID, session.CreatedAt = row.ID, row.UserID, row.CreatedAt
		*row = *rowOfSession(session)
		return storage.CheckText(session)
	})
	return row.session(), err
}

// List implements storage.Sessions.
func (s sessions) List(ctx context.Context, user core.ID) ([]core.Session, error) {
	rows, err := list[sessionRow](ctx, s.session, "user_id", string(user), "s.created_at DESC, s.id DESC")
	return each(rows, sessionRow.session), err
}

// Touch implements storage.Sessions.
func (s sessions) Touch(ctx context.Context, id core.ID, at core.Time) error {
	return s.exec(ctx, "session", func(ctx context.Context, db bun.IDB) error {
		result, err := db.NewUpdate().Table("sessions").
			Set("last_seen_at = CASE WHEN last_seen_at > ? THEN last_seen_at ELSE ? END", at, at).
			Where("id = ?", id).Exec(ctx)
		if err != nil {
			return err
		}
		return oneRow(result, "session")
	})
}

// Standing implements storage.Sessions.
func (s sessions) Standing(ctx context.Context, user, session core.ID) (core.SessionStatus, error) {
	var row standingRow
	err := s.look(ctx, "user", lookup{"standing", func(db bun.IDB, value func(int) any) *bun.SelectQuery {
		return db.NewSelect().Model((*standingRow)(nil)).
			ColumnExpr("u.credential_version, (s.id IS NOT NULL) AS open").
			Join("LEFT JOIN sessions AS s ON s.user_id = u.id AND s.ended_at IS NULL AND s.id = ?", value(0)).
			Where("u.id = ?", value(1))
	}}, &row, string(session), string(user))
	return core.SessionStatus{CredentialVersion: row.CredentialVersion, Open: row.Open}, err
}

// Known implements storage.Sessions.
func (s sessions) Known(ctx context.Context, user core.ID, network, device string) (known bool, err error) {
	err = s.read(ctx, "session", func(ctx context.Context, db bun.IDB) (err error) {
		query := db.NewSelect().Table("sessions").Where("user_id = ? AND network = ?", user, network)
		if device != "" {
			query = query.Where("device = ?", device)
		}
		known, err = query.Exists(ctx)
		return err
	})
	return known, err
}

// DeleteOf implements storage.Sessions.
func (s sessions) DeleteOf(ctx context.Context, user core.ID) error {
	return removeWhere(ctx, s.session, "sessions", "user_id = ?", user)
}

// Prune implements storage.Sessions.
func (s sessions) Prune(ctx context.Context, before core.Time) error {
	return removeWhere(ctx, s.session, "sessions", "expires_at < ?", before)
}
