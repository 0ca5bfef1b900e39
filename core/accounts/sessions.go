package accounts

import (
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Session has the tokens of a sign-in.
type Session struct {
	User         core.User
	AccessToken  string
	RefreshToken string
}

// Sessions opens, renews and ends sessions.
type Sessions struct {
	deps      *Deps
	standings *standings
	uses      *uses
}

// arrival is how somebody signs in.
type arrival struct {
	// by has the address and the program of the call.
	by core.Actor
	// proof is ProofPassword, or the name of the identity provider.
	proof string
	// signedUp says that the same transaction creates the account, and enrolled that it does
	// because a provider vouched for a new person.
	signedUp, enrolled bool
	// factor says that a second factor was given.
	factor bool
}

// entrance is a session, or the token of a sign-in that needs a second factor first.
type entrance struct {
	session  Session
	mfaToken string
	// methods are the ways in which the person can give it.
	methods []core.FactorMethod
}

// result returns the session. It must be called after the transaction, because it makes an
// error of the token: core.CodeMFARequired.
func (o entrance) result() (Session, error) {
	if o.mfaToken == "" {
		return o.session, nil
	}
	required := core.Errorf(core.CodeMFARequired, "enter the code of your authenticator app, or a recovery code")
	if slices.Contains(o.methods, core.FactorPasskey) {
		required = core.Errorf(core.CodeMFARequired, "use a passkey, or enter a code of your authenticator app or a recovery code")
	}
	required.MFAToken, required.MFAMethods = o.mfaToken, o.methods
	return Session{}, required
}

// open signs somebody in, in the caller's transaction. It is the only way to a session for
// people who have an account, but for a passkey (Enter), so that each asks for the second factor: it gets them a ticket
// instead of a session, and nobody comes in past their company. That has core.CodeCompanySignIn.
func (s *Sessions) open(ctx context.Context, tables storage.Tables, user core.User, how arrival) (entrance, error) {
	if err := s.deps.Companies.Check(ctx, tables, user, how.proof); err != nil {
		return entrance{}, err
	}
	factor, err := factorOf(ctx, tables, user.ID)
	if err != nil {
		return entrance{}, err
	}
	if !factor.On() {
		made, err := s.begin(ctx, tables, user, how)
		return entrance{session: made}, err
	}
	token := core.NewSecret()
	return entrance{mfaToken: token, methods: factor.Methods()}, tables.Tickets.Create(ctx, core.Ticket{
		Kind: core.TicketSecondFactor, Hash: core.HashSecret(token), UserID: user.ID, Proof: how.proof, Version: user.CredentialVersion,
		ExpiresAt: s.deps.now().Add(SecondStepLifetime),
	})
}

// Enter begins the session of somebody who gave all factors at once: a passkey that checked who
// uses it. proof is ProofPasskey. It runs in the caller's transaction, and returns
// core.CodeAccountDisabled, and core.CodeCompanySignIn if their company has its own way.
func (s *Sessions) Enter(ctx context.Context, tables storage.Tables, by core.Actor, user core.User, proof string) (Session, error) {
	if err := checkEnabled(user); err != nil {
		return Session{}, err
	}
	if err := s.deps.Companies.Check(ctx, tables, user, proof); err != nil {
		return Session{}, err
	}
	return s.begin(ctx, tables, user, arrival{by: by, proof: proof, factor: true})
}

// begin begins the session of somebody who gave all factors, in the caller's transaction.
func (s *Sessions) begin(ctx context.Context, tables storage.Tables, user core.User, how arrival) (Session, error) {
	now, by := s.deps.now(), how.by
	if how.proof == ProofPassword && !how.signedUp {
		// Passwords may have been turned off since the first step.
		if err := s.deps.Doors.CheckPasswords(ctx, tables); err != nil {
			return Session{}, err
		}
	}
	record := core.Session{
		ID: core.NewID(), UserID: user.ID, TokenID: core.NewID(), SignedUp: how.signedUp, SecondFactor: how.factor, Network: networkOf(by.IP),
		Device: DeviceOf(by.Agent), Address: by.IP, CreatedAt: now, LastSeenAt: now, ExpiresAt: s.sessionEnd(now),
	}
	if !how.signedUp {
		if err := s.tellOfSignIn(ctx, tables, user, by, record); err != nil {
			return Session{}, err
		}
	}
	if !how.signedUp && !how.enrolled {
		err := s.deps.Audit.RecordPerson(ctx, tables, core.Actor{UserID: user.ID, IP: by.IP}, user.ID, core.AuditSignIn, how.words(user))
		if err != nil {
			return Session{}, err
		}
	}
	if err := tables.Sessions.Create(ctx, record); err != nil {
		return Session{}, err
	}
	return s.tokensOf(user, record)
}

// words says in the audit log who signed in, and how.
func (a arrival) words(user core.User) string {
	words := user.Email
	if a.proof != ProofPassword {
		words += " by " + a.proof
	}
	if a.factor {
		words += " with a second factor"
	}
	return words
}

// tellOfSignIn tells the account's owner of a sign-in with a program and from a network that
// no session is known of together: a thief imitates the one, hardly the other.
func (s *Sessions) tellOfSignIn(ctx context.Context, tables storage.Tables, user core.User, by core.Actor, record core.Session) error {
	if !user.EmailVerified {
		return nil // Notify would not tell them either
	}
	known, err := tables.Sessions.Known(ctx, user.ID, record.Network, record.Device)
	if err != nil || known {
		return err
	}
	return s.deps.Mails.Notify(ctx, tables, user, noticeOf(by, mailer.NoticeSignIn))
}

// sessionEnd is when the last token of a session that is renewed now expires,
// truncated to the second like tokens.
func (s *Sessions) sessionEnd(now core.Time) core.Time {
	return now.Add(max(s.deps.Settings.AccessTTL, s.deps.Settings.RefreshTTL))
}

// tokensOf signs the tokens of a session.
func (s *Sessions) tokensOf(user core.User, record core.Session) (Session, error) {
	access, err := s.sign(user, record.ID, core.NewID(), identity.TokenAccess)
	if err != nil {
		return Session{}, err
	}
	refresh, err := s.sign(user, record.ID, record.TokenID, identity.TokenRefresh)
	return Session{user, access, refresh}, err
}

// sign returns a token of the user's. Times are truncated to the second, the precision
// of a token.
func (s *Sessions) sign(user core.User, session, id core.ID, kind identity.TokenKind) (string, error) {
	lifetime := s.deps.Settings.AccessTTL
	if kind == identity.TokenRefresh {
		lifetime = s.deps.Settings.RefreshTTL
	}
	issued := core.At(s.deps.Now().Truncate(time.Second))
	return s.deps.Tokens.Sign(identity.Claims{
		ID: id, Subject: user.ID, Session: session, Kind: kind, Version: user.CredentialVersion,
		IssuedAt: issued, ExpiresAt: issued.Add(lifetime),
	})
}

// Refresh renews a session: it returns a fresh access token and the next refresh
// token. A used refresh token still works for core.RefreshGrace; later it ends its
// session. by has the address of the call.
//
// An expired token has code core.CodeTokenExpired. Any other invalid token, a deleted
// account, and an ended session have code core.CodeUnauthenticated.
func (s *Sessions) Refresh(ctx context.Context, by core.Actor, token string) (Session, error) {
	claims, err := s.deps.Tokens.Verify(token, identity.TokenRefresh)
	if err != nil {
		return Session{}, err
	}
	var made Session
	renewed := false
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		user, err := tables.Users.ByID(ctx, claims.Subject)
		if err != nil {
			return withoutAccount(err)
		}
		if claims.Version != user.CredentialVersion {
			return sessionEnded()
		}
		found, err := s.renew(ctx, tables, by, claims)
		if err != nil {
			return err
		}
		renewed = found.renewed
		by.UserID = user.ID
		if !renewed {
			return s.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditTokenReused, user.Email)
		}
		if found.repeated {
			if err := s.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditTokenRepeated, user.Email); err != nil {
				return err
			}
		}
		made, err = s.tokensOf(user, found.Session)
		return err
	})
	if err == nil && !renewed {
		s.standings.forget(claims.Subject)
		err = core.Errorf(core.CodeUnauthenticated, "this refresh token was already used, so its session was ended: sign in again")
	}
	if err != nil {
		return Session{}, err
	}
	return made, nil
}

