package people_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestAnAccountWithoutAPasswordIsItsOwners walks what others confirm with their password, by somebody
// who only ever signed in with a provider, while the installation requires a second factor.
func TestAnAccountWithoutAPasswordIsItsOwners(t *testing.T) {
	for _, name := range []string{"local", "local on PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			e := newEmbassy(t, name)
			admin := newKeeper(e.Site)
			admin.register("Laptop", storytest.Fields{"code": admin.fresh()})
			admin.Must(http.StatusOK, http.MethodPatch, "/admin/settings", storytest.Fields{"requireMfa": true, "passwordSignIn": false}, nil)

			b := e.browser()
			b.signIn("github", alice())
			k := &keeper{account: account{Caller: b.Caller}}
			conformance.Eventually(t, "the required factor to be asked for", func() bool { return b.get("/workspaces").Status == http.StatusForbidden })
			var own accounts.OwnFactors
			b.Must(http.StatusOK, http.MethodGet, "/auth/mfa", nil, &own)
			if own != (accounts.OwnFactors{}) {
				t.Errorf("got %+v, want no factor and no password", own)
			}
			k.confirmed = time.Now()
			b.Must(http.StatusOK, http.MethodPost, "/auth/mfa/totp", storytest.Fields{"password": ""}, &k.setup)
			b.Must(http.StatusOK, http.MethodPost, "/auth/mfa/totp/confirm", storytest.Fields{"code": k.code(0)}, nil)
			if got := b.get("/workspaces"); got.Status != http.StatusOK {
				t.Errorf("got %d %s, want the person in", got.Status, got.Body)
			}
			b.Must(http.StatusOK, http.MethodPost, "/auth/mfa/recovery-codes", storytest.Fields{}, nil)
			b.Must(http.StatusAccepted, http.MethodPost, "/auth/change-email", storytest.Fields{"email": "moved@example.com", "password": ""}, nil)
			b.Must(http.StatusNoContent, http.MethodDelete, "/auth/me", storytest.Fields{"password": ""}, nil)
			b.Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodGet, "/auth/me", nil)
		})
	}
}
