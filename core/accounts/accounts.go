package accounts

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// Settings are the operator's decisions about accounts.
type Settings struct {
	// AccessTTL and RefreshTTL are the lifetimes of the two tokens.
	AccessTTL, RefreshTTL time.Duration
	// LimitGuesses bounds the wrong passwords for an account, from whatever address.
	LimitGuesses bool
	// Issuer is the name of this service in apps for second factors.
	Issuer string
}

// Deps are the dependencies of the use cases.
type Deps struct {
	Store     storage.Store
	Tokens    identity.Tokens
	Passwords identity.Passwords
	Sealer    identity.Sealer
	// Codes are those of second factors.
	Codes identity.TimeCodes
	// OAuth are the providers with which people can sign in.
	OAuth oauth.Providers
	Audit *audit.Log
	Mails *mailer.Queue
	// Doors decides who gets an account.
	Doors *instance.Doors
	// Companies says how people of companies sign in.
	Companies Companies
	// Departures deletes accounts.
	Departures *instance.Departures
	// Estate is called when an address is first verified.
	Estate   Reclaimer
	Settings Settings
	Now      func() time.Time
	Log      *slog.Logger
}

// Companies says how people of companies sign in; companysignin.Rules implements it.
type Companies interface {
	// Check returns core.CodeCompanySignIn if somebody may not sign in with a proof, which is
	// ProofPassword or the name of an identity provider, because their company has its own way.
	Check(ctx context.Context, tables storage.Tables, user core.User, proof string) error
	// CheckAddress is Check for a normal address, with or without an account.
	CheckAddress(ctx context.Context, tables storage.Tables, email, proof string) error
}

func (d *Deps) now() core.Time { return core.At(d.Now()) }

// Service is the use cases. Many goroutines may use it.
type Service struct {
	*Authenticator
	*SignIns
	*OAuthSignIns
	*Sessions
	*Resets
	*Profiles
	*Proofs
	*Exports
	// What the methods of the others create, begin and delete is in their names.
	APITokens   *APITokens
	Factors     *Factors
	SecondSteps *SecondSteps
}

// New returns the use cases over their ports.
func New(deps Deps) *Service {
	d, cache, guesses := &deps, newStandings(deps.Store, deps.Doors), newGuesses(deps.Now)
	tokens := &APITokens{d, cache, newUses(deps.Store.Tables().APITokens.Touch, deps.Log)}
	sessions := &Sessions{d, cache, newUses(deps.Store.Tables().Sessions.Touch, deps.Log)}
	profiles, codes := &Profiles{d, cache, guesses}, codes{d, guesses}
	return &Service{
		Authenticator: &Authenticator{d, tokens, sessions},
		SignIns:       &SignIns{d, sessions, guesses},
		OAuthSignIns:  &OAuthSignIns{d, sessions, cache},
		Sessions:      sessions,
		Resets:        &Resets{d, cache, guesses},
		Profiles:      profiles,
		Proofs:        &Proofs{d, sessions, profiles},
		Exports:       &Exports{d, sessions, make(chan struct{}, maxExports)},
		APITokens:     tokens,
		Factors:       &Factors{d, profiles, codes},
		SecondSteps:   &SecondSteps{d, sessions, codes},
	}
}

// Close waits for writes in the background. The service must not be used afterwards.
func (s *Service) Close() {
	s.APITokens.uses.writing.Wait()
	s.Sessions.uses.writing.Wait()
}
