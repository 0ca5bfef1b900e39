package bootstrap

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/settings"
)

// env looks variables up in a map.
func env(values map[string]string) func(string) string {
	return func(name string) string { return values[name] }
}

func TestDomainRules(t *testing.T) {
	s, err := settings.Read(env(map[string]string{"APP_URL": "https://Studio.example.com:8443", "APP_DOMAIN": "example-sites.com:8443"}))
	if err != nil {
		t.Fatal(err)
	}
	rules := DomainRules(s)
	if got := strings.Join(rules.Own, " "); got != "studio.example.com example-sites.com preview.example-sites.com" || rules.AppDomain != "example-sites.com" {
		t.Errorf("got %q and %q, want the service's names without ports", got, rules.AppDomain)
	}
	for name, want := range map[string]bool{"com": true, "co.uk": true, "github.io": true, "example.com": false, "shop.test": false, "example.co.uk": false} {
		if got := rules.IsPublicSuffix(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]string{"bücher.example": "xn--bcher-kva.example", "BÜCHER.example": "xn--bcher-kva.example", "xn--bcher-kva.example": "xn--bcher-kva.example"} {
		if got, err := rules.ToASCII(name); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"xn--zz.example", "a\u200db.example", "\u0300a.example", "xn--a.example"} {
		if got, err := rules.ToASCII(name); err == nil {
			t.Errorf("%q: got %q, want a refusal", name, got)
		}
	}
}
