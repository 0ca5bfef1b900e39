// Package signins lets the end users of projects' backends sign in with providers of OAuth, which
// the projects' members configure for each environment. They have nothing to do with the providers
// of the service's own users (core/accounts).
//
// # Where secrets are
//
// A client secret is sealed in the database, and nowhere else: not in the schema file, which is
// copied, exported and read by the agent, and in no database of an engine, which is exported, too.
// An engine gets it for the time of a request (Registry). No answer has it.
//
// # Which address to register
//
// A provider sends browsers back only to addresses that are registered there. That of a published
// site stays as long as the site has its address. Hosts of previews are keys, which change when a
// member leaves or the project's visibility changes, so the previews of a project share an address
// on the service's host (Returns).
package signins

import (
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// RedirectPath is where a provider sends browsers back to on a site: what PocketBase's client says
// when its address is /_data.
const RedirectPath = "/_data/api/oauth2-redirect"

// Deps has the dependencies of a Service.
type Deps struct {
	Store   storage.Store
	Gate    *access.Gate
	Sealer  identity.Sealer
	Guard   netguard.Guard
	Audit   *audit.Log
	Returns *Returns
	// Address returns the URL of a published project.
	Address projects.Address
	Now     func() time.Time
}

// Service has the use cases of members. It may be used by many goroutines.
type Service struct{ deps Deps }

// New returns a service over the ports.
func New(deps Deps) *Service { return &Service{deps} }

// Settings shows members the sign-ins of an environment.
type Settings struct {
	Items []core.SignInProvider `json:"items"`
	// Redirects are the addresses to register at a provider, the most important first.
	Redirects []Redirect `json:"redirects"`
	// Kinds are those that there may be.
	Kinds []backend.SignInKind `json:"kinds"`
}

// Redirect is an address to register at a provider.
type Redirect struct {
	URL string `json:"url"`
}

// List returns the providers of an environment by name.
func (s *Service) List(ctx context.Context, by core.Actor, at backend.Place) (Settings, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionBackendRead, at.Project); err != nil {
		return Settings{}, err
	}
	found, err := s.deps.Store.Tables().SignInProviders.List(ctx, at.Project, at.Env)
	if err != nil {
		return Settings{}, err
	}
	redirects, err := s.redirects(ctx, at)
	if err != nil {
		return Settings{}, err
	}
	return Settings{Items: append([]core.SignInProvider{}, found...), Redirects: redirects, Kinds: backend.SignInKinds()}, nil
}

// redirects returns the addresses to register for an environment: none for a site that is not
// published.
func (s *Service) redirects(ctx context.Context, at backend.Place) ([]Redirect, error) {
	if at.Env == core.DataTest {
		return []Redirect{{s.deps.Returns.Address(at.Project)}}, nil
	}
	found := []Redirect{}
	project, err := s.deps.Store.Tables().Projects.ByID(ctx, at.Project)
	if err != nil || project.PublishedSlug == nil {
		return found, err
	}
	primary, own := *s.deps.Address.Of(project), s.deps.Address(*project.PublishedSlug)
	found = append(found, Redirect{primary + RedirectPath})
	if own != primary {
		found = append(found, Redirect{own + RedirectPath})
	}
	return found, nil
}

// Input is a member's entry about a provider. Without a ClientSecret and an AppleKey, the present
// secret is kept.
type Input struct {
	ClientID     string
	ClientSecret *string
	// AppleKey is for Apple only, in the place of a ClientSecret.
	AppleKey    *AppleKey
	DisplayName string
	AuthURL     string
	TokenURL    string
	UserInfoURL string
	PKCE        *bool
}

// Put sets the provider of a name. It returns core.CodeValidationFailed with the member that breaks a
// rule, and core.CodeForbiddenAddress for an address that the guard refuses.
func (s *Service) Put(ctx context.Context, by core.Actor, at backend.Place, name string, input Input) (core.SignInProvider, error) {
	if _, err := s.deps.Gate.Project(ctx, by, changingOf(at.Env), at.Project); err != nil {
		return core.SignInProvider{}, err
	}
	next, err := s.read(at, name, input)
	if err != nil {
		return core.SignInProvider{}, err
	}
	if input.hasSecret() {
		if next.SealedSecret, err = s.seal(next, input); err != nil {
			return core.SignInProvider{}, err
		}
	}
	var stored core.SignInProvider
	err = s.change(ctx, by, at, core.AuditSignInUpdated, name, func(ctx context.Context, tables storage.Tables) error {
		changed := next
		if !input.hasSecret() {
			if changed.SealedSecret, err = keptSecret(ctx, tables, next); err != nil {
				return err
			}
		}
		stored, err = tables.SignInProviders.Put(ctx, changed)
		return err
	})
	return stored, err
}

