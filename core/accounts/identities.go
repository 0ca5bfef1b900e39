package accounts

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// LinkedIdentity is what people see of an account at a provider with which they sign in.
type LinkedIdentity struct {
	Provider  core.IdentityProvider `json:"provider"`
	CreatedAt core.Time             `json:"createdAt"`
}

// Identities returns the providers with which the caller signs in, the one that was linked
// first at the beginning. A caller with an API token has code core.CodeInsufficientScope.
func (o *OAuthSignIns) Identities(ctx context.Context, by core.Actor) ([]LinkedIdentity, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	stored, err := o.deps.Store.Tables().Identities.OfUser(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	linked := []LinkedIdentity{}
	for _, identity := range stored {
		linked = append(linked, LinkedIdentity{identity.Provider, identity.CreatedAt})
	}
	return linked, nil
}

// Unlink removes the caller's identities at a provider. A later sign-in there links the
// account again, if the provider has verified the same address. It returns core.CodeNotFound
// without such an identity, core.CodeConflict if the account has no password and no other
// provider, so that nobody locks themselves out, and core.CodeInsufficientScope to a caller
// with an API token.
func (o *OAuthSignIns) Unlink(ctx context.Context, by core.Actor, provider core.IdentityProvider) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	return o.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkSession(ctx, tables, by); err != nil {
			return err
		}
		// The lock of the user's record keeps two calls from removing the last two ways in.
		user, err := tables.Users.Update(ctx, by.UserID, func(*core.User) error { return nil })
		if err != nil {
			return withoutAccount(err)
		}
		linked, err := tables.Identities.OfUser(ctx, user.ID)
		if err != nil {
			return err
		}
		there := func(identity core.Identity) bool { return identity.Provider == provider }
		if !slices.ContainsFunc(linked, there) {
			return core.NotFound("identity")
		}
		if others := slices.DeleteFunc(linked, there); len(others) == 0 && user.PasswordHash == "" {
			return core.Errorf(core.CodeConflict, "this is the only way into the account: choose a password first")
		}
		if err := tables.Identities.DeleteAt(ctx, user.ID, provider); err != nil {
			return err
		}
		return o.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditIdentityUnlinked, user.Email+" by "+string(provider))
	})
}
