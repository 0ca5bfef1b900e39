package companysignin

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// AppURL is the public address of the studio and the API, without a slash at its end.
type AppURL string

// Deps has the dependencies of a Service.
type Deps struct {
	Store    storage.Store
	Gate     *access.Gate
	Audit    *audit.Log
	Sealer   identity.Sealer
	Guard    netguard.Guard
	Issuers  oauth.Issuers
	Accounts *accounts.Service
	Members  *workspaces.Members
	App      AppURL
	Now      func() time.Time
	Log      *slog.Logger
}

// Service has the use cases around company providers. Many goroutines may use it.
type Service struct{ Deps }

// New returns the use cases.
func New(deps Deps) *Service { return &Service{deps} }

// Choice is a provider as visitors see it.
type Choice struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Choices returns the providers with which visitors can sign in, the oldest first.
func Choices(ctx context.Context, store storage.Store) ([]Choice, error) {
	found, err := store.Tables().CompanyProviders.List(ctx)
	choices := make([]Choice, len(found))
	for i, provider := range found {
		choices[i] = Choice{provider.Slug, provider.Name}
	}
	return choices, err
}

// Begin sends a browser to a provider, as accounts.OAuthSignIns.BeginOAuth does, with its codes.
func (s *Service) Begin(ctx context.Context, slug, next string) (accounts.OAuthRedirect, error) {
	provider, issuer, err := s.find(ctx, slug)
	if err != nil {
		return accounts.OAuthRedirect{}, err
	}
	made, sealed, err := s.Accounts.BeginVisit(purposeOf(provider), next)
	if err != nil {
		return accounts.OAuthRedirect{}, err
	}
	address, err := s.Issuers.AuthorizeURL(ctx, issuer, made)
	return accounts.OAuthRedirect{Address: address, Sealed: sealed}, err
}

// Outcome is the end of a sign-in.
type Outcome struct {
	Session accounts.Session
	// Next is the path of Begin.
	Next string
	// SignOut is for SignOutURL, a text for a cookie.
	SignOut string
}

// Finish signs in the person whom the provider names, and applies their groups. by has the address
// of the call. It returns the codes of accounts.OAuthSignIns.FinishOAuth, and core.CodeEmailDomain for an
// address about which the provider is not believed, core.CodeTooManyGroups, and
// core.CodeCompanySignIn if another provider is the only way in for the address. With
// core.CodeMFARequired the outcome has all but the session.
func (s *Service) Finish(ctx context.Context, by core.Actor, slug string, back accounts.OAuthCallback) (Outcome, error) {
	provider, issuer, err := s.find(ctx, slug)
	if err != nil {
		return Outcome{}, err
	}
	made, next, err := s.Accounts.EndVisit(ctx, purposeOf(provider), back)
	if err != nil {
		return Outcome{}, err
	}
	said, err := s.Issuers.Identify(ctx, issuer, made, oauth.Return{Code: back.Code, Issuer: back.Issuer})
	if err != nil {
		return Outcome{}, err
	}
	visitor, err := s.visitor(by, provider, said)
	if err != nil {
		return Outcome{}, err
	}
	outcome := Outcome{Next: next}
	if outcome.SignOut, err = s.sealSignOut(provider, said.IDToken); err != nil {
		return Outcome{}, err
	}
	outcome.Session, err = s.Accounts.Admit(ctx, visitor)
	return outcome, err
}

// visitor decides what is believed of a statement.
func (s *Service) visitor(by core.Actor, provider core.CompanyProvider, said oauth.Statement) (accounts.Visitor, error) {
	email, err := core.NormalEmail(said.Email)
	known := err == nil
	served := known && provider.Serves(email)
	if known && len(provider.Domains) > 0 && !served {
		return accounts.Visitor{}, core.Errorf(core.CodeEmailDomain, "%s may not sign in people at %s", provider.Name, core.EmailDomain(email))
	}
	if !known && len(provider.Domains) > 0 {
		return accounts.Visitor{}, core.Errorf(core.CodeNoEmail, "%s reports no e-mail address", provider.Name)
	}
	said.EmailVerified = said.EmailVerified || served && !said.EmailDenied
	roles := provider.RolesOf(said.Groups)
	return accounts.Visitor{
		Profile: said.Profile, Provider: provider.Identity(), By: by,
		Company: &accounts.CompanyVisit{
			Links: served,
			Enter: func(ctx context.Context, tables storage.Tables, user core.User) (func(context.Context), error) {
				now, err := tables.CompanyProviders.ByID(ctx, provider.ID)
				if core.IsCode(err, core.CodeNotFound) || err == nil && now.UpdatedAt != provider.UpdatedAt {
					return nil, core.Errorf(core.CodeInvalidState, "the provider was changed meanwhile: start again")
				}
				if err != nil {
					return nil, err
				}
				return s.Members.ApplyGroups(ctx, tables, by, workspaces.GroupRoles{Provider: provider, Person: user, Roles: roles})
			},
		},
	}, nil
}

