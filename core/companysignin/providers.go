package companysignin

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/storage"
)

// Input describes a provider to create or a change of one. Nil fields are left unchanged.
type Input struct {
	// Slug is for Create alone, which also requires Name, Issuer, ClientID and ClientSecret.
	Slug         *string
	Name         *string
	Issuer       *string
	ClientID     *string
	ClientSecret *string
	Scopes       *[]string
	Domains      *[]string
	GroupsClaim  *string
	Mappings     *[]core.GroupMapping
	Only         *bool
}

// View is a provider as admins see it.
type View struct {
	core.CompanyProvider
	// RedirectURI and SignOutURI are the addresses of this service to enter at the provider.
	RedirectURI string `json:"redirectUri"`
	SignOutURI  string `json:"signOutUri"`
}

// List returns all providers to an admin, the oldest first.
func (s *Service) List(ctx context.Context, by core.Actor) ([]View, error) {
	if _, err := s.Gate.Instance(ctx, by, core.ActionInstanceSignIns); err != nil {
		return nil, err
	}
	found, err := s.Store.Tables().CompanyProviders.List(ctx)
	views := make([]View, len(found))
	for i, provider := range found {
		views[i] = s.view(provider)
	}
	return views, err
}

func (s *Service) view(provider core.CompanyProvider) View {
	return View{provider, s.redirectURI(provider), s.signOutURI()}
}

// Create adds a provider. It returns core.CodeValidationFailed for a field out of bounds and for a
// mapping to a workspace that is personal or not there, core.CodeForbiddenAddress for an issuer that
// may not be reached, and core.CodeConflict for a slug in use and beyond core.MaxCompanyProviders.
func (s *Service) Create(ctx context.Context, by core.Actor, input Input) (View, error) {
	if input.Slug == nil || input.Name == nil || input.Issuer == nil || input.ClientID == nil || input.ClientSecret == nil {
		return View{}, core.Errorf(core.CodeValidationFailed, "a provider must have slug, name, issuer, clientId and clientSecret")
	}
	now := core.At(s.Now())
	provider := core.CompanyProvider{
		ID: core.NewID(), Slug: *input.Slug, Scopes: []string{}, Domains: []string{}, GroupsClaim: core.DefaultGroupsClaim,
		Mappings: []core.GroupMapping{}, CreatedAt: now, UpdatedAt: now,
	}
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceSignIns); err != nil {
			return err
		}
		if err := s.apply(&provider, input); err != nil {
			return err
		}
		others, err := tables.CompanyProviders.List(ctx)
		if err != nil {
			return err
		}
		if len(others) >= core.MaxCompanyProviders {
			return core.Errorf(core.CodeConflict, "there can be at most %d identity providers: delete one first", core.MaxCompanyProviders)
		}
		if err := tables.CompanyProviders.Create(ctx, provider); err != nil {
			if core.IsCode(err, core.CodeConflict) {
				return core.Wrap(core.CodeConflict, err, "another identity provider has the slug %q", provider.Slug)
			}
			return err
		}
		if err := s.recordMappings(ctx, tables, by, core.CompanyProvider{}, provider); err != nil {
			return err
		}
		return s.Audit.RecordInstance(ctx, tables, by, core.AuditCompanyCreated, targetOf(provider))
	})
	if err != nil {
		return View{}, err
	}
	return s.view(provider), nil
}

// targetOf names a provider in the log.
func targetOf(provider core.CompanyProvider) string { return provider.Slug + " at " + provider.Issuer }

// Update changes a provider. Another issuer needs a client secret with it, and forgets who signed in
// at the one before. Errors are Create's.
func (s *Service) Update(ctx context.Context, by core.Actor, id core.ID, input Input) (View, error) {
	var updated core.CompanyProvider
	err := s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceSignIns); err != nil {
			return err
		}
		before, err := tables.CompanyProviders.ByID(ctx, id)
		if err != nil {
			return err
		}
		if input.Issuer != nil && *input.Issuer != before.Issuer {
			if input.ClientSecret == nil {
				return core.Errorf(core.CodeValidationFailed, "clientSecret must come with another issuer: the stored one belongs to the one before")
			}
			if err := tables.Identities.DeleteFrom(ctx, before.Identity()); err != nil {
				return err
			}
		}
		updated, err = tables.CompanyProviders.Update(ctx, id, func(provider *core.CompanyProvider) error {
			provider.UpdatedAt = core.At(s.Now())
			return s.apply(provider, input)
		})
		if err != nil {
			return err
		}
		if err := s.recordMappings(ctx, tables, by, before, updated); err != nil {
			return err
		}
		return s.Audit.RecordInstance(ctx, tables, by, core.AuditCompanyUpdated, targetOf(updated)+input.describe())
	})
	if err != nil {
		return View{}, err
	}
	return s.view(updated), nil
}

