package programs

import (
	"context"
	"log/slog"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/instance"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/core/mailer"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/storage"
)

// MaxPrograms bounds how many programs a person has connected at a time.
const MaxPrograms = 100

// AppURL is the public address of the service, without a slash at its end.
type AppURL string

// Deps has the dependencies of a Service.
type Deps struct {
	Store storage.Store
	Guard netguard.Guard
	Audit *audit.Log
	Mails *mailer.Queue
	// Doors say whether people must prove their address.
	Doors *instance.Doors
	App   AppURL
	Now   func() time.Time
	Log   *slog.Logger
}

// Service is the authorisation server. Many goroutines may use it.
type Service struct {
	Deps
	documents *lru.Cache[string, cachedDocument]
}

// New returns the service.
func New(deps Deps) *Service {
	return &Service{deps, lru.New[string](documentCount, func(cachedDocument) int64 { return 1 })}
}

// Issuer is the address by which programs know the server.
func (s *Service) Issuer() string { return string(s.App) }

// Resource is the address of the tools, for which all tokens are.
func (s *Service) Resource() string { return string(s.App) + "/mcp" }

// Metadata is the address of the description of the tools (RFC 9728).
func (s *Service) Metadata() string {
	return string(s.App) + "/.well-known/oauth-protected-resource/mcp"
}

// Program is a program that a person has connected.
type Program struct {
	ID   core.ID `json:"id"`
	Name string  `json:"name"`
	// Host is the host of the program's document, "" for one that registered itself.
	Host   string       `json:"host"`
	Scopes []core.Scope `json:"scopes"`
	// LastUsedAt is exact to a minute; nil if the program was never used.
	LastUsedAt *core.Time `json:"lastUsedAt"`
	CreatedAt  core.Time  `json:"createdAt"`
}

// List returns the caller's programs, the oldest first. It returns core.CodeInsufficientScope to
// a caller with a token.
func (s *Service) List(ctx context.Context, by core.Actor) ([]Program, error) {
	if err := ownAccount(by); err != nil {
		return nil, err
	}
	grants, err := s.Store.Tables().ProgramGrants.List(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	now := core.At(s.Now())
	var programs []Program
	for _, grant := range grants {
		if grant.IsPending() || now >= grant.ExpiresAt {
			continue
		}
		program := Program{ID: grant.ID, Name: grant.Name, Host: grant.Host, Scopes: grant.Scopes, CreatedAt: grant.CreatedAt}
		if grant.LastUsedAt > 0 {
			program.LastUsedAt = &grant.LastUsedAt
		}
		programs = append(programs, program)
	}
	return programs, nil
}

// Disconnect ends one of the caller's programs at once. It returns core.CodeNotFound for any
// other, and core.CodeInsufficientScope to a caller with a token.
func (s *Service) Disconnect(ctx context.Context, by core.Actor, id core.ID) error {
	if err := ownAccount(by); err != nil {
		return err
	}
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		grant, err := tables.ProgramGrants.Delete(ctx, by.UserID, id)
		if err != nil {
			return err
		}
		return s.Audit.RecordPerson(ctx, tables, by, by.UserID, core.AuditProgramDisconnected, inWords(grant))
	})
}

// ownAccount refuses tokens: a program must not connect others that outlive it.
func ownAccount(by core.Actor) error {
	return core.RuleOf(core.ActionAccount).Authorize(by, core.Standing{})
}

// inWords names a program for the audit log.
func inWords(grant core.ProgramGrant) string {
	if grant.Host == "" {
		return grant.Name
	}
	return grant.Name + " (" + grant.Host + ")"
}