// renewal is a session after the use of a refresh token, which renewed or ended it. repeated says that
// the token had been used before.
type renewal struct {
	core.Session
	renewed, repeated bool
}

// renew uses a refresh token. A token from before sessions were records begins a session with its own
// id, so that it also works only once.
func (s *Sessions) renew(ctx context.Context, tables storage.Tables, by core.Actor, claims identity.Claims) (renewal, error) {
	if claims.Session == "" {
		claims.Session = claims.ID
		if err := s.adopt(ctx, tables, claims, nil); err != nil {
			return renewal{}, err
		}
	}
	var found renewal
	var err error
	now := s.deps.now()
	found.Session, err = tables.Sessions.Update(ctx, claims.Session, func(session *core.Session) error {
		if session.EndedAt != nil || session.UserID != claims.Subject {
			return sessionEnded()
		}
		found.repeated = session.Repeats(claims.ID)
		if found.renewed = session.Renew(claims.ID, core.NewID(), now, s.sessionEnd(now)); found.renewed {
			session.Address, session.LastSeenAt = by.IP, max(session.LastSeenAt, now)
		}
		return nil
	})
	if core.IsCode(err, core.CodeNotFound) {
		err = sessionEnded()
	}
	return found, err
}

// adopt creates the session of a refresh token without one, unless it exists.
func (s *Sessions) adopt(ctx context.Context, tables storage.Tables, claims identity.Claims, ended *core.Time) error {
	_, err := tables.Sessions.ByID(ctx, claims.ID)
	if !core.IsCode(err, core.CodeNotFound) {
		return err
	}
	return tables.Sessions.Create(ctx, core.Session{
		ID: claims.ID, UserID: claims.Subject, TokenID: claims.ID, CreatedAt: claims.IssuedAt, LastSeenAt: claims.IssuedAt, ExpiresAt: claims.ExpiresAt, EndedAt: ended,
	})
}

