package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/ports/conformance"
)

// secureEnv asks for certificates from an authority that is there.
func secureEnv(t *testing.T, authority *pebble.Authority, change map[string]string) map[string]string {
	t.Helper()
	env := map[string]string{
		"TLS": "acme", "APP_URL": "https://studio.test", "APP_DOMAIN": "sites.test", "ACME_CA": authority.Directory,
		"TLS_LISTEN_ADDR": fmt.Sprintf("127.0.0.1:%d", conformance.FreePort(t)), "DNS_RESOLVER": authority.Resolver,
	}
	maps.Copy(env, change)
	return env
}

func TestDoctorLooksAtNamesAndTheirCertificates(t *testing.T) {
	authority := pebble.Start(t, pebble.Ports{HTTP: 1, TLS: 1})
	t.Run("and says when the authority cannot be trusted", func(t *testing.T) {
		out, err := atelier(t, secureEnv(t, authority, nil), "doctor")
		if err == nil || !strings.Contains(out, "FAIL  TLS ") || !strings.Contains(out, "ACME_CA: ") {
			t.Errorf("got %s, %v, want a line that fails", out, err)
		}
		if !strings.Contains(out, "ok    site names       names below sites.test resolve to [127.0.0.1]") || !strings.Contains(out, "*.preview.sites.test") {
			t.Errorf("got %s, want where sites are, and what is with previews", out)
		}
	})
	t.Run("and says when names cannot be looked up", func(t *testing.T) {
		out, err := atelier(t, secureEnv(t, authority, map[string]string{"DNS_RESOLVER": "127.0.0.1:9"}), "doctor")
		if err == nil || !strings.Contains(out, "FAIL  site names") {
			t.Errorf("got %s, %v, want a line that fails", out, err)
		}
		out, err = atelier(t, map[string]string{"DNS_RESOLVER": "127.0.0.1:9"}, "doctor")
		if !strings.Contains(out, "ok    site names") || !strings.Contains(out, "do not resolve") {
			t.Errorf("got %s, %v, want a hint where nothing depends on it", out, err)
		}
	})
	t.Run("and says when it cannot listen", func(t *testing.T) {
		out, err := atelier(t, secureEnv(t, authority, map[string]string{"TLS_LISTEN_ADDR": "192.0.2.1:443"}), "doctor")
		if err == nil || !strings.Contains(out, "TLS_LISTEN_ADDR: ") {
			t.Errorf("got %s, %v, want a line that fails", out, err)
		}
	})
	t.Run("only where something asks for them", func(t *testing.T) {
		out, _ := atelier(t, map[string]string{}, "doctor")
		if strings.Contains(out, "site names") || strings.Contains(out, "TLS") {
			t.Errorf("got %s, want no line", out)
		}
	})
}
