package workspaces

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func platformProviderClauses() []clause {
	return []clause{
		{"a provider of the platform comes back as it was stored", platformComesBack},
		{"a provider of the platform that is not there is not found", platformNotFound},
		{"the platform's default passes to the provider that takes it last", platformDefault},
		{"parallel takers of the platform's default leave one", platformDefaultInParallel},
		{"an update of a platform's provider works as a user's", platformUpdate},
	}
}

func newPlatform(s testCase) core.PlatformProvider {
	provider := core.PlatformProvider{Provider: s.NewProvider(core.NewID()), Enabled: true}
	provider.WorkspaceID = ""
	return provider
}

func platformComesBack(s testCase) {
	full := newPlatform(s)
	full.BaseURL, full.DefaultModel, full.KeyHint = new("http://host/v1"), new("llama'3"), new("…c4")
	full.ContextTokens = new(65_536)
	full.IsDefault, full.HasKey, full.SealedKey = true, true, []byte("\x00\xff'\\sealed")
	full.Capabilities = &core.ProviderCapabilities{Abilities: core.Abilities{ContextTokens: 32768, Tools: true}, Dialect: core.DialectTagged}
	bare := newPlatform(s)
	bare.Enabled, bare.CreatedAt = false, full.CreatedAt+1
	for _, provider := range []core.PlatformProvider{bare, full} {
		s.Must(s.PlatformProviders.Create(s.Context(), provider))
		got, err := s.PlatformProviders.ByID(s.Context(), provider.ID)
		s.Want(got, err, provider)
	}
	got, err := s.PlatformProviders.List(s.Context())
	s.Want(got, err, []core.PlatformProvider{full, bare})
	got[0].SealedKey[0], got[0].Capabilities.Tools = 'x', false
	again, err := s.PlatformProviders.ByID(s.Context(), full.ID)
	s.Want(again, err, full)
	s.WantCode(s.PlatformProviders.Create(s.Context(), full), core.CodeConflict)
	full.ID, full.Name = core.NewID(), fixture.Unstorable()[0]
	s.WantCode(s.PlatformProviders.Create(s.Context(), full), core.CodeValidationFailed)
	s.Must(s.PlatformProviders.Delete(s.Context(), bare.ID))
	_, err = s.PlatformProviders.ByID(s.Context(), bare.ID)
	s.WantCode(err, core.CodeNotFound)
}

func platformNotFound(s testCase) {
	for _, id := range []core.ID{core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.PlatformProviders.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.PlatformProviders.Update(s.Context(), id, func(*core.PlatformProvider) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.PlatformProviders.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func makePlatformDefault(provider *core.PlatformProvider) error {
	provider.IsDefault = true
	return nil
}

// platformDefaults returns the providers that are the default.
func platformDefaults(s testCase) []core.ID {
	list, err := s.PlatformProviders.List(s.Context())
	s.Must(err)
	ids := []core.ID{}
	for _, provider := range list {
		if provider.IsDefault {
			ids = append(ids, provider.ID)
		}
	}
	return ids
}

func platformDefault(s testCase) {
	first, second := newPlatform(s), newPlatform(s)
	first.IsDefault, second.IsDefault = true, true
	s.Must(s.PlatformProviders.Create(s.Context(), first))
	s.Want(platformDefaults(s), nil, []core.ID{first.ID})
	s.Must(s.PlatformProviders.Create(s.Context(), second))
	s.Want(platformDefaults(s), nil, []core.ID{second.ID})
	got, err := s.PlatformProviders.Update(s.Context(), first.ID, makePlatformDefault)
	s.Want(got, err, first)
	s.Want(platformDefaults(s), nil, []core.ID{first.ID})
	s.WantCode(s.PlatformProviders.Create(s.Context(), first), core.CodeConflict)
	s.WantCode(s.PlatformProviders.Create(s.Context(), second), core.CodeConflict)
	s.Want(platformDefaults(s), nil, []core.ID{first.ID})
	s.Must(s.PlatformProviders.Delete(s.Context(), first.ID))
	s.Want(platformDefaults(s), nil, []core.ID{})
}

func platformDefaultInParallel(s testCase) {
	var created [8]core.PlatformProvider
	for i := range created {
		created[i] = newPlatform(s)
		s.Must(s.PlatformProviders.Create(s.Context(), created[i]))
	}
	fixture.Together(len(created), func(i int) {
		for range 3 {
			if _, err := s.PlatformProviders.Update(s.Context(), created[i].ID, makePlatformDefault); err != nil {
				s.Errorf("update: got %v, want nil", err)
			}
		}
	})
	s.Want(len(platformDefaults(s)), nil, 1)
}

func platformUpdate(s testCase) {
	provider := newPlatform(s)
	s.Must(s.PlatformProviders.Create(s.Context(), provider))
	want := provider
	want.Name, want.SealedKey, want.HasKey, want.Enabled = "Remote", []byte("key"), true, false
	got, err := s.PlatformProviders.Update(s.Context(), provider.ID, func(stored *core.PlatformProvider) error {
		*stored = want
		stored.ID, stored.CreatedAt, stored.WorkspaceID = core.NewID(), 1, core.NewID()
		return nil
	})
	s.Want(got, err, want)
	got, err = s.PlatformProviders.ByID(s.Context(), provider.ID)
	s.Want(got, err, want)
	_, err = s.PlatformProviders.Update(s.Context(), provider.ID, func(*core.PlatformProvider) error { return fixture.ErrStop })
	s.Want(err, nil, fixture.ErrStop)
}
