package settings

import (
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// secure are settings that ask for certificates from an authority.
func secure(change map[string]string) func(string) string {
	values := map[string]string{"TLS": "acme", "APP_URL": "https://studio.example.com", "APP_DOMAIN": "example-sites.com", "DATA_DIR": "/data"}
	maps.Copy(values, change)
	return env(values)
}

func TestTLSByAnAuthority(t *testing.T) {
	s, err := Read(secure(nil))
	if err != nil || s.ACME.IsZero() || !strings.HasPrefix(s.ACME.Authority, "https://acme-v02.api.letsencrypt.org/") || s.ACME.Listen != "0.0.0.0:443" ||
		s.ACME.Dir != filepath.Join("/data", "certs") || s.ACME.Email != "" {
		t.Errorf("got %+v, %v, want the public authority, port 443 and a folder of its own", s.ACME, err)
	}
	s, err = Read(secure(map[string]string{"ACME_CA": "https://127.0.0.1:14000/dir", "ACME_EMAIL": "admin@example.com", "TLS_LISTEN_ADDR": ":8443"}))
	if err != nil || s.ACME.Authority != "https://127.0.0.1:14000/dir" || s.ACME.Email != "admin@example.com" || s.ACME.Listen != ":8443" {
		t.Errorf("got %+v, %v, want what the variables say", s.ACME, err)
	}
	for _, how := range []string{"", "off"} {
		if s, err := Read(secure(map[string]string{"TLS": how})); err != nil || !s.ACME.IsZero() {
			t.Errorf("TLS=%s: got %+v, %v, want no authority", how, s.ACME, err)
		}
	}
}

func TestBadSettingsOfTLSAndNamesAreNamed(t *testing.T) {
	for name, values := range map[string][]string{
		"TLS":             {"ACME", "letsencrypt"},
		"APP_URL":         {"http://studio.example.com"},
		"ACME_CA":         {"http://ca.example.com/dir", "ca.example.com", "https://user@ca.example.com/dir"},
		"ACME_EMAIL":      {"admin", "admin@", "a@b@c"},
		"TLS_LISTEN_ADDR": {"443", "127.0.0.1", "127.0.0.1:https", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:8080"},
		"DNS_RESOLVER":    {"127.0.0.1", ":53", "127.0.0.1:0", "127.0.0.1:domain"},
	} {
		for _, value := range values {
			_, err := Read(secure(map[string]string{name: value}))
			if err == nil || !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s=%s: got %v, want one line that names the variable", name, value, err)
			}
		}
	}
	if s, err := Read(env(map[string]string{"DNS_RESOLVER": "9.9.9.9:53"})); err != nil || s.DNSResolver != "9.9.9.9:53" {
		t.Errorf("got %q, %v, want the resolver", s.DNSResolver, err)
	}
}
