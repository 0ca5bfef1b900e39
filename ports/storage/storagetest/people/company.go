package people

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func companyClauses() []clause {
	return []clause{
		{"a company provider comes back as it was stored", companyComesBack},
		{"a company provider that is not there is not found", companyNotFound},
		{"an update of a company provider keeps what cannot change", companyUpdate},
		{"company providers are listed by age, and come out as copies", companiesByAge},
		{"of parallel providers of one slug one is stored", companyInParallel},
		{"a grant comes back, and replaces the one before", grantComesBack},
		{"grants go with their provider, workspace and user", grantsGo},
		{"identities at a provider go together", identitiesFrom},
		{"no call on company providers outlives its context", companiesEnded},
	}
}

func newCompany(s testCase, slug string) core.CompanyProvider {
	at := s.Now()
	return core.CompanyProvider{
		ID: core.NewID(), Slug: slug, Name: "Acme", Issuer: "https://id.example.com", ClientID: "atelier", Scopes: []string{"groups"},
		Domains: []string{"example.com"}, GroupsClaim: core.DefaultGroupsClaim, Mappings: []core.GroupMapping{{Group: "/dev", WorkspaceID: core.NewID(), Role: core.RoleAdmin}},
		SealedSecret: []byte("\x00\xff'"), CreatedAt: at, UpdatedAt: at,
	}
}

func storeCompany(s testCase, slug string) core.CompanyProvider {
	s.Helper()
	provider := newCompany(s, slug)
	s.Must(s.CompanyProviders.Create(s.Context(), provider))
	return provider
}

func companyComesBack(s testCase) {
	odd := newCompany(s, "odd")
	odd.Name, odd.Only, odd.Mappings[0].Group = `Acme "\ it's % 東京`, true, `"\ 'ü`
	s.Must(s.CompanyProviders.Create(s.Context(), odd))
	got, err := s.CompanyProviders.ByID(s.Context(), odd.ID)
	s.Want(got, err, odd)
	got, err = s.CompanyProviders.BySlug(s.Context(), "odd")
	s.Want(got, err, odd)
	same := newCompany(s, "odd")
	s.WantCode(s.CompanyProviders.Create(s.Context(), same), core.CodeConflict)
	for _, text := range fixture.Unstorable() {
		for _, alter := range []func(*core.CompanyProvider){
			func(p *core.CompanyProvider) { p.Name = text },
			func(p *core.CompanyProvider) { p.Domains = []string{text} },
			func(p *core.CompanyProvider) { p.Mappings[0].Group = text },
		} {
			wrong := newCompany(s, "wrong")
			alter(&wrong)
			s.WantCode(s.CompanyProviders.Create(s.Context(), wrong), core.CodeValidationFailed)
		}
	}
}

func companyNotFound(s testCase) {
	storeCompany(s, "acme")
	for _, text := range append(fixture.Unstorable(), string(core.NewID()), "") {
		_, err := s.CompanyProviders.ByID(s.Context(), core.ID(text))
		s.WantCode(err, core.CodeNotFound)
		_, err = s.CompanyProviders.BySlug(s.Context(), text)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.CompanyProviders.Update(s.Context(), core.ID(text), func(*core.CompanyProvider) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.CompanyProviders.Delete(s.Context(), core.ID(text)), core.CodeNotFound)
	}
}

