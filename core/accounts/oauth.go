package accounts

import (
	"context"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxAvatarURLBytes bounds the address of a person's picture.
const maxAvatarURLBytes = 2048

// OAuthSignIns has the use cases of signing in at a provider.
type OAuthSignIns struct {
	deps      *Deps
	sessions  *Sessions
	standings *standings
}

// BeginOAuth sends a browser to a provider to sign in; next is the path to which it
// goes afterwards, of at most MaxNextBytes. It returns
// core.CodeProviderNotConfigured if the operator did not configure the provider,
// and core.CodeUnavailable if it cannot be reached.
func (o *OAuthSignIns) BeginOAuth(ctx context.Context, provider core.IdentityProvider, next string) (OAuthRedirect, error) {
	identifier, err := o.identifier(provider)
	if err != nil {
		return OAuthRedirect{}, err
	}
	made, sealed, err := o.attempts().begin(string(provider), "", next)
	if err != nil {
		return OAuthRedirect{}, err
	}
	address, err := identifier.AuthorizeURL(ctx, made.Attempt)
	return OAuthRedirect{address, sealed}, err
}

// FinishOAuth signs in the person whom the provider names, and returns the path of
// BeginOAuth. A new person gets an account with a personal workspace. by has the
// address of the call.
//
// It returns core.CodeProviderNotConfigured, core.CodeUnavailable,
// core.CodeInvalidState if the browser returns without the state that it left with,
// core.CodeAccessDenied if the person refused, and core.CodeInvalidCredentials if
// the provider's answer proves nothing. A new person without a verified address has
// core.CodeEmailUnverified or core.CodeNoEmail, and one whom the installation does not admit
// core.CodeSignupClosed. A disabled account has core.CodeAccountDisabled. It returns core.CodeConflict if
// other sign-ins of the person came first each time.
func (o *OAuthSignIns) FinishOAuth(ctx context.Context, by core.Actor, provider core.IdentityProvider, back OAuthCallback) (Session, string, error) {
	identifier, err := o.identifier(provider)
	if err != nil {
		return Session{}, "", err
	}
	made, err := o.attempts().redeem(ctx, string(provider), "", back)
	if err != nil {
		return Session{}, "", err
	}
	profile, err := identifier.Identify(ctx, made.Attempt, back.Code)
	if err != nil {
		return Session{}, "", err
	}
	session, err := o.admit(ctx, visitor{Profile: profile, provider: provider, by: by})
	return session, made.Next, err
}

func (o *OAuthSignIns) attempts() attempts {
	return attempts{o.deps.Store, o.deps.Sealer, o.deps.Now}
}

func (o *OAuthSignIns) identifier(provider core.IdentityProvider) (oauth.Identifier, error) {
	var identifier oauth.Identifier
	switch provider {
	case core.IdentityGitHub:
		identifier = o.deps.OAuth.GitHub
	case core.IdentityGoogle:
		identifier = o.deps.OAuth.Google
	}
	if identifier == nil {
		return nil, core.Errorf(core.CodeProviderNotConfigured, "sign-in with %s is not configured here", provider)
	}
	return identifier, nil
}

// visitor is a person for whom a provider vouches.
type visitor struct {
	oauth.Profile
	provider core.IdentityProvider
	// by has the address and program of the call.
	by core.Actor
	// announce must be called once the visitor is signed in.
	announce func(context.Context)
}

// maxAdmissions bounds how often admit is repeated because a parallel sign-in of
// the same person came first.
const maxAdmissions = 4

// admit opens a session of the visitor's account, which it finds, links or creates.
func (o *OAuthSignIns) admit(ctx context.Context, who visitor) (session Session, err error) {
	for range maxAdmissions {
		who.announce = nobody
		err = o.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			user, err := o.recognise(ctx, tables, &who)
			if err == nil {
				err = checkEnabled(user)
			}
			if err != nil {
				return err
			}
			session, err = o.sessions.open(ctx, tables, user, who.by, false)
			return err
		})
		if err == nil {
			o.standings.forget(session.User.ID)
			who.announce(ctx)
			o.deps.Mails.Wake()
		}
		if !core.IsCode(err, core.CodeConflict) && !core.IsCode(err, core.CodeEmailTaken) {
			return session, err
		}
	}
	return Session{}, core.Wrap(core.CodeConflict, err, "other sign-ins interfered: try again")
}

// recognise finds the visitor's account by the identity, else by a verified
// address, else creates one. It never creates an account with an address that the
// provider did not verify: the address's owner would be locked out, or sign in to
// an account that somebody else prepared.
func (o *OAuthSignIns) recognise(ctx context.Context, tables storage.Tables, who *visitor) (core.User, error) {
	known, err := tables.Identities.Find(ctx, who.provider, who.Subject)
	if err == nil {
		return o.welcome(ctx, tables, *who, known.UserID)
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
		return o.link(ctx, tables, who, user)
	case core.IsCode(err, core.CodeNotFound):
		return o.enrol(ctx, tables, *who, email)
	}
	return core.User{}, err
}

// provenEmail returns the verified address in the spelling of accounts.
func (v visitor) provenEmail() (string, error) {
	email, err := core.NormalEmail(v.Email)
	if err != nil {
		return "", core.Wrap(core.CodeNoEmail, err, "%s reports no e-mail address", v.provider)
	}
	if !v.EmailVerified {
		return "", core.Errorf(core.CodeEmailUnverified, "%s has not verified the e-mail address", v.provider)
	}
	return email, nil
}

// actor is the visitor as the actor of changes to their account.
func (v visitor) actor(user core.ID) core.Actor { return core.Actor{UserID: user, IP: v.by.IP} }

// words names the account and the provider, for the audit log.
func (v visitor) words(user core.User) string { return user.Email + " by " + string(v.provider) }

// welcome signs in a person with a known identity.
func (o *OAuthSignIns) welcome(ctx context.Context, tables storage.Tables, who visitor, id core.ID) (core.User, error) {
	user, err := tables.Users.ByID(ctx, id)
	if err != nil {
		return core.User{}, err
	}
	return user, o.deps.Audit.RecordPerson(ctx, tables, who.actor(id), id, core.AuditSignIn, who.words(user))
}

// enrol creates the account of a new person.
func (o *OAuthSignIns) enrol(ctx context.Context, tables storage.Tables, who visitor, email string) (core.User, error) {
	user := core.User{
		ID: core.NewID(), Email: email, EmailVerified: true, CreatedAt: o.deps.now(),
		DisplayName: who.displayName(), AvatarURL: who.avatarURL(), Language: who.by.Language,
	}
	home, err := o.deps.create(ctx, tables, who.by, user, instance.Newcomer{Email: email, Proven: true})
	if err != nil {
		return core.User{}, err
	}
	user = home.User
	if err := tables.Identities.Create(ctx, who.identity(user.ID, o.deps.now())); err != nil {
		return core.User{}, err
	}
	return user, o.deps.Audit.RecordPerson(ctx, tables, who.actor(user.ID), user.ID, core.AuditSignUp, who.words(user))
}

func (v visitor) identity(user core.ID, at core.Time) core.Identity {
	return core.Identity{Provider: v.provider, Subject: v.Subject, UserID: user, CreatedAt: at}
}

// displayName cleans the provider's name for an account; nil if nothing remains.
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

// avatarURL is the provider's picture if browsers can fetch it safely, else nil.
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
