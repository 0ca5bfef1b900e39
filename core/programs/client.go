package programs

import (
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// authMethodNone is that of public clients, which have no secret.
const authMethodNone = "none"

// Bounds of registrations.
const (
	maxNameChars = 100
	// UnusedLifetime is how long a registered program stays that nobody has allowed anything,
	// UsedLifetime how long one stays since somebody last did.
	UnusedLifetime = time.Hour
	UsedLifetime   = 180 * 24 * time.Hour
	// MaxUnused bounds the registered programs that nobody has allowed anything.
	MaxUnused = 10_000
)

// Client is a program that asks.
type Client struct {
	ID string
	// Name is its own.
	Name string
	// Host is the host of its document, "" for a program that registered itself.
	Host string

	redirects []string
}

// Registration is a program's description of itself.
type Registration struct {
	Name      string
	Redirects []string
	// AuthMethod and GrantTypes are "" and empty for the usual ones.
	AuthMethod                string
	GrantTypes, ResponseTypes []string
}

// Register makes a program known. The error is a Refusal, or has code core.CodeRateLimited beyond
// MaxUnused.
func (s *Service) Register(ctx context.Context, wanted Registration) (core.ProgramClient, error) {
	if wanted.AuthMethod != "" && wanted.AuthMethod != authMethodNone {
		return core.ProgramClient{}, refuse(InvalidClientMetadata, "token_endpoint_auth_method must be none")
	}
	if len(wanted.GrantTypes) > 0 && !slices.Contains(wanted.GrantTypes, "authorization_code") || len(wanted.ResponseTypes) > 0 && !slices.Contains(wanted.ResponseTypes, "code") {
		return core.ProgramClient{}, refuse(InvalidClientMetadata, "grant_types must have authorization_code, and response_types code")
	}
	name, redirects, err := checkClient(wanted.Name, wanted.Redirects)
	if err != nil {
		return core.ProgramClient{}, refused(InvalidRedirect, err)
	}
	now := core.At(s.Now())
	client := core.ProgramClient{ID: core.NewID(), Name: name, Redirects: redirects, CreatedAt: now}
	err = s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.ProgramClients.Prune(ctx, now.Add(-UnusedLifetime), now.Add(-UsedLifetime)); err != nil {
			return err
		}
		unused, err := tables.ProgramClients.Unused(ctx)
		if err != nil {
			return err
		}
		if unused >= MaxUnused {
			return core.Errorf(core.CodeRateLimited, "too many programs have registered in the last hour: try again later")
		}
		return tables.ProgramClients.Create(ctx, client)
	})
	return client, err
}

// checkClient returns the name and the addresses of a program. The error has code
// core.CodeValidationFailed.
func checkClient(name string, redirects []string) (string, []string, error) {
	if len(redirects) == 0 || len(redirects) > maxRedirects {
		return "", nil, core.Errorf(core.CodeValidationFailed, "redirect_uris must have 1 to %d addresses", maxRedirects)
	}
	for _, address := range redirects {
		if _, err := checkRedirect(address); err != nil {
			return "", nil, err
		}
	}
	return core.ShortenChars(core.CleanName(name), maxNameChars), redirects, nil
}

// client returns the program with an id. The error has code core.CodeValidationFailed for one that
// is not known.
func (s *Service) client(ctx context.Context, clientID string) (Client, error) {
	if isDocument(clientID) {
		return s.described(ctx, clientID)
	}
	id, err := core.ParseID(clientID)
	if err == nil {
		var found core.ProgramClient
		if found, err = s.Store.Tables().ProgramClients.ByID(ctx, id); err == nil {
			return Client{ID: clientID, Name: found.Name, redirects: found.Redirects}, nil
		}
	}
	if core.IsCode(err, core.CodeNotFound) {
		return Client{}, core.Wrap(core.CodeValidationFailed, err, "the program of client_id is not known here: have it connect again")
	}
	return Client{}, err
}
