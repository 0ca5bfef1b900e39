package porttest

import (
	"github.com/atelierhq/atelier/core"
)

func storageProviderClauses() []storageClause {
	return []storageClause{
		{"a provider comes back as it was stored", providerComesBack},
		{"a provider that is not there is not found", providerNotFound},
		{"providers are listed the oldest first", providersByAge},
		{"the default passes to the provider that takes it last", providerDefault},
		{"parallel takers of the default leave one", providerDefaultInParallel},
		{"an update of a provider works as a user's", providerUpdate},
		{"deleting a provider leaves the others", providerDelete},
	}
}

func providerComesBack(s *storageCase) {
	workspace := s.workspace()
	full := s.newProvider(workspace.ID)
	full.BaseURL, full.DefaultModel, full.KeyHint = new("http://host/v1"), new("llama'3"), new("…c4")
	full.IsDefault, full.HasKey, full.SealedKey = true, true, []byte("\x00\xff'\\sealed")
	full.Capabilities = &core.ProviderCapabilities{
		Abilities: core.Abilities{ContextTokens: 32768, Tools: true, Thinking: true}, Schema: true, Dialect: core.DialectTagged,
	}
	for _, provider := range []core.Provider{full, s.newProvider(workspace.ID)} {
		s.must(s.Providers.Create(s.Context(), provider))
		got, err := s.Providers.ByID(s.Context(), provider.ID)
		s.want(got, err, provider)
	}
	s.wantCode(s.Providers.Create(s.Context(), full), core.CodeConflict)
	full.SealedKey[0], full.Capabilities.Tools = 'x', false
	got, err := s.Providers.ByID(s.Context(), full.ID)
	s.want(got.SealedKey, err, []byte("\x00\xff'\\sealed"))
	s.want(got.Capabilities.Tools, nil, true)
	full.ID, full.Name = core.NewID(), unstorable[0]
	s.wantCode(s.Providers.Create(s.Context(), full), core.CodeValidationFailed)
	orphan := s.newProvider(core.NewID())
	s.wantCode(s.Providers.Create(s.Context(), orphan), core.CodeNotFound)
	orphan.IsDefault = true
	s.wantCode(s.Providers.Create(s.Context(), orphan), core.CodeNotFound)
}

func providerNotFound(s *storageCase) {
	for _, id := range []core.ID{core.NewID(), core.ID(unstorable[0])} {
		_, err := s.Providers.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Providers.Update(s.Context(), id, func(*core.Provider) error { return nil })
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Providers.Delete(s.Context(), id), core.CodeNotFound)
		list, err := s.Providers.List(s.Context(), id)
		s.want(len(list), err, 0)
	}
}

func providersByAge(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	var want [3]core.Provider
	for _, i := range []int{2, 0, 1} {
		want[i] = s.newProvider(workspace.ID)
		want[i].CreatedAt = core.Time(i)
		s.must(s.Providers.Create(s.Context(), want[i]))
	}
	s.must(s.Providers.Create(s.Context(), s.newProvider(other.ID)))
	got, err := s.Providers.List(s.Context(), workspace.ID)
	s.want(got, err, want[:])
}

// defaults returns the ids of a workspace's default providers.
func (s *storageCase) defaults(workspace core.ID) []core.ID {
	s.Helper()
	providers, err := s.Providers.List(s.Context(), workspace)
	s.must(err)
	ids := []core.ID{}
	for _, provider := range providers {
		if provider.IsDefault {
			ids = append(ids, provider.ID)
		}
	}
	return ids
}

func makeDefault(provider *core.Provider) error {
	provider.IsDefault = true
	return nil
}

func providerDefault(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	first, second, third, foreign := s.newProvider(workspace.ID), s.newProvider(workspace.ID), s.newProvider(workspace.ID), s.newProvider(other.ID)
	first.IsDefault, second.IsDefault, foreign.IsDefault = true, true, true
	s.must(s.Providers.Create(s.Context(), first))
	s.must(s.Providers.Create(s.Context(), foreign))
	s.want(s.defaults(workspace.ID), nil, []core.ID{first.ID})
	s.must(s.Providers.Create(s.Context(), third))
	s.want(s.defaults(workspace.ID), nil, []core.ID{first.ID})
	s.must(s.Providers.Create(s.Context(), second))
	s.want(s.defaults(workspace.ID), nil, []core.ID{second.ID})
	got, err := s.Providers.Update(s.Context(), third.ID, makeDefault)
	third.IsDefault = true
	s.want(got, err, third)
	s.want(s.defaults(workspace.ID), nil, []core.ID{third.ID})
	s.wantCode(s.Providers.Create(s.Context(), second), core.CodeConflict)
	s.want(s.defaults(workspace.ID), nil, []core.ID{third.ID})
	_, err = s.Providers.Update(s.Context(), third.ID, func(p *core.Provider) error {
		p.IsDefault = false
		return nil
	})
	s.must(err)
	s.want(s.defaults(workspace.ID), nil, []core.ID{})
	s.want(s.defaults(other.ID), nil, []core.ID{foreign.ID})
}

