package people_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// linked returns the providers that an account is linked to.
func linked(c *storytest.Caller) []string {
	c.T.Helper()
	var list struct{ Items []struct{ Provider string } }
	c.Must(http.StatusOK, http.MethodGet, "/auth/identities", nil, &list)
	providers := []string{}
	for _, item := range list.Items {
		providers = append(providers, item.Provider)
	}
	return providers
}

// TestTheLastWayIntoAnAccountStays unlinks providers, also two at once.
func TestTheLastWayIntoAnAccountStays(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			b := e.browser()
			b.signIn("github", alice())
			wantRefused(t, "the only way in", b.Do(http.MethodDelete, "/auth/identities/github", nil), http.StatusConflict, core.CodeConflict)
			for what, provider := range map[string]string{"another provider": "google", "no provider": "nobody"} {
				wantRefused(t, what, b.Do(http.MethodDelete, "/auth/identities/"+provider, nil), http.StatusNotFound, core.CodeNotFound)
			}
			b.signIn("google", alice())
			if got := linked(b.Caller); len(got) != 2 {
				t.Fatalf("got %v, want both providers", got)
			}
			var group sync.WaitGroup
			var answers [2]storytest.Answer
			for i, provider := range []string{"github", "google"} {
				group.Go(func() { answers[i] = b.Do(http.MethodDelete, "/auth/identities/"+provider, nil) })
			}
			group.Wait()
			if got := linked(b.Caller); len(got) != 1 {
				t.Errorf("got %v after two at once (%d, %d), want one left", got, answers[0].Status, answers[1].Status)
			}
			stranger := e.Site.SignUp()
			if got := linked(stranger); len(got) != 0 {
				t.Errorf("got %v for a stranger, want none", got)
			}
			wantRefused(t, "an API token", (&storytest.Caller{Site: e.Site, Token: apiToken(stranger)}).Do(http.MethodGet, "/auth/identities", nil), http.StatusForbidden, core.CodeInsufficientScope)
		})
	}
}