// find returns a provider as a client of its issuer.
func (s *Service) find(ctx context.Context, slug string) (core.CompanyProvider, oauth.Issuer, error) {
	provider, err := s.Store.Tables().CompanyProviders.BySlug(ctx, slug)
	if core.IsCode(err, core.CodeNotFound) {
		err = core.Errorf(core.CodeProviderNotConfigured, "this way to sign in is not configured here")
	}
	if err != nil {
		return core.CompanyProvider{}, oauth.Issuer{}, err
	}
	issuer, err := s.issuerOf(provider)
	return provider, issuer, err
}

func (s *Service) issuerOf(provider core.CompanyProvider) (oauth.Issuer, error) {
	secret, err := s.Sealer.Open(provider.SealedSecret, secretPlace(provider.ID))
	issuer := oauth.Issuer{
		URL: provider.Issuer, ClientID: provider.ClientID, ClientSecret: string(secret), RedirectURI: s.redirectURI(provider), Scopes: provider.Scopes,
	}
	if len(provider.Mappings) > 0 {
		issuer.GroupsClaim = provider.GroupsClaim
	}
	return issuer, err
}

// purposeOf binds an attempt to a provider and its issuer, so that none outlives an exchange.
func purposeOf(provider core.CompanyProvider) string {
	return string(provider.Identity()) + " " + string(provider.ID) + " " + provider.Issuer
}

func (s *Service) redirectURI(provider core.CompanyProvider) string {
	return strings.TrimRight(string(s.App), "/") + "/auth/oidc/" + provider.Slug + "/callback"
}

func (s *Service) signOutURI() string { return strings.TrimRight(string(s.App), "/") + "/login" }

// Bounds of signing out at a provider.
const (
	// maxNoteBytes bounds the note in a cookie, of which browsers keep at most 4096 bytes with its
	// name. A longer identity token is left out, and the provider then asks.
	maxNoteBytes  = 3500
	signOutTime   = 3 * time.Second
	signOutPlace  = "company sign-out"
	maxSealedText = 8 << 10
)

// signOutNote says at which provider a browser signed in.
type signOutNote struct {
	Provider core.ID `json:"p"`
	Hint     string  `json:"h,omitempty"`
}

func (s *Service) sealSignOut(provider core.CompanyProvider, hint string) (string, error) {
	note, err := s.seal(signOutNote{provider.ID, hint})
	if err == nil && len(note) > maxNoteBytes {
		note, err = s.seal(signOutNote{Provider: provider.ID})
	}
	return note, err
}

func (s *Service) seal(note signOutNote) (string, error) {
	text, err := json.Marshal(note)
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "the note of a sign-in cannot be encoded")
	}
	sealed, err := s.Sealer.Seal(text, signOutPlace)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// SignOutURL returns the address at which a browser ends its session at the provider as well, "" if
// it did not sign in at one, or the provider offers none or does not answer within 3 seconds.
func (s *Service) SignOutURL(ctx context.Context, sealed string) string {
	if sealed == "" || len(sealed) > maxSealedText {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, signOutTime)
	defer cancel()
	address, err := s.signOutURL(ctx, sealed)
	if err != nil {
		s.Log.WarnContext(ctx, "could not sign out at the identity provider", "error", err)
	}
	return address
}

func (s *Service) signOutURL(ctx context.Context, sealed string) (string, error) {
	box, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return "", nil
	}
	text, err := s.Sealer.Open(box, signOutPlace)
	if err != nil {
		return "", nil // the browser brought something else
	}
	var note signOutNote
	if err := json.Unmarshal(text, &note); err != nil {
		return "", err
	}
	provider, err := s.Store.Tables().CompanyProviders.ByID(ctx, note.Provider)
	if core.IsCode(err, core.CodeNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	issuer, err := s.issuerOf(provider)
	if err != nil {
		return "", err
	}
	return s.Issuers.SignOutURL(ctx, issuer, note.Hint, s.signOutURI())
}
