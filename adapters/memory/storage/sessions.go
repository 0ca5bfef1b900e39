package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type sessions struct{ records records[core.Session] }

func sessionsOf(session conn) records[core.Session] {
	return records[core.Session]{
		session: session,
		noun:    "session",
		table:   func(s *database) *table[core.ID, core.Session] { return &s.sessions },
		id:      func(s core.Session) core.ID { return s.ID },
		copy: func(s core.Session) core.Session {
			s.Spent, s.EndedAt = slices.Clone(s.Spent), copyOf(s.EndedAt)
			return s
		},
		pin: func(s *core.Session, before core.Session) {
			s.ID, s.UserID, s.CreatedAt = before.ID, before.UserID, before.CreatedAt
		},
		check: func(state *database, s core.Session) error {
			if !state.users.has(s.UserID) {
				return core.NotFound("user")
			}
			return nil
		},
	}
}

// Create implements storage.Sessions.
func (s sessions) Create(ctx context.Context, session core.Session) error {
	return s.records.create(ctx, session)
}

// ByID implements storage.Sessions.
func (s sessions) ByID(ctx context.Context, id core.ID) (core.Session, error) {
	return s.records.byID(ctx, id)
}

// Update implements storage.Sessions.
func (s sessions) Update(ctx context.Context, id core.ID, change func(*core.Session) error) (core.Session, error) {
	return s.records.update(ctx, id, change)
}

// List implements storage.Sessions.
func (s sessions) List(ctx context.Context, user core.ID) ([]core.Session, error) {
	ofUser := func(session core.Session) bool { return session.UserID == user }
	return s.records.list(ctx, ofUser, func(a, b core.Session) int {
		return cmp.Or(cmp.Compare(b.CreatedAt, a.CreatedAt), cmp.Compare(b.ID, a.ID))
	})
}

// Touch implements storage.Sessions.
func (s sessions) Touch(ctx context.Context, id core.ID, at core.Time) error {
	return s.records.session.change(ctx, func(state *database) error {
		session, err := s.records.in(state, id)
		if err != nil {
			return err
		}
		session.LastSeenAt = max(session.LastSeenAt, at)
		return s.records.put(state, session)
	})
}

// Standing implements storage.Sessions.
func (s sessions) Standing(ctx context.Context, user, session core.ID) (core.SessionStatus, error) {
	state, err := s.records.session.view(ctx)
	if err != nil {
		return core.SessionStatus{}, err
	}
	if !state.users.has(user) {
		return core.SessionStatus{}, core.NotFound("user")
	}
	found, there := state.sessions.rows[session]
	return core.SessionStatus{
		CredentialVersion: state.users.rows[user].CredentialVersion,
		Open:              there && found.UserID == user && found.EndedAt == nil,
	}, nil
}

// Known implements storage.Sessions.
func (s sessions) Known(ctx context.Context, user core.ID, network, device string) (bool, error) {
	state, err := s.records.session.view(ctx)
	if err != nil {
		return false, err
	}
	for _, session := range state.sessions.rows {
		if session.UserID == user && session.Network == network && (device == "" || session.Device == device) {
			return true, nil
		}
	}
	return false, nil
}

// DeleteOf implements storage.Sessions.
func (s sessions) DeleteOf(ctx context.Context, user core.ID) error {
	return s.records.session.change(ctx, func(state *database) error {
		state.sessions.drop(state, func(session core.Session) bool { return session.UserID == user })
		return nil
	})
}

// Prune implements storage.Sessions.
func (s sessions) Prune(ctx context.Context, before core.Time) error {
	return s.records.session.change(ctx, func(state *database) error {
		state.sessions.drop(state, func(session core.Session) bool { return session.ExpiresAt < before })
		return nil
	})
}
