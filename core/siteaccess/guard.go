package siteaccess

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// How long a visitor may come back, and how long a member may take to the site.
const (
	PasswordLifetime = 30 * 24 * time.Hour
	MemberLifetime   = 12 * time.Hour
	PassLifetime     = time.Minute
)

// Callers tells whether the session or API token of an earlier caller is over, as
// accounts.Authenticator does.
type Callers interface {
	Ended(ctx context.Context, by core.Actor) bool
}

// Deps has the dependencies of a Guard.
type Deps struct {
	Store     storage.Store
	Gate      *access.Gate
	Callers   Callers
	Passwords identity.Passwords
	Sealer    identity.Sealer
	// Address returns the URL of a site.
	Address projects.Address
	Now     func() time.Time
}

// Guard decides who sees a site. It may be used by many goroutines.
type Guard struct{ deps Deps }

// NewGuard returns a guard over the ports.
func NewGuard(deps Deps) *Guard { return &Guard{deps} }

// Ticket lets a visitor see a site until ExpiresAt.
type Ticket struct {
	Text      string
	ExpiresAt core.Time
}

// content is that of a ticket or a pass. All but ExpiresAt are a member's: who they are, and
// the session or API token with which they called. Secret is that of a pass.
type content struct {
	ExpiresAt core.Time `json:"e"`
	Member    core.ID   `json:"m,omitempty"`
	Version   int       `json:"v,omitempty"`
	Session   core.ID   `json:"s,omitempty"`
	Token     core.ID   `json:"t,omitempty"`
	Until     core.Time `json:"u,omitempty"`
	Secret    string    `json:"p,omitempty"`
}

// contentOf is the content of a caller's ticket.
func contentOf(by core.Actor) content {
	said := content{Member: by.UserID, Version: by.CredentialVersion, Session: by.SessionID}
	if by.Token {
		// A session outlives its access tokens, an API token does not outlive itself.
		said.Token, said.Until = by.TokenID, by.Until
	}
	return said
}

// caller is the member as they called.
func (c content) caller() core.Actor {
	return core.Actor{UserID: c.Member, CredentialVersion: c.Version, SessionID: c.Session, Token: c.Token != "", TokenID: c.Token, Until: c.Until}
}

// Admits reports whether a visitor with a ticket, "" for none, sees a site. The error is that of the
// storage.
func (g *Guard) Admits(ctx context.Context, settings core.SiteSettings, ticket string) (bool, error) {
	if settings.Access == core.SitePublic {
		return true, nil
	}
	shown, valid := g.open(placeOf(settings), ticket)
	if !valid || shown.ExpiresAt <= core.At(g.deps.Now()) {
		return false, nil
	}
	if settings.Access != core.SiteWorkspace {
		return true, nil
	}
	seen, err := g.deps.Store.Tables().Users.OnProject(ctx, shown.Member, settings.ProjectID)
	if core.IsCode(err, core.CodeNotFound) {
		return false, nil
	}
	by := shown.caller()
	if err != nil || seen.Role == core.RoleNone || seen.CheckFactor(by) != nil || !by.Token && seen.User.CredentialVersion != by.CredentialVersion {
		return false, err
	}
	return !g.deps.Callers.Ended(ctx, by), nil
}

// EnterWithPassword exchanges the site's password for a ticket. Another password, and a site that
// asks for none, have core.CodeInvalidCredentials.
func (g *Guard) EnterWithPassword(ctx context.Context, settings core.SiteSettings, password string) (Ticket, error) {
	right := false
	if settings.Access == core.SitePassword {
		var err error
		if right, err = g.deps.Passwords.Verify(ctx, settings.PasswordHash, password); err != nil {
			return Ticket{}, err
		}
	}
	if !right {
		return Ticket{}, core.Errorf(core.CodeInvalidCredentials, "this is not the password of the site")
	}
	return g.issue(settings, content{ExpiresAt: core.At(g.deps.Now()).Add(PasswordLifetime)})
}

