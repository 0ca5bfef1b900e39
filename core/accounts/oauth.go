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
// core.CodeSignupClosed. A disabled account has core.CodeAccountDisabled, and one with a second
// factor core.CodeMFARequired, with the path as well. It returns core.CodeConflict if other
// sign-ins of the person came first each time.
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
	session, err := o.Admit(ctx, Visitor{Profile: profile, Provider: provider, By: by})
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

// Visitor is a person for whom a provider vouches.
type Visitor struct {
	oauth.Profile
	Provider core.IdentityProvider
	// Company comes from a company provider; it is nil for GitHub and Google.
	Company *CompanyVisit
	// By has the address and program of the call.
	By core.Actor
	// enrolled says that the visitor has just got an account.
	enrolled bool
	// announce must be called once the visitor is signed in.
	announce func(context.Context)
}

// CompanyVisit is the part of a visit that comes from a company provider.
type CompanyVisit struct {
	// Links says that the provider is believed about the visitor's address, and so may be linked
	// to an account whose owner verified it.
	Links bool
	// Enter is called in the transaction that signs the visitor in, maybe more than once. announce
	// is called after the last one.
	Enter func(ctx context.Context, tables storage.Tables, user core.User) (announce func(context.Context), err error)
}

// enter lets the company provider have its say.
func (v *Visitor) enter(ctx context.Context, tables storage.Tables, user core.User) error {
	if v.Company == nil {
		return nil
	}
	announce, err := v.Company.Enter(ctx, tables, user)
	if err != nil {
		return err
	}
	before := v.announce
	v.announce = func(ctx context.Context) {
		before(ctx)
		announce(ctx)
	}
	return nil
}

// maxAdmissions bounds how often Admit is repeated because a parallel sign-in of
// the same person came first.
const maxAdmissions = 4

// Admit opens a session of the visitor's account, which it finds, links or creates. It returns the
// codes of FinishOAuth that are about the person, core.CodeEmailDomain for an account to which a
// company provider may not be linked, and core.CodeCompanySignIn.
func (o *OAuthSignIns) Admit(ctx context.Context, who Visitor) (Session, error) {
	var err error
	for range maxAdmissions {
		who.announce, who.enrolled = nobody, false
		var made entrance
		var owner core.ID
		err = o.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			user, err := o.recognise(ctx, tables, &who)
			if err == nil {
				err = checkEnabled(user)
			}
			if err != nil {
				return err
			}
			owner = user.ID
			if err := who.enter(ctx, tables, user); err != nil {
				return err
			}
			made, err = o.sessions.open(ctx, tables, user, arrival{by: who.By, proof: string(who.Provider), enrolled: who.enrolled})
			return err
		})
		if err == nil {
			o.standings.forget(owner)
			who.announce(ctx)
			o.deps.Mails.Wake()
			return made.result()
		}
		if !core.IsCode(err, core.CodeConflict) && !core.IsCode(err, core.CodeEmailTaken) {
			return Session{}, err
		}
	}
	return Session{}, core.Wrap(core.CodeConflict, err, "other sign-ins interfered: try again")
}

// recognise finds the visitor's account by the identity, else by a verified
// address, else creates one. It never creates an account with an address that the
// provider did not verify: the address's owner would be locked out, or sign in to
// an account that somebody else prepared.
func (o *OAuthSignIns) recognise(ctx context.Context, tables storage.Tables, who *Visitor) (core.User, error) {
	known, err := tables.Identities.Find(ctx, who.Provider, who.Subject)
	if err == nil {
		return tables.Users.ByID(ctx, known.UserID)
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
		who.enrolled = true
		return o.enrol(ctx, tables, *who, email)
	}
	return core.User{}, err
}

// provenEmail returns the verified address in the spelling of accounts.
func (v Visitor) provenEmail() (string, error) {
	email, err := core.NormalEmail(v.Email)
	if err != nil {
		return "", core.Wrap(core.CodeNoEmail, err, "%s reports no e-mail address", v.Provider)
	}
	if !v.EmailVerified {
		return "", core.Errorf(core.CodeEmailUnverified, "%s has not verified the e-mail address", v.Provider)
	}
	return email, nil
}

// actor is the visitor as the actor of changes to their account.
func (v Visitor) actor(user core.ID) core.Actor { return core.Actor{UserID: user, IP: v.By.IP} }

// words names the account and the provider, for the audit log.
func (v Visitor) words(user core.User) string { return user.Email + " by " + string(v.Provider) }

// enrol creates the account of a new person.
func (o *OAuthSignIns) enrol(ctx context.Context, tables storage.Tables, who Visitor, email string) (core.User, error) {
	user := core.User{
		ID: core.NewID(), Email: email, EmailVerified: true, CreatedAt: o.deps.now(),
		DisplayName: who.displayName(), AvatarURL: who.avatarURL(), Language: who.By.Language,
	}
	home, err := o.deps.create(ctx, tables, who.By, user, instance.Newcomer{Email: email, Proven: true, Company: who.Company != nil})
	if err != nil {
		return core.User{}, err
	}
	user = home.User
	if err := tables.Identities.Create(ctx, who.identity(user.ID, o.deps.now())); err != nil {
		return core.User{}, err
	}
	return user, o.deps.Audit.RecordPerson(ctx, tables, who.actor(user.ID), user.ID, core.AuditSignUp, who.words(user))
}

func (v Visitor) identity(user core.ID, at core.Time) core.Identity {
	return core.Identity{Provider: v.Provider, Subject: v.Subject, UserID: user, CreatedAt: at}
}

// displayName cleans the provider's name for an account; nil if nothing remains.
func (v Visitor) displayName() *string {
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
func (v Visitor) avatarURL() *string {
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
