package interleaving_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	memorybackend "github.com/atelierhq/atelier/adapters/memory/backend"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/core/domains"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/sites"
)

func (w *world) backends() *backends.Service {
	return backends.New(backends.Deps{Store: w.Store, Gate: w.gate, Files: w.pipeline, Engine: memorybackend.New(memorybackend.Config{}), Now: time.Now, Log: w.log})
}

func (w *world) publishing(store sites.Store) *publish.Service {
	made := publish.New(publish.Deps{
		Store: w.hookedStore, Gate: w.gate, Audit: w.audit, Bus: w.bus, Committer: w.pipeline.Committer, Sites: store,
		Address: func(slug string) string { return "http://" + slug + ".sites.test" },
		Picture: func(core.ID) {}, Now: time.Now, Log: w.log,
		Backends: w.backends(),
		Maker:    builds.NewMaker(builds.Deps{Sources: w.pipeline, Environment: w.environment(), Resolver: memory.NewPackages(), Builder: memory.NewBuilder(), Tools: memory.NewToolchain(w.trees)}),
	})
	w.t.Cleanup(made.Close)
	return made
}

// dns leads shop.example.com to the site of the project, and proves a claim of it.
func (w *world) domains(proof string) *domains.Service {
	here := []netip.Addr{netip.MustParseAddr("192.0.2.1")}
	names := memory.NewDNS()
	names.Set(w.project.Slug+".sites.test", memory.DNSRecords{Addresses: here})
	names.Set("shop.example.com", memory.DNSRecords{Addresses: here})
	names.Set("_atelier-verify.shop.example.com", memory.DNSRecords{Texts: []string{proof}})
	return domains.New(domains.Deps{
		Store: w.hookedStore, Gate: w.gate, Audit: w.audit, Bus: w.bus, DNS: names, Now: time.Now, Log: w.log,
		Rules: domains.Rules{
			AppDomain: "sites.test", ToASCII: func(name string) (string, error) { return name, nil },
			IsPublicSuffix: func(string) bool { return false },
		},
	})
}

// claim is one of shop.example.com for the project.
func (w *world) claim() core.Domain {
	w.t.Helper()
	view, err := w.domains("").Add(w.t.Context(), w.owner, w.project.ID, "shop.example.com")
	must(w.t, err)
	return view.Domain
}

// published puts the site on the network and returns its first deployment.
func (w *world) published(service *publish.Service) core.ID {
	w.t.Helper()
	_, err := service.Publish(w.t.Context(), w.owner, w.project.ID, publish.Request{})
	must(w.t, err)
	deployments, err := service.Deployments(w.t.Context(), w.owner, w.project.ID)
	must(w.t, err)
	return deployments[0].ID
}

// wantSite fails the test unless the project has a site, or has none.
func wantSite(want bool) func(*world) {
	return func(w *world) {
		project, err := w.Tables().Projects.ByID(w.t.Context(), w.project.ID)
		must(w.t, err)
		if (project.PublishedSlug != nil) != want {
			w.t.Errorf("got the site %v, want one: %v", project.PublishedSlug, want)
		}
	}
}

func wantNoDomain(w *world) {
	project, err := w.Tables().Projects.ByID(w.t.Context(), w.project.ID)
	must(w.t, err)
	if project.CustomDomain != nil {
		w.t.Errorf("got the domain %s, want none", *project.CustomDomain)
	}
}

func TestSitesDecideInTheirTransaction(t *testing.T) {
	put := func(w *world) error {
		_, err := w.publishing(memory.NewSites()).Publish(w.t.Context(), w.member, w.project.ID, publish.Request{})
		return err
	}
	// interrupted runs meanwhile only once the site is published and the background work
	// of that is over.
	interrupted := func(call func(*world, *publish.Service, core.ID) error) func(*world) error {
		return func(w *world) error {
			hook := w.hook
			w.hook = nil
			sites := memory.NewSites()
			before := w.publishing(sites)
			deployment := w.published(before)
			before.Close()
			w.hook = hook
			return call(w, w.publishing(sites), deployment)
		}
	}
	withdraw := interrupted(func(w *world, service *publish.Service, _ core.ID) error {
		return service.Unpublish(w.t.Context(), w.member, w.project.ID)
	})
	back := interrupted(func(w *world, service *publish.Service, deployment core.ID) error {
		_, err := service.Rollback(w.t.Context(), w.member, w.project.ID, deployment)
		return err
	})
	moved := interrupted(func(w *world, service *publish.Service, deployment core.ID) error {
		_, err := service.Rollback(w.t.Context(), w.owner, w.project.ID, deployment)
		return err
	})
	elsewhere := "elsewhere"
	play(t, []row{
		{name: "publish, and the member leaves", call: put, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantSite(false)},
		{name: "publish, and the project is transferred", call: put, meanwhile: (*world).move, want: core.CodeNotFound, check: wantSite(false)},
		{name: "publish, and the project is deleted", call: put, meanwhile: (*world).bury, want: core.CodeNotFound, check: wantSite(false)},
		{name: "unpublish, and the member leaves", call: withdraw, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantSite(true)},
		{name: "unpublish, and the project is deleted", call: withdraw, meanwhile: (*world).bury, want: core.CodeNotFound, check: wantSite(true)},
		{name: "roll back, and the member leaves", call: back, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantSite(true)},
		{name: "roll back, and the address becomes another", call: moved, check: func(w *world) {
			project, err := w.Tables().Projects.ByID(w.t.Context(), w.project.ID)
			must(w.t, err)
			if *project.PublishedSlug != elsewhere {
				w.t.Errorf("got the site at %s, want it to keep the address that it has", *project.PublishedSlug)
			}
		}, meanwhile: func(w *world) { w.change(func(p *core.Project) { p.PublishedSlug = &elsewhere }) }},
	})
}

func TestDomainsDecideInTheirTransaction(t *testing.T) {
	add := func(w *world) error {
		_, err := w.domains("").Add(w.t.Context(), w.member, w.project.ID, "shop.example.com")
		return err
	}
	// held lets meanwhile happen only once the name is claimed.
	held := func(call func(*world, core.Domain) error) func(*world) error {
		return func(w *world) error {
			hook := w.hook
			w.hook = nil
			claim := w.claim()
			w.hook = hook
			return call(w, claim)
		}
	}
	verify := held(func(w *world, claim core.Domain) error {
		_, err := w.domains(claim.ProofValue()).Verify(w.t.Context(), w.member, claim.ID)
		return err
	})
	remove := held(func(w *world, claim core.Domain) error {
		return w.domains("").Remove(w.t.Context(), w.member, claim.ID)
	})
	play(t, []row{
		{name: "claim, and the admin is one no more", call: add, meanwhile: (*world).demote, want: core.CodeForbidden},
		{name: "claim, and the project is transferred", call: add, meanwhile: (*world).move, want: core.CodeNotFound},
		{name: "claim, and the project is deleted", call: add, meanwhile: (*world).bury, want: core.CodeNotFound},
		{name: "verify, and the admin is one no more", call: verify, meanwhile: (*world).demote, want: core.CodeForbidden, check: wantNoDomain},
		{name: "verify, and the admin leaves", call: verify, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantNoDomain},
		{name: "remove, and the admin is one no more", call: remove, meanwhile: (*world).demote, want: core.CodeForbidden, check: func(w *world) {
			if claims, err := w.Tables().Domains.List(w.t.Context(), w.project.ID); err != nil || len(claims) != 1 {
				w.t.Errorf("got %d claims, %v, want the one", len(claims), err)
			}
		}},
	})
}
