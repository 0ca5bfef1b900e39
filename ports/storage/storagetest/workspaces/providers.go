package workspaces

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func providerClauses() []clause {
	return []clause{
		{"a provider comes back as it was stored", providerComesBack},
		{"a provider that is not there is not found", providerNotFound},
		{"providers are listed the oldest first", providersByAge},
		{"the default passes to the provider that takes it last", providerDefault},
		{"parallel takers of the default leave one", providerDefaultInParallel},
		{"an update of a provider works as a user's", providerUpdate},
		{"deleting a provider leaves the others", providerDelete},
	}
}

func providerComesBack(s testCase) {
	workspace := s.Workspace()
	full := s.NewProvider(workspace.ID)
	full.BaseURL, full.DefaultModel, full.KeyHint = new("http://host/v1"), new("llama'3"), new("…c4")
	full.ContextTokens = new(65_536)
	full.IsDefault, full.HasKey, full.SealedKey = true, true, []byte("\x00\xff'\\sealed")
	full.Capabilities = &core.ProviderCapabilities{
		Abilities: core.Abilities{ContextTokens: 32768, Tools: true, Thinking: true}, Schema: true, Dialect: core.DialectTagged,
	}
	for _, provider := range []core.Provider{full, s.NewProvider(workspace.ID)} {
		s.Must(s.Providers.Create(s.Context(), provider))
		got, err := s.Providers.ByID(s.Context(), provider.ID)
		s.Want(got, err, provider)
	}
	s.WantCode(s.Providers.Create(s.Context(), full), core.CodeConflict)
	full.SealedKey[0], full.Capabilities.Tools = 'x', false
	got, err := s.Providers.ByID(s.Context(), full.ID)
	s.Want(got.SealedKey, err, []byte("\x00\xff'\\sealed"))
	s.Want(got.Capabilities.Tools, nil, true)
	full.ID, full.Name = core.NewID(), fixture.Unstorable()[0]
	s.WantCode(s.Providers.Create(s.Context(), full), core.CodeValidationFailed)
	orphan := s.NewProvider(core.NewID())
	s.WantCode(s.Providers.Create(s.Context(), orphan), core.CodeNotFound)
	orphan.IsDefault = true
	s.WantCode(s.Providers.Create(s.Context(), orphan), core.CodeNotFound)
}

func providerNotFound(s testCase) {
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.Providers.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Providers.Update(s.Context(), id, func(*core.Provider) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Providers.Delete(s.Context(), id), core.CodeNotFound)
		list, err := s.Providers.List(s.Context(), id)
		s.Want(len(list), err, 0)
	}
}

func providersByAge(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	var want [3]core.Provider
	for _, i := range []int{2, 0, 1} {
		want[i] = s.NewProvider(workspace.ID)
		want[i].CreatedAt = core.Time(i)
		s.Must(s.Providers.Create(s.Context(), want[i]))
	}
	s.Must(s.Providers.Create(s.Context(), s.NewProvider(other.ID)))
	got, err := s.Providers.List(s.Context(), workspace.ID)
	s.Want(got, err, want[:])
}

func makeDefault(provider *core.Provider) error {
	provider.IsDefault = true
	return nil
}

func providerDefault(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	first, second, third, foreign := s.NewProvider(workspace.ID), s.NewProvider(workspace.ID), s.NewProvider(workspace.ID), s.NewProvider(other.ID)
	first.IsDefault, second.IsDefault, foreign.IsDefault = true, true, true
	s.Must(s.Providers.Create(s.Context(), first))
	s.Must(s.Providers.Create(s.Context(), foreign))
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{first.ID})
	s.Must(s.Providers.Create(s.Context(), third))
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{first.ID})
	s.Must(s.Providers.Create(s.Context(), second))
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{second.ID})
	got, err := s.Providers.Update(s.Context(), third.ID, makeDefault)
	third.IsDefault = true
	s.Want(got, err, third)
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{third.ID})
	s.WantCode(s.Providers.Create(s.Context(), second), core.CodeConflict)
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{third.ID})
	_, err = s.Providers.Update(s.Context(), third.ID, func(p *core.Provider) error {
		p.IsDefault = false
		return nil
	})
	s.Must(err)
	s.Want(s.Defaults(workspace.ID), nil, []core.ID{})
	s.Want(s.Defaults(other.ID), nil, []core.ID{foreign.ID})
}

func providerDefaultInParallel(s testCase) {
	workspace := s.Workspace()
	var created, more [8]core.Provider
	for i := range created {
		created[i], more[i] = s.NewProvider(workspace.ID), s.NewProvider(workspace.ID)
		more[i].IsDefault = true
		s.Must(s.Providers.Create(s.Context(), created[i]))
	}
	fixture.Together(len(created), func(i int) {
		for range 3 {
			if _, err := s.Providers.Update(s.Context(), created[i].ID, makeDefault); err != nil {
				s.Errorf("update: got %v, want nil", err)
			}
		}
	})
	s.Want(len(s.Defaults(workspace.ID)), nil, 1)
	fixture.Together(len(more), func(i int) {
		if err := s.Providers.Create(s.Context(), more[i]); err != nil {
			s.Errorf("create: got %v, want nil", err)
		}
	})
	s.Want(len(s.Defaults(workspace.ID)), nil, 1)
}

func providerUpdate(s testCase) {
	provider := s.NewProvider(s.Workspace().ID)
	s.Must(s.Providers.Create(s.Context(), provider))
	want := provider
	want.Name, want.SealedKey, want.HasKey = "Remote", []byte("key"), true
	want.Capabilities = &core.ProviderCapabilities{Abilities: core.Abilities{Vision: true}}
	got, err := s.Providers.Update(s.Context(), provider.ID, func(stored *core.Provider) error {
		*stored = want
		stored.ID, stored.CreatedAt = core.NewID(), 1
		return nil
	})
	s.Want(got, err, want)
	got, err = s.Providers.ByID(s.Context(), provider.ID)
	s.Want(got, err, want)
	_, err = s.Providers.Update(s.Context(), provider.ID, func(*core.Provider) error { return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
	_, err = s.Providers.Update(s.Context(), provider.ID, func(stored *core.Provider) error {
		stored.Name = fixture.Unstorable()[1]
		return nil
	})
	s.WantCode(err, core.CodeValidationFailed)
}

func providerDelete(s testCase) {
	workspace := s.Workspace()
	doomed, kept := s.NewProvider(workspace.ID), s.NewProvider(workspace.ID)
	s.Must(s.Providers.Create(s.Context(), doomed))
	s.Must(s.Providers.Create(s.Context(), kept))
	s.Must(s.Providers.Delete(s.Context(), doomed.ID))
	got, err := s.Providers.List(s.Context(), workspace.ID)
	s.Want(got, err, []core.Provider{kept})
	s.WantCode(s.Providers.Delete(s.Context(), doomed.ID), core.CodeNotFound)
}
