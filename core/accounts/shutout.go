package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Estate is what an account holds beside itself, as workspaces.Members knows it.
type Estate interface {
	// Reclaim ends what was done in the account's name before its address was proven.
	// announce tells whom it concerns, after the transaction.
	Reclaim(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID) (announce func(context.Context), err error)
}

// shutOut ends what was done on an account before anybody had proven its address,
// when somebody first does: who made it may have been somebody else, who waited for
// this moment. Tokens, tickets, identities and subscriptions go here, the password and
// the sessions with the user's record, the rest with the estate. announce is to be
// called after the transaction.
func (s *Service) shutOut(ctx context.Context, tables storage.Tables, by core.Actor, user core.ID) (announce func(context.Context), err error) {
	subscriptions, err := tables.Subscriptions.List(ctx, user)
	if err != nil {
		return nil, err
	}
	for _, subscription := range subscriptions {
		if err := tables.Subscriptions.Delete(ctx, user, subscription.ID); err != nil {
			return nil, err
		}
	}
	err = errors.Join(
		tables.Sessions.DeleteOf(ctx, user),
		tables.APITokens.DeleteOf(ctx, user),
		tables.Tickets.DeleteOf(ctx, user, core.TicketPasswordReset),
		tables.Identities.DeleteOf(ctx, user),
	)
	if err != nil {
		return nil, err
	}
	return s.deps.Estate.Reclaim(ctx, tables, by, user)
}

// nobody is the announcement of nothing.
func nobody(context.Context) {}
