// Package passkeysignin holds the use cases of passkeys (WebAuthn): making one, signing in with one
// alone, and using one as the second step of a sign-in.
//
// A challenge is a secret that the database knows as a hash. It works once, for ChallengeLifetime,
// and for one purpose: whatever the answer to it says, it is spent before the answer is checked.
// Package accounts stores passkeys together with the second factor that counts them.
package passkeysignin

import (
	"context"
	"encoding/json"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/passkeys"
	"github.com/atelierhq/atelier/ports/storage"
)

// ChallengeLifetime is how long a browser has for its answer.
const ChallengeLifetime = 5 * time.Minute

// Deps has the dependencies of a Service.
type Deps struct {
	Store      storage.Store
	Ceremonies passkeys.Ceremonies
	Accounts   *accounts.Service
	Audit      *audit.Log
	Mails      *mailer.Queue
	Now        func() time.Time
}

// Service has the use cases. Many goroutines may use it.
type Service struct{ Deps }

// New returns the use cases.
func New(deps Deps) *Service { return &Service{deps} }

// Proof is what people prove before they get a passkey: the password, and while a second factor is
// on, a code of it or the answer of a passkey to BeginSignIn without a token.
type Proof struct {
	Password, Code string
	Credential     json.RawMessage
}

// BeginRegistration returns the options with which the caller's browser makes a passkey. It returns
// core.CodeInvalidCredentials for a wrong proof, core.CodeValidationFailed for a missing one,
// core.CodeConflict for an account without a password or a verified address, beyond
// core.MaxPasskeys, and for a service without a name; core.CodeInvalidToken for a credential whose
// challenge is over, and core.CodeRateLimited beyond accounts.MaxGuesses.
func (s *Service) BeginRegistration(ctx context.Context, by core.Actor, proof Proof) (json.RawMessage, error) {
	enrolment := accounts.Enrolment{Password: proof.Password, Code: proof.Code}
	if len(proof.Credential) > 0 {
		answer, _, err := s.spend(ctx, core.TicketPasskeySignIn, proof.Credential)
		if err != nil {
			return nil, err
		}
		enrolment.Key = s.key(answer, proof.Credential, true)
	}
	var options json.RawMessage
	err := s.Accounts.Factors.Enrol(ctx, by, enrolment, func(ctx context.Context, tables storage.Tables, owner core.User, factor core.Factor) error {
		if factor.Passkeys >= core.MaxPasskeys {
			return accounts.TooManyPasskeys()
		}
		existing, err := tables.Passkeys.OfUser(ctx, owner.ID)
		if err != nil {
			return err
		}
		challenge := core.NewSecret()
		if options, err = s.Ceremonies.Creation(challenge, owner, existing); err != nil {
			return err
		}
		if factor.On() { // a code is used up
			if err := tables.Factors.Put(ctx, factor); err != nil {
				return err
			}
		}
		return s.store(ctx, tables, challenge, core.Ticket{Kind: core.TicketPasskeyNew, UserID: owner.ID, Proof: string(by.SessionID), Version: by.CredentialVersion})
	})
	return options, err
}

// Registration is a new passkey, with recovery codes if the person had none.
type Registration struct {
	Passkey       core.Passkey
	RecoveryCodes []string
}

// FinishRegistration stores the passkey of an answer to BeginRegistration, in the same session. It
// returns core.CodeValidationFailed for a name out of bounds and for an answer that is wrong,
// core.CodeInvalidToken for a challenge that is over, core.CodeConflict for a passkey that is
// known, and core.CodeInsufficientScope to a caller with an API token.
func (s *Service) FinishRegistration(ctx context.Context, by core.Actor, name string, answer json.RawMessage) (Registration, error) {
	if err := core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{}); err != nil {
		return Registration{}, err
	}
	name, err := checkName(name)
	if err != nil {
		return Registration{}, err
	}
	said, ticket, err := s.spend(ctx, core.TicketPasskeyNew, answer)
	if err != nil {
		return Registration{}, err
	}
	if ticket.UserID != by.UserID || ticket.Proof != string(by.SessionID) || ticket.Version != by.CredentialVersion {
		return Registration{}, over()
	}
	passkey, err := s.Ceremonies.Created(said.Challenge, by.UserID, answer)
	if err != nil {
		return Registration{}, err
	}
	passkey.ID, passkey.UserID, passkey.Name, passkey.CreatedAt = core.NewID(), by.UserID, name, core.At(s.Now())
	codes, err := s.Accounts.Factors.AddPasskey(ctx, by, passkey)
	if err != nil {
		return Registration{}, err
	}
	return Registration{passkey, codes}, nil
}

func checkName(text string) (string, error) {
	name := core.CleanName(text)
	if chars := len([]rune(name)); chars < 1 || chars > core.MaxPasskeyNameChars {
		return "", core.Errorf(core.CodeValidationFailed, "name must have 1 to %d characters", core.MaxPasskeyNameChars)
	}
	return name, nil
}

