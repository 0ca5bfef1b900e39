package accounts

import (
	"context"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxAvatarURLBytes bounds the address of a person's picture.
const maxAvatarURLBytes = 2048

// BeginOAuth sends a browser to a provider to sign in; next is where it wants to
// be afterwards, at most MaxNextBytes. A provider that the operator did not
// configure has code core.CodeProviderNotConfigured, one that cannot be reached
// core.CodeUnavailable.
func (s *Service) BeginOAuth(ctx context.Context, provider core.IdentityProvider, next string) (Departure, error) {
	identifier, err := s.identifier(provider)
	if err != nil {
		return Departure{}, err
	}
	made, sealed, err := s.attempts().begin(string(provider), "", next)
	if err != nil {
		return Departure{}, err
	}
	address, err := identifier.AuthorizeURL(ctx, made.Attempt)
	return Departure{address, sealed}, err
}

// FinishOAuth signs in whom the provider names, and returns where the browser
// wanted to be. A new person gets an account with a personal workspace. by says
// where the call comes from.
//
// The codes of its errors are core.CodeProviderNotConfigured,
// core.CodeInvalidState for a browser that did not bring back what it left with,
// core.CodeAccessDenied when the person refused, core.CodeInvalidCredentials for a
// provider whose answer proves nothing, core.CodeEmailUnverified and
// core.CodeNoEmail for a person who is not known here yet and whom no verified
// address introduces, core.CodeConflict when other sign-ins of the person always
// came first, and core.CodeUnavailable.
func (s *Service) FinishOAuth(ctx context.Context, by core.Actor, provider core.IdentityProvider, back Return) (Session, string, error) {
	identifier, err := s.identifier(provider)
	if err != nil {
		return Session{}, "", err
	}
	made, err := s.attempts().redeem(ctx, string(provider), "", back)
	if err != nil {
		return Session{}, "", err
	}
	profile, err := identifier.Identify(ctx, made.Attempt, back.Code)
	if err != nil {
		return Session{}, "", err
	}
	session, err := s.admit(ctx, visitor{Profile: profile, provider: provider, ip: by.IP})
	return session, made.Next, err
}

func (s *Service) attempts() attempts {
	return attempts{s.deps.Store, s.deps.Sealer, s.deps.Now}
}

func (s *Service) identifier(provider core.IdentityProvider) (oauth.Identifier, error) {
	var identifier oauth.Identifier
	switch provider {
	case core.IdentityGitHub:
		identifier = s.deps.OAuth.GitHub
	case core.IdentityGoogle:
		identifier = s.deps.OAuth.Google
	}
	if identifier == nil {
		return nil, core.Errorf(core.CodeProviderNotConfigured, "signing in with %s is not set up here", provider)
	}
	return identifier, nil
}

// visitor is somebody whom a provider vouches for.
type visitor struct {
	oauth.Profile
	provider core.IdentityProvider
	ip       string
	// announce is to be called once the visitor is let in.
	announce func(context.Context)
}

// maxAdmissions bounds how often a visitor is looked for again because a parallel
// sign-in of the same person came first.
const maxAdmissions = 4

// admit opens a session of the visitor's account: found, linked or made.
func (s *Service) admit(ctx context.Context, who visitor) (session Session, err error) {
	for range maxAdmissions {
		who.announce = nobody
		err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			user, err := s.recognise(ctx, tables, &who)
			if err != nil {
				return err
			}
			session, err = s.open(ctx, tables, user, who.ip, false)
			return err
		})
		if err == nil {
			s.standings.forget(session.User.ID)
			who.announce(ctx)
		}
		if !core.IsCode(err, core.CodeConflict) && !core.IsCode(err, core.CodeEmailTaken) {
			return session, err
		}
	}
	return Session{}, core.Wrap(core.CodeConflict, err, "other sign-ins came in between: try again")
}

