package settings

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
)

func TestNPMSettingsAreRead(t *testing.T) {
	s, err := Read(env(nil))
	if err != nil || s.NPM.Registry != (npm.Source{URL: npm.DefaultRegistry}) || len(s.NPM.Scopes) != 0 || s.NPM.StoreBytes != npm.DefaultMaxBytes {
		t.Errorf("got %+v, %v, want the public registry", s.NPM, err)
	}
	s, err = Read(env(map[string]string{
		"NPM_REGISTRY": "http://10.0.0.5:4873/npm/", "NPM_TOKEN": "one", "NPM_STORE_BYTES": "1073741824",
		"NPM_SCOPES": "@acme=https://npm.acme.example, @other=http://registry.local", "NPM_SCOPE_TOKENS": "@acme=t=w/o+",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if want := (npm.Source{URL: "http://10.0.0.5:4873/npm/", Token: "one"}); s.NPM.Registry != want || s.NPM.StoreBytes != 1<<30 {
		t.Errorf("got %+v, want %+v and 1 GiB", s.NPM, want)
	}
	if want := (npm.Source{URL: "https://npm.acme.example", Token: "t=w/o+"}); s.NPM.Scopes["@acme"] != want {
		t.Errorf("got %+v, want %+v", s.NPM.Scopes["@acme"], want)
	}
	if want := (npm.Source{URL: "http://registry.local"}); s.NPM.Scopes["@other"] != want {
		t.Errorf("got %+v, want %+v", s.NPM.Scopes["@other"], want)
	}
}

func TestBadNPMSettingsStopTheStartAndShowNoSecret(t *testing.T) {
	for name, values := range map[string][]string{
		"NPM_REGISTRY":     {"registry", "ftp://hunter2", "https://ada:hunter2@npm.example", "https://npm.example/?token=hunter2", "https://", "://hunter2"},
		"NPM_TOKEN":        {"hunter2 hunter2", "hunter2\r\nX-Evil: yes", "hunter2\x00", "hünter2", strings.Repeat("hunter2", 1000)},
		"NPM_SCOPES":       {"hunter2", "acme=https://npm.example", "@acme", "@acme=", "@acme=npm.example", "@a/b=https://npm.example", "@acme=https://ada:hunter2@npm.example"},
		"NPM_SCOPE_TOKENS": {"hunter2", "@acme=hunter2", "@=hunter2"},
		"NPM_STORE_BYTES":  {"1", "much", "-1"},
	} {
		for _, value := range values {
			_, err := Read(env(map[string]string{name: value}))
			if err == nil || !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s=%q: got %v, want one line that names it and shows no secret", name, value, err)
			}
		}
	}
}