func sessionEnded() error {
	return core.Errorf(core.CodeUnauthenticated, "the session was ended: sign in again")
}

// SignOut ends the sessions of the tokens. It ignores a token that is "", expired or
// invalid. by has the address of the call.
func (s *Sessions) SignOut(ctx context.Context, by core.Actor, access, refresh string) error {
	for kind, token := range map[identity.TokenKind]string{identity.TokenAccess: access, identity.TokenRefresh: refresh} {
		claims, err := s.deps.Tokens.Verify(token, kind)
		if token == "" || err != nil || claims.Session == "" && kind == identity.TokenAccess {
			continue
		}
		err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			return s.end(ctx, tables, by, claims)
		})
		if err != nil {
			return err
		}
		s.standings.forget(claims.Subject)
	}
	return nil
}

// end ends the session of a token, if it has not ended.
func (s *Sessions) end(ctx context.Context, tables storage.Tables, by core.Actor, claims identity.Claims) error {
	user, err := tables.Users.ByID(ctx, claims.Subject)
	if core.IsCode(err, core.CodeNotFound) || err == nil && user.CredentialVersion != claims.Version {
		return nil
	}
	if err != nil {
		return err
	}
	if claims.Session == "" {
		claims.Session = claims.ID
		if err := s.adopt(ctx, tables, claims, nil); err != nil {
			return err
		}
	}
	now, ended := s.deps.now(), false
	_, err = tables.Sessions.Update(ctx, claims.Session, func(session *core.Session) error {
		if ended = session.EndedAt == nil && session.UserID == claims.Subject; ended {
			session.EndedAt = &now
		}
		return nil
	})
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil || !ended {
		return err
	}
	by.UserID = user.ID
	return s.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditSignOut, user.Email)
}

// SignOutEverywhere ends every session of the caller. A caller with an API token has
// code core.CodeInsufficientScope.
func (s *Sessions) SignOutEverywhere(ctx context.Context, by core.Actor) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		user, err := tables.Users.Update(ctx, by.UserID, func(user *core.User) error {
			user.CredentialVersion++
			return nil
		})
		if err != nil {
			return err
		}
		if err := tables.Sessions.DeleteOf(ctx, user.ID); err != nil {
			return err
		}
		return s.deps.Audit.RecordPerson(ctx, tables, by, user.ID, core.AuditSignOutEverywhere, user.Email)
	})
	s.standings.forget(by.UserID)
	return withoutAccount(err)
}