// read checks what a member has entered.
func (s *Service) read(at backend.Place, name string, input Input) (core.SignInProvider, error) {
	kinds := backend.SignInKinds()
	i := slices.IndexFunc(kinds, func(kind backend.SignInKind) bool { return kind.Name == name })
	if i < 0 {
		return core.SignInProvider{}, core.NotFound("provider")
	}
	now := core.At(s.deps.Now())
	next := core.SignInProvider{
		Name: name, ClientID: input.ClientID, DisplayName: input.DisplayName, AuthURL: input.AuthURL, TokenURL: input.TokenURL, UserInfoURL: input.UserInfoURL,
		PKCE: input.PKCE, CreatedAt: now, UpdatedAt: now, ProjectID: at.Project, Env: at.Env,
	}
	if err := next.Check(); err != nil {
		return core.SignInProvider{}, err
	}
	if err := input.checkSecret(name); err != nil {
		return core.SignInProvider{}, err
	}
	return next, s.checkAddresses(next, kinds[i].Addressed)
}

func (i Input) hasSecret() bool { return i.ClientSecret != nil || i.AppleKey != nil }

// checkSecret checks the secret for a provider of a name.
func (i Input) checkSecret(name string) error {
	switch {
	case i.AppleKey != nil && name != apple:
		return core.Errorf(core.CodeValidationFailed, "appleKey is for the provider apple only")
	case i.AppleKey != nil && i.ClientSecret != nil:
		return core.Errorf(core.CodeValidationFailed, "appleKey takes the place of clientSecret: send one of them")
	case i.AppleKey != nil:
		return i.AppleKey.check()
	case i.ClientSecret != nil:
		return core.CheckClientSecret(*i.ClientSecret)
	}
	return nil
}

func (s *Service) seal(p core.SignInProvider, input Input) ([]byte, error) {
	text, err := input.secretText()
	if err != nil {
		return nil, err
	}
	return s.deps.Sealer.Seal([]byte(text), placeOf(p))
}

// keptSecret returns the sealed secret of the present provider. Who does not know the secret must not
// send it elsewhere, so it is entered again with another address or client.
func keptSecret(ctx context.Context, tables storage.Tables, next core.SignInProvider) ([]byte, error) {
	present, err := tables.SignInProviders.List(ctx, next.ProjectID, next.Env)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(present, func(one core.SignInProvider) bool { return one.Name == next.Name })
	if i < 0 {
		return nil, core.CheckClientSecret("")
	}
	if before := present[i]; before.ClientID != next.ClientID || before.TokenURL != next.TokenURL {
		return nil, core.Errorf(core.CodeValidationFailed, "clientSecret must be entered again when clientId or tokenURL changes")
	}
	return present[i].SealedSecret, nil
}

// Delete removes a provider. It returns core.CodeNotFound if there is no such one. Users who signed
// in with it stay, and can reset their password.
func (s *Service) Delete(ctx context.Context, by core.Actor, at backend.Place, name string) error {
	return s.change(ctx, by, at, core.AuditSignInDeleted, name, func(ctx context.Context, tables storage.Tables) error {
		return tables.SignInProviders.Delete(ctx, at.Project, at.Env, name)
	})
}

// changingOf is the action of changing an environment.
func changingOf(env core.DataEnv) core.Action {
	if env == core.DataLive {
		return core.ActionBackendLive
	}
	return core.ActionBackendTest
}

// change changes providers if the caller has the right. A change for live data is in the audit log.
func (s *Service) change(ctx context.Context, by core.Actor, at backend.Place, what core.AuditAction, name string, do func(context.Context, storage.Tables) error) error {
	return s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		project, err := access.ProjectIn(ctx, tables, by, changingOf(at.Env), at.Project)
		if err != nil {
			return err
		}
		if err := do(ctx, tables); err != nil || at.Env == core.DataTest {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, what, name+" of "+project.Name)
	})
}
