package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Sessions are the sessions of people's sign-ins.
type Sessions interface {
	// Create stores a session, which is deleted with its user.
	Create(ctx context.Context, session core.Session) error
	ByID(ctx context.Context, id core.ID) (core.Session, error)
	// Update works like Users.Update. ID, UserID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Session) error) (core.Session, error)
	// List returns a user's sessions, ended and expired ones included, the latest first.
	List(ctx context.Context, user core.ID) ([]core.Session, error)
	// Touch sets LastSeenAt, unless it is already later.
	Touch(ctx context.Context, id core.ID, at core.Time) error
	// Standing returns the standing of a user and one of their sessions, in one
	// query. A missing session, another user's, and "" are not open.
	Standing(ctx context.Context, user, session core.ID) (core.SessionStatus, error)
	// Known reports whether a session of the user's, ended or not, was opened from a
	// network, and with a device unless that is "".
	Known(ctx context.Context, user core.ID, network, device string) (bool, error)
	// DeleteOf removes all of a user's sessions.
	DeleteOf(ctx context.Context, user core.ID) error
	// Prune removes the sessions that expired before a time.
	Prune(ctx context.Context, before core.Time) error
}