// recognise finds the visitor's account by the identity, else by a verified
// address, else makes one. An account is never made on an address that the
// provider did not verify: whoever owns the address would be shut out of it, or
// would sign in to an account that somebody else prepared.
func (s *Service) recognise(ctx context.Context, tables storage.Tables, who *visitor) (core.User, error) {
	known, err := tables.Identities.Find(ctx, who.provider, who.Subject)
	if err == nil {
		return s.welcome(ctx, tables, *who, known.UserID)
	}
	if !core.IsCode(err, core.CodeNotFound) {
		return core.User{}, err
	}
	email, err := who.provenEmail()
	if err != nil {
		return core.User{}, err
	}
	user, err := tables.Users.ByEmail(ctx, email)
	switch {
	case err == nil:
		return s.link(ctx, tables, who, user)
	case core.IsCode(err, core.CodeNotFound):
		return s.enrol(ctx, tables, *who, email)
	}
	return core.User{}, err
}

// provenEmail returns the address as accounts have it.
func (v visitor) provenEmail() (string, error) {
	email, err := core.NormalEmail(v.Email)
	if err != nil {
		return "", core.Wrap(core.CodeNoEmail, err, "%s tells no e-mail address", v.provider)
	}
	if !v.EmailVerified {
		return "", core.Errorf(core.CodeEmailUnverified, "%s has not verified the e-mail address", v.provider)
	}
	return email, nil
}

// actor is the visitor as the caller of what happens to their account.
func (v visitor) actor(user core.ID) core.Actor { return core.Actor{UserID: user, IP: v.ip} }

// words name the account and how it was entered, for the audit log.
func (v visitor) words(user core.User) string { return user.Email + " by " + string(v.provider) }

// welcome signs in somebody who came by this identity before.
func (s *Service) welcome(ctx context.Context, tables storage.Tables, who visitor, id core.ID) (core.User, error) {
	user, err := tables.Users.ByID(ctx, id)
	if err != nil {
		return core.User{}, err
	}
	return user, s.deps.Audit.RecordPerson(ctx, tables, who.actor(id), id, core.AuditSignIn, who.words(user))
}

// enrol makes the account of a new person.
func (s *Service) enrol(ctx context.Context, tables storage.Tables, who visitor, email string) (core.User, error) {
	user := core.User{
		ID: core.NewID(), Email: email, EmailVerified: true, CreatedAt: s.now(),
		DisplayName: who.displayName(), AvatarURL: who.avatarURL(),
	}
	home := Home{user, s.personalWorkspace(user), core.RoleOwner}
	if err := create(ctx, tables, home); err != nil {
		return core.User{}, err
	}
	if err := tables.Identities.Create(ctx, who.identity(user.ID, s.now())); err != nil {
		return core.User{}, err
	}
	return user, s.deps.Audit.RecordPerson(ctx, tables, who.actor(user.ID), user.ID, core.AuditSignUp, who.words(user))
}

func (v visitor) identity(user core.ID, at core.Time) core.Identity {
	return core.Identity{Provider: v.provider, Subject: v.Subject, UserID: user, CreatedAt: at}
}

// displayName cuts what the provider says to what an account may be called; nil
// for nothing that remains.
func (v visitor) displayName() *string {
	name := core.CleanName(v.Name)
	if chars := []rune(name); len(chars) > core.MaxDisplayNameChars {
		name = string(chars[:core.MaxDisplayNameChars])
	}
	checked, err := core.CheckName("displayName", name, core.MaxDisplayNameChars)
	if err != nil {
		return nil
	}
	return &checked
}

// avatarURL is the provider's picture when browsers can fetch it safely, else nil.
func (v visitor) avatarURL() *string {
	address, err := url.Parse(v.AvatarURL)
	if err != nil || address.Scheme != "https" || address.Host == "" || address.User != nil {
		return nil
	}
	text := address.String()
	if len(text) > maxAvatarURLBytes || !storage.Storable(text) {
		return nil
	}
	return &text
}