// BeginSignIn returns the options with which a browser uses a passkey. Without a token it is any
// that the browser finds, and the device checks who uses it; FinishSignIn takes the answer. With the
// token of a core.CodeMFARequired error it is one of that person's, for FinishStep. It returns the
// errors of accounts.SecondSteps.Finish for the token, and core.CodeConflict for somebody without
// passkeys, and for a service without a name.
func (s *Service) BeginSignIn(ctx context.Context, token string) (json.RawMessage, error) {
	ticket := core.Ticket{Kind: core.TicketPasskeySignIn}
	var allowed []core.Passkey
	if token != "" {
		user, err := s.Accounts.SecondSteps.Person(ctx, token)
		if err != nil {
			return nil, err
		}
		if allowed, err = s.Store.Tables().Passkeys.OfUser(ctx, user.ID); err != nil {
			return nil, err
		}
		if len(allowed) == 0 {
			return nil, core.Errorf(core.CodeConflict, "this account has no passkey: enter a code")
		}
		ticket = core.Ticket{Kind: core.TicketPasskeyStep, UserID: user.ID, Proof: core.HashSecret(token)}
	}
	challenge := core.NewSecret()
	options, err := s.Ceremonies.Request(challenge, allowed, token == "")
	if err != nil {
		return nil, err
	}
	return options, s.store(ctx, s.Store.Tables(), challenge, ticket)
}

// FinishSignIn opens a session for an answer to BeginSignIn without a token. It returns
// core.CodeInvalidCredentials for an answer that is wrong, core.CodeInvalidToken for a challenge
// that is over, core.CodeAccountDisabled, and core.CodeCompanySignIn for somebody whose company has
// its own sign-in. by has the address of the call.
func (s *Service) FinishSignIn(ctx context.Context, by core.Actor, answer json.RawMessage) (accounts.Session, error) {
	said, _, err := s.spend(ctx, core.TicketPasskeySignIn, answer)
	if err != nil {
		return accounts.Session{}, err
	}
	var user core.User
	var made accounts.Session
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		passkey, err := tables.Passkeys.ByCredential(ctx, said.CredentialID)
		if core.IsCode(err, core.CodeNotFound) {
			return unknown()
		}
		if err != nil {
			return err
		}
		if user, err = tables.Users.ByID(ctx, passkey.UserID); err != nil {
			return err
		}
		if err := s.key(said, answer, true)(ctx, tables, user); err != nil {
			return err
		}
		made, err = s.Accounts.Enter(ctx, tables, by, user, accounts.ProofPasskey)
		return err
	})
	if core.IsCode(err, core.CodeInvalidCredentials) && user.ID != "" {
		s.Audit.RecordFailure(ctx, by, user.ID, core.AuditSignInFailed, user.Email)
	}
	if err != nil {
		return accounts.Session{}, err
	}
	s.Mails.Wake()
	return made, nil
}

// FinishStep finishes a sign-in as accounts.SecondSteps.Finish does, with an answer to BeginSignIn
// with the same token. A challenge that is over has core.CodeInvalidToken.
func (s *Service) FinishStep(ctx context.Context, by core.Actor, token string, answer json.RawMessage) (accounts.Session, error) {
	said, ticket, err := s.spend(ctx, core.TicketPasskeyStep, answer)
	if err != nil {
		return accounts.Session{}, err
	}
	if ticket.Proof != core.HashSecret(token) {
		return accounts.Session{}, over()
	}
	return s.Accounts.SecondSteps.FinishWithKey(ctx, by, token, s.key(said, answer, false))
}

// store keeps a challenge.
func (s *Service) store(ctx context.Context, tables storage.Tables, challenge string, ticket core.Ticket) error {
	ticket.Hash, ticket.ExpiresAt = core.HashSecret(challenge), core.At(s.Now()).Add(ChallengeLifetime)
	return tables.Tickets.Create(ctx, ticket)
}

// spend reads an answer and uses up its challenge.
func (s *Service) spend(ctx context.Context, kind core.TicketKind, answer json.RawMessage) (passkeys.Answer, core.Ticket, error) {
	said, err := s.Ceremonies.Read(answer)
	if err != nil {
		return passkeys.Answer{}, core.Ticket{}, err
	}
	ticket, err := s.Store.Tables().Tickets.Take(ctx, kind, core.HashSecret(said.Challenge))
	if core.IsCode(err, core.CodeNotFound) || err == nil && ticket.ExpiresAt <= core.At(s.Now()) {
		err = over()
	}
	return said, ticket, err
}

// key proves with an answer whose challenge was spent.
func (s *Service) key(said passkeys.Answer, answer json.RawMessage, verified bool) accounts.Key {
	return func(ctx context.Context, tables storage.Tables, user core.User) error {
		passkey, err := tables.Passkeys.ByCredential(ctx, said.CredentialID)
		if core.IsCode(err, core.CodeNotFound) || err == nil && passkey.UserID != user.ID {
			return unknown()
		}
		if err != nil {
			return err
		}
		count, err := s.Ceremonies.Used(said.Challenge, passkey, verified, answer)
		if err != nil {
			return err
		}
		_, err = tables.Passkeys.Update(ctx, passkey.ID, func(passkey *core.Passkey) error {
			if !passkey.Use(count, core.At(s.Now())) {
				return core.Errorf(core.CodeInvalidCredentials, "the counter of this passkey went back, so there may be a copy of it: delete it")
			}
			return nil
		})
		return err
	}
}

func over() error {
	return core.Errorf(core.CodeInvalidToken, "this request for a passkey has expired or was already answered: start again")
}

func unknown() error {
	return core.Errorf(core.CodeInvalidCredentials, "this passkey is not known here")
}
