package accounts

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Reclaimer gives an account back to the person who proves that its address is theirs, as far as
// other packages keep what was done in its name; workspaces.Members implements it.
type Reclaimer interface {
	// Reclaim undoes what was done in the account's name before its address was
	// verified. announce, to be called after the transaction, tells the people
	// concerned.
	Reclaim(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID) (announce func(context.Context), err error)
}

// shutOut undoes what was done with an account before its address was verified, once
// somebody verifies it: its creator may be an attacker who waited for this moment. It
// deletes tokens, tickets, identities and subscriptions; the password and the sessions
// end with the change of the user's record, the rest with the estate. announce must be
// called after the transaction.
func shutOut(ctx context.Context, tables storage.Tables, estate Reclaimer, by core.Actor, user core.ID) (announce func(context.Context), err error) {
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
		voidLinks(ctx, tables, user),
		tables.Identities.DeleteOf(ctx, user),
	)
	if err != nil {
		return nil, err
	}
	return estate.Reclaim(ctx, tables, by, user)
}

// nobody is an announcement that does nothing.
func nobody(context.Context) {}
