package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Sessions are what people's sign-ins opened.
type Sessions interface {
	// Create stores a session, which goes with its user.
	Create(ctx context.Context, session core.Session) error
	ByID(ctx context.Context, id core.ID) (core.Session, error)
	// Update works as Users.Update does. ID, UserID and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Session) error) (core.Session, error)
	// Standing returns how a user and one of their sessions stand, in one look. A
	// session that is not there, or another user's, is not open; neither is "".
	Standing(ctx context.Context, user, session core.ID) (core.Standing, error)
	// Known reports whether a session of the user's, ended or not, was opened from a
	// network.
	Known(ctx context.Context, user core.ID, network string) (bool, error)
	// DeleteOf removes all of a user's sessions.
	DeleteOf(ctx context.Context, user core.ID) error
	// Prune removes the sessions that expired before a time.
	Prune(ctx context.Context, before core.Time) error
}