func providerDefaultInParallel(s *storageCase) {
	workspace := s.workspace()
	var created, more [8]core.Provider
	for i := range created {
		created[i], more[i] = s.newProvider(workspace.ID), s.newProvider(workspace.ID)
		more[i].IsDefault = true
		s.must(s.Providers.Create(s.Context(), created[i]))
	}
	together(len(created), func(i int) {
		for range 3 {
			if _, err := s.Providers.Update(s.Context(), created[i].ID, makeDefault); err != nil {
				s.Errorf("update: got %v, want nil", err)
			}
		}
	})
	s.want(len(s.defaults(workspace.ID)), nil, 1)
	together(len(more), func(i int) {
		if err := s.Providers.Create(s.Context(), more[i]); err != nil {
			s.Errorf("create: got %v, want nil", err)
		}
	})
	s.want(len(s.defaults(workspace.ID)), nil, 1)
}

func providerUpdate(s *storageCase) {
	provider := s.newProvider(s.workspace().ID)
	s.must(s.Providers.Create(s.Context(), provider))
	want := provider
	want.Name, want.SealedKey, want.HasKey = "Remote", []byte("key"), true
	want.Capabilities = &core.ProviderCapabilities{Abilities: core.Abilities{Vision: true}}
	got, err := s.Providers.Update(s.Context(), provider.ID, func(stored *core.Provider) error {
		*stored = want
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.want(got, err, want)
	got, err = s.Providers.ByID(s.Context(), provider.ID)
	s.want(got, err, want)
	_, err = s.Providers.Update(s.Context(), provider.ID, func(*core.Provider) error { return errStop })
	s.want(err, nil, errStop)
	_, err = s.Providers.Update(s.Context(), provider.ID, func(stored *core.Provider) error {
		stored.Name = unstorable[1]
		return nil
	})
	s.wantCode(err, core.CodeValidationFailed)
}

func providerDelete(s *storageCase) {
	workspace := s.workspace()
	doomed, kept := s.newProvider(workspace.ID), s.newProvider(workspace.ID)
	s.must(s.Providers.Create(s.Context(), doomed))
	s.must(s.Providers.Create(s.Context(), kept))
	s.must(s.Providers.Delete(s.Context(), doomed.ID))
	got, err := s.Providers.List(s.Context(), workspace.ID)
	s.want(got, err, []core.Provider{kept})
	s.wantCode(s.Providers.Delete(s.Context(), doomed.ID), core.CodeNotFound)
}

func storageUsageClauses() []storageClause {
	return []storageClause{
		{"use adds up by day and model, the newest day first", usageSums},
		{"parallel use loses nothing", usageInParallel},
		{"use belongs to a workspace", usageOfNothing},
	}
}

func usageSums(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	add := func(workspace core.ID, day, model string, input, output int64, cost float64) {
		s.Helper()
		s.must(s.Usage.Add(s.Context(), workspace, core.UsageRow{Day: day, Model: model, InputTokens: input, OutputTokens: output, Cost: cost}))
	}
	add(workspace.ID, "2026-01-02", "b", 1, 2, 0.25)
	add(workspace.ID, "2026-01-10", "B", 5, 6, 0)
	add(workspace.ID, "2026-01-10", "a", 1<<40, 3, 0.5)
	add(workspace.ID, "2026-01-02", "b", 10, 20, 0.5)
	add(other.ID, "2026-01-02", "b", 9, 9, 9)
	got, err := s.Usage.List(s.Context(), workspace.ID)
	s.want(got, err, []core.UsageRow{
		{Day: "2026-01-10", Model: "B", InputTokens: 5, OutputTokens: 6},
		{Day: "2026-01-10", Model: "a", InputTokens: 1 << 40, OutputTokens: 3, Cost: 0.5},
		{Day: "2026-01-02", Model: "b", InputTokens: 11, OutputTokens: 22, Cost: 0.75},
	})
}

func usageInParallel(s *storageCase) {
	workspace := s.workspace()
	together(16, func(int) {
		row := core.UsageRow{Day: "2026-01-02", Model: "m", InputTokens: 1, OutputTokens: 2, Cost: 0.25}
		if err := s.Usage.Add(s.Context(), workspace.ID, row); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Usage.List(s.Context(), workspace.ID)
	s.want(got, err, []core.UsageRow{{Day: "2026-01-02", Model: "m", InputTokens: 16, OutputTokens: 32, Cost: 4}})
}

func usageOfNothing(s *storageCase) {
	s.wantCode(s.Usage.Add(s.Context(), core.NewID(), core.UsageRow{}), core.CodeNotFound)
	s.wantCode(s.Usage.Add(s.Context(), core.ID(unstorable[0]), core.UsageRow{}), core.CodeNotFound)
	s.wantCode(s.Usage.Add(s.Context(), s.workspace().ID, core.UsageRow{Model: unstorable[0]}), core.CodeValidationFailed)
	got, err := s.Usage.List(s.Context(), core.NewID())
	s.want(len(got), err, 0)
}

func storageDeploymentClauses() []storageClause {
	return []storageClause{
		{"a deployment comes back as it was stored", deploymentComesBack},
		{"deployments are listed the newest first", deploymentsByAge},
		{"the status of a deployment changes alone", deploymentStatus},
		{"a deployment is deleted alone", deploymentDeleted},
		{"sites are counted while they are on the network", sitesCounted},
	}
}

func deploymentComesBack(s *storageCase) {
	deployment := s.newDeployment(s.project(s.workspace().ID).ID)
	s.must(s.Deployments.Create(s.Context(), deployment))
	got, err := s.Deployments.ByID(s.Context(), deployment.ID)
	s.want(got, err, deployment)
	s.wantCode(s.Deployments.Create(s.Context(), deployment), core.CodeConflict)
	s.wantCode(s.Deployments.Create(s.Context(), s.newDeployment(core.NewID())), core.CodeNotFound)
	deployment.ID, deployment.URL = core.NewID(), unstorable[0]
	s.wantCode(s.Deployments.Create(s.Context(), deployment), core.CodeValidationFailed)
	_, err = s.Deployments.ByID(s.Context(), core.ID(unstorable[0]))
	s.wantCode(err, core.CodeNotFound)
}

func deploymentsByAge(s *storageCase) {
	project, other := s.project(s.workspace().ID), s.project(s.workspace().ID)
	var want [3]core.Deployment
	for _, i := range []int{2, 0, 1} {
		want[i] = s.newDeployment(project.ID)
		want[i].CreatedAt = core.Time(9 - i)
		s.must(s.Deployments.Create(s.Context(), want[i]))
	}
	s.must(s.Deployments.Create(s.Context(), s.newDeployment(other.ID)))
	got, err := s.Deployments.List(s.Context(), project.ID)
	s.want(got, err, want[:])
	got, err = s.Deployments.List(s.Context(), core.NewID())
	s.want(len(got), err, 0)
}

func deploymentDeleted(s *storageCase) {
	project := s.project(s.workspace().ID)
	first, second := s.newDeployment(project.ID), s.newDeployment(project.ID)
	s.must(s.Deployments.Create(s.Context(), first))
	s.must(s.Deployments.Create(s.Context(), second))
	s.must(s.Deployments.Delete(s.Context(), first.ID))
	got, err := s.Deployments.List(s.Context(), project.ID)
	s.want(got, err, []core.Deployment{second})
	for _, id := range []core.ID{first.ID, core.NewID(), core.ID(unstorable[0])} {
		s.wantCode(s.Deployments.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func sitesCounted(s *storageCase) {
	workspace := s.workspace()
	live := func(p *core.Project) { p.DeploymentID = new(core.NewID()) }
	before, err := s.Deployments.CountSites(s.Context())
	s.must(err)
	s.project(workspace.ID)
	first := s.project(workspace.ID, live)
	s.project(s.workspace().ID, live)
	s.project(workspace.ID, live, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	got, err := s.Deployments.CountSites(s.Context())
	s.want(got, err, before+2)
	s.must(s.Projects.Delete(s.Context(), first.ID))
	got, err = s.Deployments.CountSites(s.Context())
	s.want(got, err, before+1)
	_, err = s.Deployments.CountSites(s.ended())
	s.wantCode(err, core.CodeUnavailable)
}

func deploymentStatus(s *storageCase) {
	project := s.project(s.workspace().ID)
	first, second := s.newDeployment(project.ID), s.newDeployment(project.ID)
	s.must(s.Deployments.Create(s.Context(), first))
	s.must(s.Deployments.Create(s.Context(), second))
	s.must(s.Deployments.SetStatus(s.Context(), first.ID, core.DeploymentSuperseded))
	first.Status = core.DeploymentSuperseded
	got, err := s.Deployments.List(s.Context(), project.ID)
	s.want(got, err, []core.Deployment{second, first})
	s.wantCode(s.Deployments.SetStatus(s.Context(), core.NewID(), core.DeploymentLive), core.CodeNotFound)
	s.wantCode(s.Deployments.SetStatus(s.Context(), core.ID(unstorable[0]), core.DeploymentLive), core.CodeNotFound)
	s.wantCode(s.Deployments.SetStatus(s.Context(), first.ID, core.DeploymentStatus(unstorable[0])), core.CodeValidationFailed)
}
