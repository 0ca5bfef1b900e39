package accounts

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// OpenSession shows people a session of theirs.
type OpenSession struct {
	ID         core.ID   `json:"id"`
	Device     string    `json:"device"`
	Address    string    `json:"address"`
	CreatedAt  core.Time `json:"createdAt"`
	LastSeenAt core.Time `json:"lastSeenAt"`
	ExpiresAt  core.Time `json:"expiresAt"`
	// Current says that it is the caller's.
	Current bool `json:"current"`
	// SecondFactor says that the sign-in gave a second factor.
	SecondFactor bool `json:"secondFactor"`
}

// List returns the caller's open sessions: the caller's own first, then the others, the
// last seen first. A caller with an API token has code core.CodeInsufficientScope.
func (s *Sessions) List(ctx context.Context, by core.Actor) ([]OpenSession, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	stored, err := s.deps.Store.Tables().Sessions.List(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	now, open := s.deps.now(), []OpenSession{}
	for _, session := range stored {
		if session.EndedAt == nil && session.ExpiresAt > now {
			open = append(open, OpenSession{
				session.ID, session.Device, session.Address, session.CreatedAt, session.LastSeenAt, session.ExpiresAt, session.ID == by.SessionID, session.SecondFactor,
			})
		}
	}
	slices.SortStableFunc(open, func(a, b OpenSession) int {
		if a.Current != b.Current {
			if a.Current {
				return -1
			}
			return 1
		}
		return int(b.LastSeenAt - a.LastSeenAt)
	})
	return open, nil
}

// Delete ends one of the caller's sessions. Every process refuses its tokens within 5
// seconds, and its streams and sockets close when they next check (10 seconds). It returns
// core.CodeNotFound for any other session and for one that has ended, and
// core.CodeInsufficientScope to a caller with an API token.
func (s *Sessions) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	now := s.deps.now()
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		ended, err := tables.Sessions.Update(ctx, id, func(session *core.Session) error {
			if session.UserID != by.UserID || session.EndedAt != nil || session.ExpiresAt <= now {
				return core.NotFound("session")
			}
			session.EndedAt = &now
			return nil
		})
		if err != nil {
			return err
		}
		return s.deps.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditSessionEnded, ended.Device)
	})
	if err == nil {
		s.standings.forget(by.UserID)
	}
	return err
}