// EnterPath is where a site's host exchanges a pass for a ticket: PassParameter is the pass, and
// PathParameter the path of the site that the visitor wants to see.
const (
	EnterPath     = "/_site/enter"
	PassParameter = "pass"
	PathParameter = "to"
)

// Pass returns an address that leads a member's browser into the site of a project, once and within
// PassLifetime. Errors are those of access.Gate.Project; a caller who may only read a public project,
// and a project without a live site, have core.CodeNotFound.
func (g *Guard) Pass(ctx context.Context, by core.Actor, id core.ID, path string) (string, error) {
	project, err := g.deps.Gate.Project(ctx, by, core.ActionSiteEnter, id)
	if err != nil {
		return "", err
	}
	address := g.deps.Address.Of(project)
	if address == nil {
		return "", core.NotFound("site")
	}
	said := contentOf(by)
	said.Secret, said.ExpiresAt = core.NewSecret(), core.At(g.deps.Now()).Add(PassLifetime)
	err = g.deps.Store.Tables().Tickets.Create(ctx, core.Ticket{
		Kind: core.TicketSitePass, Hash: passHash(id, said.Secret), UserID: by.UserID, ExpiresAt: said.ExpiresAt,
	})
	if err != nil {
		return "", err
	}
	pass, err := g.seal(passPlace(id), said)
	query := url.Values{PassParameter: {pass}, PathParameter: {path}}
	return *address + EnterPath + "?" + query.Encode(), err
}

func passPlace(project core.ID) string { return "site_passes/" + string(project) }

// passHash binds a pass to its project.
func passHash(project core.ID, secret string) string {
	return core.HashSecret(string(project) + "/" + secret)
}

// EnterWithPass exchanges a pass for a ticket. A pass that was used, has expired, or is of another
// project has core.CodeInvalidToken. The ticket is worth what the caller's session or API token
// still is.
func (g *Guard) EnterWithPass(ctx context.Context, settings core.SiteSettings, pass string) (Ticket, error) {
	worthless := core.Errorf(core.CodeInvalidToken, "this link has expired or was already used")
	said, valid := g.open(passPlace(settings.ProjectID), pass)
	if !valid {
		return Ticket{}, worthless
	}
	now := core.At(g.deps.Now())
	taken, err := g.deps.Store.Tables().Tickets.Take(ctx, core.TicketSitePass, passHash(settings.ProjectID, said.Secret))
	if core.IsCode(err, core.CodeNotFound) || err == nil && taken.ExpiresAt <= now {
		return Ticket{}, worthless
	}
	if err != nil {
		return Ticket{}, err
	}
	said.Secret, said.ExpiresAt = "", now.Add(MemberLifetime)
	return g.issue(settings, said)
}

func (g *Guard) issue(settings core.SiteSettings, issued content) (Ticket, error) {
	text, err := g.seal(placeOf(settings), issued)
	return Ticket{text, issued.ExpiresAt}, err
}

// seal returns a text that only open of the same place reads.
func (g *Guard) seal(place string, said content) (string, error) {
	text, err := json.Marshal(said)
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "a ticket cannot be encoded")
	}
	sealed, err := g.deps.Sealer.Seal(text, place)
	return base64.RawURLEncoding.EncodeToString(sealed), err
}

// open returns what was sealed for a place. The text may be anybody's.
func (g *Guard) open(place, ticket string) (content, bool) {
	var shown content
	sealed, err := base64.RawURLEncoding.DecodeString(ticket)
	if err != nil || ticket == "" {
		return shown, false
	}
	text, err := g.deps.Sealer.Open(sealed, place)
	if err != nil || json.Unmarshal(text, &shown) != nil {
		return content{}, false
	}
	return shown, true
}

// placeOf binds tickets to their project, and to the way in which the visitor came in: a new
// password invalidates those of the old one.
func placeOf(settings core.SiteSettings) string {
	place := "site_tickets/" + string(settings.ProjectID) + "/" + string(settings.Access)
	if settings.Access == core.SitePassword {
		place += "/" + core.HashSecret(settings.PasswordHash)
	}
	return place
}
