package signins_test

import (
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/signins"
)

func newReturns(t *testing.T, app string) *signins.Returns {
	t.Helper()
	at, err := url.Parse(app)
	if err != nil {
		t.Fatal(err)
	}
	return signins.NewReturns(memory.NewSealer(), at, time.Now)
}

func TestAnAddressIsOfOneProject(t *testing.T) {
	project := core.NewID()
	for app, want := range map[string]string{
		"https://studio.test":              "https://studio.test/sign-ins/" + string(project) + "/oauth2-redirect",
		"http://localhost:8080":            "http://localhost:8080/sign-ins/" + string(project) + "/oauth2-redirect",
		"https://example.com/tools/studio": "https://example.com/tools/studio/sign-ins/" + string(project) + "/oauth2-redirect",
	} {
		returns := newReturns(t, app)
		address := returns.Address(project)
		if address != want {
			t.Errorf("got %s, want %s", address, want)
		}
		at, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := returns.ProjectAt(at.Path); err != nil || got != project {
			t.Errorf("%s: got %q, %v, want the project", at.Path, got, err)
		}
		for _, other := range []string{
			"", "/", at.Path + "/", at.Path + "/x", "/x" + at.Path, strings.ToUpper(at.Path), strings.Replace(at.Path, string(project), "x", 1),
			strings.TrimSuffix(at.Path, "/oauth2-redirect"), strings.Replace(at.Path, "/sign-ins/", "/projects/", 1), "/oauth2-redirect", string(project),
		} {
			if got, err := returns.ProjectAt(other); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("%s: got %q, %v, want not found", other, got, err)
			}
		}
	}
}

// TestAStateIsOpenedForAWhileAndForItsProject: nobody makes a state, changes one, or takes one to
// another project or another use.
func TestAStateIsOpenedForAWhileAndForItsProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		returns, project := newReturns(t, "https://studio.test"), core.NewID()
		sealed, err := returns.SealState(project, "window")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(sealed, "window") || url.QueryEscape(sealed) != sealed {
			t.Errorf("got %s, want nothing to read or to escape", sealed)
		}
		refused := func(project core.ID, sealed string) {
			t.Helper()
			if got, err := returns.OpenState(project, sealed); !core.IsCode(err, core.CodeNotFound) {
				t.Errorf("%s: got %q, %v, want not found", sealed, got, err)
			}
		}
		refused(core.NewID(), sealed)
		target, err := returns.SealTarget(project, "https://id.example/auth")
		if err != nil {
			t.Fatal(err)
		}
		for _, forged := range []string{"", "window", "A" + sealed, sealed + "=", sealed[:len(sealed)-2], target} {
			refused(project, forged)
		}
		time.Sleep(10 * time.Minute)
		if got, err := returns.OpenState(project, sealed); err != nil || got != "window" {
			t.Errorf("got %q, %v, want the state", got, err)
		}
		time.Sleep(time.Second)
		refused(project, sealed)
		for _, state := range []string{"", strings.Repeat("s", 201)} {
			if _, err := returns.SealState(project, state); !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("got %v for a state of %d bytes, want it refused", err, len(state))
			}
		}
	})
}

func TestATargetIsOpenedForItsProject(t *testing.T) {
	returns, project := newReturns(t, "https://studio.test"), core.NewID()
	sealed, err := returns.SealTarget(project, "https://id.example/auth")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := returns.OpenTarget(project, sealed); err != nil || got != "https://id.example/auth" {
		t.Errorf("got %q, %v, want the address", got, err)
	}
	state, err := returns.SealState(project, "https://evil.example/")
	if err != nil {
		t.Fatal(err)
	}
	for _, forged := range []string{"", "aHR0cHM6Ly9ldmlsLmV4YW1wbGUv", state} {
		if got, err := returns.OpenTarget(project, forged); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %q, %v, want not found", forged, got, err)
		}
	}
	if got, err := returns.OpenTarget(core.NewID(), sealed); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %q, %v in another project, want not found", got, err)
	}
}
