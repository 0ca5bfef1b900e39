package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// ticketKey is the key of a ticket.
type ticketKey struct {
	kind core.TicketKind
	hash string
}

type tickets struct{ session conn }

// Create implements storage.Tickets.
func (t tickets) Create(ctx context.Context, ticket core.Ticket) error {
	if err := storage.CheckText(ticket); err != nil {
		return err
	}
	return t.session.change(ctx, func(state *database) error {
		key := ticketKey{ticket.Kind, ticket.Hash}
		if state.tickets.has(key) {
			return core.Errorf(core.CodeConflict, "this ticket already exists")
		}
		if ticket.UserID != "" && !state.users.has(ticket.UserID) {
			return core.NotFound("user")
		}
		state.tickets.edit(state)[key] = ticket
		return nil
	})
}

// Take implements storage.Tickets.
func (t tickets) Take(ctx context.Context, kind core.TicketKind, hash string) (ticket core.Ticket, err error) {
	err = t.session.change(ctx, func(state *database) error {
		key := ticketKey{kind, hash}
		if !state.tickets.has(key) {
			return core.NotFound("ticket")
		}
		ticket = state.tickets.rows[key]
		delete(state.tickets.edit(state), key)
		return nil
	})
	return ticket, err
}

// DeleteOf keeps the tickets without a user, because no id names them.
func (t tickets) DeleteOf(ctx context.Context, user core.ID, kind core.TicketKind) error {
	return t.session.change(ctx, func(state *database) error {
		state.tickets.drop(state, func(ticket core.Ticket) bool {
			return user != "" && ticket.UserID == user && ticket.Kind == kind
		})
		return nil
	})
}

// Prune implements storage.Tickets.
func (t tickets) Prune(ctx context.Context, before core.Time) error {
	return t.session.change(ctx, func(state *database) error {
		state.tickets.drop(state, func(ticket core.Ticket) bool { return ticket.ExpiresAt < before })
		return nil
	})
}
