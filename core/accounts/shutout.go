package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// shutOut takes from an account, whose address somebody has just proven for the
// first time, the ways in that whoever made it may have kept: tokens, tickets,
// identities and subscriptions. The password is the user record's. Members and AI
// providers of the personal workspace stay, where the person sees them: most who
// come here made the account themselves.
func shutOut(ctx context.Context, tables storage.Tables, user core.ID) error {
	subscriptions, err := tables.Subscriptions.List(ctx, user)
	if err != nil {
		return err
	}
	for _, subscription := range subscriptions {
		if err := tables.Subscriptions.Delete(ctx, user, subscription.ID); err != nil {
			return err
		}
	}
	return errors.Join(
		tables.APITokens.DeleteOf(ctx, user),
		tables.Tickets.DeleteOf(ctx, user, core.TicketPasswordReset),
		tables.Identities.DeleteOf(ctx, user),
	)
}
