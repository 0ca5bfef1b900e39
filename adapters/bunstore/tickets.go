package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// ticketRow has NULL instead of an empty user, which would violate the foreign key.
type ticketRow struct {
	bun.BaseModel `bun:"table:tickets,alias:t"`
	core.Ticket
	UserID *core.ID
}

func rowOfTicket(ticket core.Ticket) *ticketRow {
	row := &ticketRow{Ticket: ticket}
	if ticket.UserID != "" {
		row.UserID = &ticket.UserID
	}
	return row
}

func (t ticketRow) ticket() core.Ticket {
	if t.UserID != nil {
		t.Ticket.UserID = *t.UserID
	}
	return t.Ticket
}

type tickets struct{ session }

// Create implements storage.Tickets.
func (t tickets) Create(ctx context.Context, ticket core.Ticket) error {
	if err := storage.CheckText(ticket); err != nil {
		return err
	}
	return insert(ctx, t.session, "ticket", rowOfTicket(ticket))
}

// Take is one statement: it locks and deletes the row, so that only one caller gets it.
func (t tickets) Take(ctx context.Context, kind core.TicketKind, hash string) (core.Ticket, error) {
	var row ticketRow
	err := t.exec(ctx, "ticket", func(ctx context.Context, db bun.IDB) error {
		return db.NewRaw("DELETE FROM tickets WHERE kind = ? AND hash = ? RETURNING *", kind, hash).Scan(ctx, &row)
	})
	return row.ticket(), err
}

// DeleteOf implements storage.Tickets.
func (t tickets) DeleteOf(ctx context.Context, user core.ID, kind core.TicketKind) error {
	return removeWhere(ctx, t.session, "tickets", "user_id = ? AND kind = ?", user, kind)
}

// Prune implements storage.Tickets.
func (t tickets) Prune(ctx context.Context, before core.Time) error {
	return removeWhere(ctx, t.session, "tickets", "expires_at < ?", before)
}
