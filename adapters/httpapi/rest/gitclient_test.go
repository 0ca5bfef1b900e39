package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestGitClientsReadPlainText(t *testing.T) {
	out := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("User-Agent", "git/2.39.5")
	if !isGitClient(r) {
		t.Error("got the stock client not recognised")
	}
	writeGitFailure(out, http.StatusForbidden, Failure{Error: core.CodeForbidden, Message: "no"})
	if out.Code != http.StatusForbidden || out.Body.String() != "no\n" || !strings.HasPrefix(out.Header().Get("Content-Type"), "text/plain") {
		t.Errorf("got %d %q as %q, want plain text", out.Code, out.Body, out.Header().Get("Content-Type"))
	}
}