func companyUpdate(s testCase) {
	want := storeCompany(s, "acme")
	want.Name, want.Only, want.UpdatedAt = "Acme Corp", true, s.Now()
	got, err := s.CompanyProviders.Update(s.Context(), want.ID, func(stored *core.CompanyProvider) error {
		*stored = want
		stored.ID, stored.Slug, stored.CreatedAt = core.NewID(), "other", 1
		return nil
	})
	s.Want(got, err, want)
	_, err = s.CompanyProviders.Update(s.Context(), want.ID, func(stored *core.CompanyProvider) error { stored.Name = "lost"; return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	got, err = s.CompanyProviders.ByID(s.Context(), want.ID)
	s.Want(got, err, want)
}

func companiesByAge(s testCase) {
	first, second := newCompany(s, "a"), storeCompany(s, "b")
	first.CreatedAt = 1
	s.Must(s.CompanyProviders.Create(s.Context(), first))
	for range 2 {
		got, err := s.CompanyProviders.List(s.Context())
		s.Want(got, err, []core.CompanyProvider{first, second})
		got[0].Domains[0], got[0].Scopes[0], got[0].Mappings[0].Group, got[0].SealedSecret[0] = "x", "x", "x", 'x'
	}
	s.Must(s.CompanyProviders.Delete(s.Context(), first.ID))
	got, err := s.CompanyProviders.List(s.Context())
	s.Want(got, err, []core.CompanyProvider{second})
}

func companyInParallel(s testCase) {
	providers := make([]core.CompanyProvider, 8)
	for i := range providers {
		providers[i] = newCompany(s, "acme")
	}
	winner := s.OneOf(len(providers), core.CodeConflict, func(i int) error { return s.CompanyProviders.Create(s.Context(), providers[i]) })
	got, err := s.CompanyProviders.BySlug(s.Context(), "acme")
	s.Want(got, err, providers[winner])
}

func storeGrant(s testCase, provider, workspace, user core.ID) core.GroupGrant {
	s.Helper()
	grant := core.GroupGrant{ProviderID: provider, WorkspaceID: workspace, UserID: user, Role: core.RoleAdmin, Before: core.RoleMember, CreatedAt: s.Now()}
	s.Must(s.GroupGrants.Put(s.Context(), grant))
	return grant
}

func grantComesBack(s testCase) {
	provider, workspace, user := storeCompany(s, "acme"), s.Workspace(), s.User()
	grant := storeGrant(s, provider.ID, workspace.ID, user.ID)
	other := storeGrant(s, provider.ID, s.Workspace().ID, user.ID)
	storeGrant(s, storeCompany(s, "other").ID, workspace.ID, user.ID)
	storeGrant(s, provider.ID, workspace.ID, s.User().ID)
	grant.Role, grant.Before, grant.CreatedAt = core.RoleMember, core.RoleNone, s.Now()
	s.Must(s.GroupGrants.Put(s.Context(), grant))
	want := []core.GroupGrant{grant, other}
	if other.WorkspaceID < grant.WorkspaceID {
		want = []core.GroupGrant{other, grant}
	}
	got, err := s.GroupGrants.Of(s.Context(), provider.ID, user.ID)
	s.Want(got, err, want)
	for range 2 {
		s.Must(s.GroupGrants.Delete(s.Context(), provider.ID, workspace.ID, user.ID))
	}
	got, err = s.GroupGrants.Of(s.Context(), provider.ID, user.ID)
	s.Want(got, err, []core.GroupGrant{other})
	for _, wrong := range []core.GroupGrant{
		{ProviderID: core.NewID(), WorkspaceID: workspace.ID, UserID: user.ID},
		{ProviderID: provider.ID, WorkspaceID: core.NewID(), UserID: user.ID},
		{ProviderID: provider.ID, WorkspaceID: workspace.ID, UserID: core.NewID()},
	} {
		s.WantCode(s.GroupGrants.Put(s.Context(), wrong), core.CodeNotFound)
	}
}

func grantsGo(s testCase) {
	provider, workspace, user := storeCompany(s, "acme"), s.Workspace(), s.User()
	kept := storeGrant(s, provider.ID, workspace.ID, user.ID)
	gone := s.User()
	storeGrant(s, provider.ID, workspace.ID, gone.ID)
	doomed := s.Workspace()
	storeGrant(s, provider.ID, doomed.ID, user.ID)
	left := storeCompany(s, "other")
	storeGrant(s, left.ID, workspace.ID, user.ID)
	s.Must(s.Users.Delete(s.Context(), gone.ID))
	s.Must(s.Workspaces.Delete(s.Context(), doomed.ID))
	s.Must(s.CompanyProviders.Delete(s.Context(), left.ID))
	got, err := s.GroupGrants.Of(s.Context(), provider.ID, user.ID)
	s.Want(got, err, []core.GroupGrant{kept})
	for _, key := range [][2]core.ID{{provider.ID, gone.ID}, {left.ID, user.ID}} {
		got, err = s.GroupGrants.Of(s.Context(), key[0], key[1])
		s.Want(len(got), err, 0)
	}
}

func identitiesFrom(s testCase) {
	user := s.User()
	s.identity(user.ID)
	s.identity(s.User().ID)
	stays := s.newIdentity(user.ID)
	stays.Provider = core.IdentityGoogle
	s.Must(s.Identities.Create(s.Context(), stays))
	for range 2 {
		s.Must(s.Identities.DeleteFrom(s.Context(), core.IdentityGitHub))
		got, err := s.Identities.OfUser(s.Context(), user.ID)
		s.Want(got, err, []core.Identity{stays})
	}
}

func companiesEnded(s testCase) {
	provider, workspace, user := storeCompany(s, "acme"), s.Workspace(), s.User()
	ended := s.Ended()
	calls := map[string]error{}
	calls["create"] = s.CompanyProviders.Create(ended, newCompany(s, "other"))
	_, calls["by id"] = s.CompanyProviders.ByID(ended, provider.ID)
	_, calls["by slug"] = s.CompanyProviders.BySlug(ended, provider.Slug)
	_, calls["list"] = s.CompanyProviders.List(ended)
	_, calls["update"] = s.CompanyProviders.Update(ended, provider.ID, func(*core.CompanyProvider) error { return nil })
	calls["delete"] = s.CompanyProviders.Delete(ended, provider.ID)
	calls["put"] = s.GroupGrants.Put(ended, core.GroupGrant{ProviderID: provider.ID, WorkspaceID: workspace.ID, UserID: user.ID, Role: core.RoleMember})
	_, calls["of"] = s.GroupGrants.Of(ended, provider.ID, user.ID)
	calls["withdraw"] = s.GroupGrants.Delete(ended, provider.ID, workspace.ID, user.ID)
	calls["identities"] = s.Identities.DeleteFrom(ended, core.IdentityGitHub)
	for call, err := range calls {
		if !core.IsCode(err, core.CodeUnavailable) {
			s.Errorf("%s: got %v, want code %s", call, err, core.CodeUnavailable)
		}
	}
}
