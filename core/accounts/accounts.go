package accounts

import (
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

// Settings are what an operator decides about accounts.
type Settings struct {
	// AccessTTL and RefreshTTL are the lifetimes of the two tokens.
	AccessTTL, RefreshTTL time.Duration
	// LimitGuesses bounds the wrong passwords for an account, from whatever address.
	LimitGuesses bool
}

// Deps is what the use cases need.
type Deps struct {
	Store     storage.Store
	Tokens    identity.Tokens
	Passwords identity.Passwords
	Sealer    identity.Sealer
	// OAuth are the providers with which people can sign in.
	OAuth oauth.Providers
	Audit *audit.Log
	Mails *mailer.Queue
	// Doors decides who gets an account.
	Doors *instance.Doors
	// Estate is called when an address is first verified.
	Estate   Reclaimer
	Settings Settings
	Now      func() time.Time
	Log      *slog.Logger
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
	// APITokens is not embedded: what its methods create and delete is in its name.
	APITokens *APITokens
}

// New returns the use cases over their ports.
func New(deps Deps) *Service {
	d, cache, guesses := &deps, newStandings(deps.Store), newGuesses(deps.Now)
	tokens := &APITokens{d, newUses(deps.Store.Tables().APITokens.Touch, deps.Log)}
	sessions := &Sessions{d, cache, newUses(deps.Store.Tables().Sessions.Touch, deps.Log)}
	profiles := &Profiles{d, cache, guesses}
	return &Service{
		Authenticator: &Authenticator{d, tokens, sessions},
		SignIns:       &SignIns{d, sessions, guesses},
		OAuthSignIns:  &OAuthSignIns{d, sessions, cache},
		Sessions:      sessions,
		Resets:        &Resets{d, cache, guesses},
		Profiles:      profiles,
		Proofs:        &Proofs{d, sessions, profiles},
		APITokens:     tokens,
	}
}

// Close waits for writes in the background. The service must not be used afterwards.
func (s *Service) Close() {
	s.APITokens.uses.writing.Wait()
	s.Sessions.uses.writing.Wait()
}