// describe names what changes, for the log.
func (i Input) describe() string {
	var parts []string
	for _, part := range []struct {
		name    string
		changes bool
	}{
		{"name", i.Name != nil}, {"issuer", i.Issuer != nil}, {"clientId", i.ClientID != nil}, {"clientSecret", i.ClientSecret != nil},
		{"scopes", i.Scopes != nil}, {"domains", i.Domains != nil}, {"groupsClaim", i.GroupsClaim != nil}, {"mappings", i.Mappings != nil}, {"only", i.Only != nil},
	} {
		if part.changes {
			parts = append(parts, part.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + strings.Join(parts, ", ") + " changed"
}

// Delete removes a provider with the identities there. Roles that its groups gave stay.
func (s *Service) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	return s.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if _, err := s.Gate.InstanceIn(ctx, tables, by, core.ActionInstanceSignIns); err != nil {
			return err
		}
		provider, err := tables.CompanyProviders.ByID(ctx, id)
		if err != nil {
			return err
		}
		if err := tables.Identities.DeleteFrom(ctx, provider.Identity()); err != nil {
			return err
		}
		if err := tables.CompanyProviders.Delete(ctx, id); err != nil {
			return err
		}
		return s.Audit.RecordInstance(ctx, tables, by, core.AuditCompanyDeleted, targetOf(provider))
	})
}

// Report says what is wrong with a provider.
type Report struct {
	// OK says that nothing keeps people from signing in, as far as can be known without a person.
	OK       bool            `json:"ok"`
	Problems []oauth.Problem `json:"problems"`
}

// Test tries a provider without a person.
func (s *Service) Test(ctx context.Context, by core.Actor, id core.ID) (Report, error) {
	if _, err := s.Gate.Instance(ctx, by, core.ActionInstanceSignIns); err != nil {
		return Report{}, err
	}
	provider, err := s.Store.Tables().CompanyProviders.ByID(ctx, id)
	if err != nil {
		return Report{}, err
	}
	issuer, err := s.issuerOf(provider)
	if err != nil {
		return Report{}, err
	}
	report := Report{OK: true, Problems: append([]oauth.Problem{}, s.Issuers.Test(ctx, issuer)...)}
	for _, problem := range report.Problems {
		report.OK = report.OK && !problem.Blocks
	}
	return report, nil
}

func (s *Service) apply(provider *core.CompanyProvider, input Input) error {
	for _, field := range []struct{ from, into *string }{
		{input.Name, &provider.Name}, {input.Issuer, &provider.Issuer}, {input.ClientID, &provider.ClientID}, {input.GroupsClaim, &provider.GroupsClaim},
	} {
		if field.from != nil {
			*field.into = strings.TrimSpace(*field.from)
		}
	}
	if input.Scopes != nil {
		provider.Scopes = append([]string{}, *input.Scopes...)
	}
	if input.Domains != nil {
		domains, err := core.ParseCompanyDomains(*input.Domains)
		if err != nil {
			return err
		}
		provider.Domains = domains
	}
	if input.Mappings != nil {
		provider.Mappings = append([]core.GroupMapping{}, *input.Mappings...)
	}
	if input.Only != nil {
		provider.Only = *input.Only
	}
	if err := provider.Check(); err != nil {
		return err
	}
	if input.Issuer != nil {
		if err := s.checkIssuer(provider.Issuer); err != nil {
			return err
		}
	}
	if input.ClientSecret == nil {
		return nil
	}
	if err := core.CheckClientSecret(*input.ClientSecret); err != nil {
		return err
	}
	var err error
	provider.SealedSecret, err = s.Sealer.Seal([]byte(*input.ClientSecret), secretPlace(provider.ID))
	return err
}

// checkIssuer refuses an address that may not be reached. Without TLS only installations that may
// reach private networks ask.
func (s *Service) checkIssuer(issuer string) error {
	if err := s.Guard.Check(issuer); err != nil {
		return err
	}
	if !strings.HasPrefix(issuer, "https:") && s.Guard.Check("http://127.0.0.1/") != nil {
		return core.Errorf(core.CodeValidationFailed, "issuer must begin with https://")
	}
	return nil
}

// recordMappings checks the workspaces of new mappings, and tells their logs.
func (s *Service) recordMappings(ctx context.Context, tables storage.Tables, by core.Actor, before, after core.CompanyProvider) error {
	known := map[core.GroupMapping]bool{}
	for _, mapping := range before.Mappings {
		known[mapping] = true
	}
	for _, mapping := range after.Mappings {
		if known[mapping] {
			continue
		}
		known[mapping] = true
		space, err := tables.Workspaces.ByID(ctx, mapping.WorkspaceID)
		if core.IsCode(err, core.CodeNotFound) || err == nil && space.Personal {
			return core.Errorf(core.CodeValidationFailed, "the workspaceId of a mapping must be that of a workspace of a team")
		}
		if err != nil {
			return err
		}
		target := string(mapping.Role) + " for the group " + mapping.Group + " of " + after.Name
		if err := s.Audit.Record(ctx, tables, by, space.ID, core.AuditGroupMapped, target); err != nil {
			return err
		}
	}
	return nil
}

// secretPlace binds a client secret to its provider.
func secretPlace(id core.ID) string { return "company provider " + string(id) }
