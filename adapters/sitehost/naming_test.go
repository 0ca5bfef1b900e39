package sitehost_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
)

func TestNaming(t *testing.T) {
	s := newStudio(t)
	s.mustPublish()
	s.claim("shop.example.com", core.DomainActive)
	s.claim("pending.example.com", core.DomainPendingDNS)
	preview := s.previewHost()
	want := map[string]sitehost.HostKind{
		"studio.test": sitehost.NameApp, "STUDIO.test.": sitehost.NameApp,
		"shop.sites.test": sitehost.NameSite, "SHOP.sites.test.": sitehost.NameSite,
		"shop.example.com": sitehost.NameDomain, "Shop.Example.com.": sitehost.NameDomain,
		preview: sitehost.NamePreview, strings.ToUpper(preview): sitehost.NamePreview,
		"pending.example.com": sitehost.NameUnknown, "www.shop.example.com": sitehost.NameUnknown, "": sitehost.NameUnknown,
		"a" + preview[1:]: sitehost.NameUnknown, strings.Replace(preview, "preview.sites.test", "sites.test", 1): sitehost.NameUnknown,
		"127.0.0.1": sitehost.NameUnknown, "localhost": sitehost.NameUnknown, "api.studio.test": sitehost.NameUnknown,
	}
	for _, host := range noHosts {
		want[host] = sitehost.NameUnknown
	}
	for name, want := range want {
		if got, err := s.handler.Naming(t.Context(), name); err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", name, got, err, want)
		}
	}
	s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	for name, want := range map[string]sitehost.HostKind{"shop.sites.test": sitehost.NameUnknown, "shop.example.com": sitehost.NameDomain} {
		if got, err := s.handler.Naming(t.Context(), name); err != nil || got != want {
			t.Errorf("%s of a project without a site: got %d, %v, want %d", name, got, err, want)
		}
	}
	s.must(s.store.Close())
	if got, err := s.handler.Naming(t.Context(), "other.sites.test"); !core.IsCode(err, core.CodeUnavailable) || got != sitehost.NameUnknown {
		t.Errorf("got %d, %v, want %s", got, err, core.CodeUnavailable)
	}
}
