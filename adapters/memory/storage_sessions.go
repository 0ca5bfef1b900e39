package memory

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type storeSessions struct{ records storeRecords[core.Session] }

func sessionsOf(session storeSession) storeRecords[core.Session] {
	return storeRecords[core.Session]{
		session: session,
		noun:    "session",
		table:   func(s *storeState) *storeTable[core.ID, core.Session] { return &s.sessions },
		id:      func(s core.Session) core.ID { return s.ID },
		copy: func(s core.Session) core.Session {
			s.Spent, s.EndedAt = slices.Clone(s.Spent), copyOf(s.EndedAt)
			return s
		},
		pin: func(s *core.Session, before core.Session) {
			s.ID, s.UserID, s.CreatedAt = before.ID, before.UserID, before.CreatedAt
		},
		check: func(state *storeState, s core.Session) error {
			if !state.users.has(s.UserID) {
				return core.NotFound("user")
			}
			return nil
		},
	}
}

func (s storeSessions) Create(ctx context.Context, session core.Session) error {
	return s.records.create(ctx, session)
}

func (s storeSessions) ByID(ctx context.Context, id core.ID) (core.Session, error) {
	return s.records.byID(ctx, id)
}

func (s storeSessions) Update(ctx context.Context, id core.ID, change func(*core.Session) error) (core.Session, error) {
	return s.records.update(ctx, id, change)
}

func (s storeSessions) Standing(ctx context.Context, user, session core.ID) (core.Standing, error) {
	state, err := s.records.session.view(ctx)
	if err != nil {
		return core.Standing{}, err
	}
	if !state.users.has(user) {
		return core.Standing{}, core.NotFound("user")
	}
	found, there := state.sessions.rows[session]
	return core.Standing{
		CredentialVersion: state.users.rows[user].CredentialVersion,
		Open:              there && found.UserID == user && found.EndedAt == nil,
	}, nil
}

func (s storeSessions) Known(ctx context.Context, user core.ID, network string) (bool, error) {
	state, err := s.records.session.view(ctx)
	if err != nil {
		return false, err
	}
	for _, session := range state.sessions.rows {
		if session.UserID == user && session.Network == network {
			return true, nil
		}
	}
	return false, nil
}

func (s storeSessions) DeleteOf(ctx context.Context, user core.ID) error {
	return s.records.session.change(ctx, func(state *storeState) error {
		state.sessions.drop(state, func(session core.Session) bool { return session.UserID == user })
		return nil
	})
}

func (s storeSessions) Prune(ctx context.Context, before core.Time) error {
	return s.records.session.change(ctx, func(state *storeState) error {
		state.sessions.drop(state, func(session core.Session) bool { return session.ExpiresAt < before })
		return nil
	})
}
