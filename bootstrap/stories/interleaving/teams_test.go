package interleaving_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/environment"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

func (w *world) environment() *environment.Service {
	return environment.New(environment.Deps{Store: w.hookedStore, Gate: w.gate, Bus: w.bus, Sealer: memory.NewSealer(), Audit: audit.New(audit.Deps{Store: w.hookedStore, Gate: w.gate, Now: time.Now, Log: w.log}), Now: time.Now, Log: w.log})
}

func (w *world) providers() *models.Providers {
	demo := map[core.ProviderKind]ai.Provider{core.ProviderDemo: memory.NewModel(core.Model{ID: "demo"})}
	made := models.NewProviders(models.Deps{
		Store: w.hookedStore, Gate: w.gate, Audit: w.audit, Sealer: memory.NewSealer(), Guard: memory.NewGuard(),
		Factory: memory.NewFactory(demo), Now: time.Now,
	})
	w.t.Cleanup(made.Close)
	return made
}

// provider is one of the first workspace.
func (w *world) provider() core.ID {
	w.t.Helper()
	now := core.At(time.Now())
	id := core.NewID()
	must(w.t, w.Tables().Providers.Create(w.t.Context(), core.Provider{ID: id, WorkspaceID: w.home, Kind: core.ProviderDemo, Name: "Demo", CreatedAt: now, UpdatedAt: now}))
	return id
}

// wantProviders fails the test unless the first workspace has providers of just these
// names.
func wantProviders(names ...string) func(*world) {
	return func(w *world) {
		found, err := w.Tables().Providers.List(w.t.Context(), w.home)
		must(w.t, err)
		var got []string
		for _, provider := range found {
			got = append(got, provider.Name)
		}
		if strings.Join(got, " ") != strings.Join(names, " ") {
			w.t.Errorf("got the providers %v, want %v", got, names)
		}
	}
}

func TestProvidersAndEnvironmentDecideInTheirTransaction(t *testing.T) {
	put := func(w *world) error {
		return w.environment().Put(w.t.Context(), w.member, w.project.ID, "KEY", "value")
	}
	drop := func(w *world) error { return w.environment().Delete(w.t.Context(), w.member, w.project.ID, "KEY") }
	keyed := func(w *world) { must(w.t, put(w)) }
	name := "New"
	create := func(w *world) error {
		_, err := w.providers().Create(w.t.Context(), w.member, w.home, models.ProviderInput{Kind: core.ProviderDemo, Name: &name})
		return err
	}
	update := func(w *world) error {
		_, err := w.providers().Update(w.t.Context(), w.member, w.home, w.provider(), models.ProviderInput{Name: &name})
		return err
	}
	remove := func(w *world) error { return w.providers().Delete(w.t.Context(), w.member, w.home, w.provider()) }
	play(t, []row{
		{name: "put a variable, and the member leaves", call: put, meanwhile: (*world).leave, want: core.CodeNotFound},
		{name: "put a variable, and the project is transferred", call: put, meanwhile: (*world).move, want: core.CodeNotFound},
		{name: "delete a variable, and the member leaves", prepare: keyed, call: drop, meanwhile: (*world).leave, want: core.CodeNotFound},
		{name: "add a provider, and the admin is one no more", call: create, meanwhile: (*world).demote, want: core.CodeForbidden, check: wantProviders()},
		{name: "change a provider, and the admin is one no more", call: update, meanwhile: (*world).demote, want: core.CodeForbidden, check: wantProviders("Demo")},
		{name: "delete a provider, and the admin is one no more", call: remove, meanwhile: (*world).demote, want: core.CodeForbidden, check: wantProviders("Demo")},
		{name: "delete a provider, and it goes", call: remove, want: core.CodeNotFound, meanwhile: func(w *world) {
			found, err := w.Tables().Providers.List(w.t.Context(), w.home)
			must(w.t, err)
			must(w.t, w.Tables().Providers.Delete(w.t.Context(), found[0].ID))
		}},
	})
}
