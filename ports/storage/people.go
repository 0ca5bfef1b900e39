package storage

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Identities link accounts to those at identity providers.
type Identities interface {
	// Create stores an identity. It returns core.CodeConflict if the provider and
	// subject are already linked to an account.
	Create(ctx context.Context, identity core.Identity) error
	// Find returns the identity of a subject at a provider. Subjects are compared
	// byte by byte.
	Find(ctx context.Context, provider core.IdentityProvider, subject string) (core.Identity, error)
	// OfUser returns a user's identities, the oldest first.
	OfUser(ctx context.Context, user core.ID) ([]core.Identity, error)
	// DeleteAt removes a user's identities at a provider.
	DeleteAt(ctx context.Context, user core.ID, provider core.IdentityProvider) error
	// DeleteFrom removes all identities at a provider.
	DeleteFrom(ctx context.Context, provider core.IdentityProvider) error
	// DeleteOf removes all of a user's identities.
	DeleteOf(ctx context.Context, user core.ID) error
}

// Factors are people's second factors.
type Factors interface {
	// Of returns a user's factor.
	Of(ctx context.Context, user core.ID) (core.Factor, error)
	// Put stores a factor in place of the user's other one. It is deleted with the user.
	Put(ctx context.Context, factor core.Factor) error
	// Update works like Users.Update. UserID cannot change.
	Update(ctx context.Context, user core.ID, change func(*core.Factor) error) (core.Factor, error)
	// DeleteOf removes a user's factor, if there is one.
	DeleteOf(ctx context.Context, user core.ID) error
}

// Passkeys are people's passkeys. Factors count them; callers change both in one transaction.
type Passkeys interface {
	// Create stores a passkey. A credential in use has code core.CodeConflict.
	Create(ctx context.Context, passkey core.Passkey) error
	// ByCredential returns the passkey with a CredentialID.
	ByCredential(ctx context.Context, credential string) (core.Passkey, error)
	// OfUser returns a user's passkeys, the oldest first.
	OfUser(ctx context.Context, user core.ID) ([]core.Passkey, error)
	// Update works like Users.Update. Only Name, SignCount and LastUsedAt can change.
	Update(ctx context.Context, id core.ID, change func(*core.Passkey) error) (core.Passkey, error)
	// Delete removes a passkey of the user's; another user's is not found.
	Delete(ctx context.Context, user, id core.ID) (core.Passkey, error)
	// DeleteOf removes all of a user's passkeys.
	DeleteOf(ctx context.Context, user core.ID) error
}

// Tickets are secrets that work once.
type Tickets interface {
	// Create stores a ticket. A kind and hash in use have code core.CodeConflict. A
	// ticket with a UserID is deleted with the user.
	Create(ctx context.Context, ticket core.Ticket) error
	// Take removes a ticket and returns it, even an expired one. Of parallel calls
	// exactly one gets it, the others core.CodeNotFound.
	Take(ctx context.Context, kind core.TicketKind, hash string) (core.Ticket, error)
	// DeleteOf removes a user's tickets of a kind.
	DeleteOf(ctx context.Context, user core.ID, kind core.TicketKind) error
	// Prune removes the tickets that expired before a time.
	Prune(ctx context.Context, before core.Time) error
}

// APITokens are the tokens of programs.
type APITokens interface {
	// Create stores a token. A hash in use has code core.CodeConflict.
	Create(ctx context.Context, token core.APIToken) error
	ByHash(ctx context.Context, hash string) (core.APIToken, error)
	// List returns a user's tokens, the oldest first.
	List(ctx context.Context, user core.ID) ([]core.APIToken, error)
	// Touch sets LastUsedAt, unless it is already later.
	Touch(ctx context.Context, id core.ID, at core.Time) error
	// Delete removes a token of the user's; another user's is not found.
	Delete(ctx context.Context, user, id core.ID) (core.APIToken, error)
	// DeleteOf removes all of a user's tokens.
	DeleteOf(ctx context.Context, user core.ID) error
}

// Subscriptions are people's own AI subscriptions.
type Subscriptions interface {
	// Put stores a subscription. It replaces the user's other one of its kind and
	// keeps its ID and CreatedAt. It returns the stored record.
	Put(ctx context.Context, subscription core.Subscription) (core.Subscription, error)
	// List returns a user's subscriptions, the oldest first.
	List(ctx context.Context, user core.ID) ([]core.Subscription, error)
	// Update works like Users.Update. ID, UserID, Kind and CreatedAt cannot change.
	Update(ctx context.Context, id core.ID, change func(*core.Subscription) error) (core.Subscription, error)
	// Delete removes a subscription of the user's; another user's is not found.
	Delete(ctx context.Context, user, id core.ID) error
}

// Members are the members of workspaces. Workspaces.PutMember adds them.
type Members interface {
	// List returns a workspace's members, the oldest member first.
	// Members have SecondFactor, for the use cases to tell or not.
	List(ctx context.Context, workspace core.ID) ([]core.Member, error)
	ByID(ctx context.Context, workspace, user core.ID) (core.Member, error)
	Remove(ctx context.Context, workspace, user core.ID) error
	// Owners counts the owners of a workspace.
	Owners(ctx context.Context, workspace core.ID) (int, error)
}

// InviteFilter selects invites: those of a workspace, or those to an address. Exactly
// one field is set.
type InviteFilter struct {
	WorkspaceID core.ID
	// Email is a normal address from core.NormalEmail.
	Email string
}

// Invites are the invites into workspaces.
type Invites interface {
	// Create stores an invite. It deletes the workspace's earlier one to the same
	// address. A hash in use has code core.CodeConflict.
	Create(ctx context.Context, invite core.Invite) error
	ByID(ctx context.Context, id core.ID) (core.Invite, error)
	// ByHash finds an invite by the hash of either of its secrets.
	ByHash(ctx context.Context, hash string) (core.Invite, error)
	// SetLink gives an invite another LinkHash. A hash in use has code
	// core.CodeConflict.
	SetLink(ctx context.Context, id core.ID, hash string) error
	// List returns the invites of a filter, the oldest first, including expired ones.
	List(ctx context.Context, filter InviteFilter) ([]core.Invite, error)
	Delete(ctx context.Context, id core.ID) error
	// Prune removes the invites that expired before a time.
	Prune(ctx context.Context, before core.Time) error
}
