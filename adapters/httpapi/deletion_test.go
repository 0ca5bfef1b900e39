package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

func TestDeletingTheAccountSignsTheBrowserOut(t *testing.T) {
	api := newAPI(t)
	api.signUp("admin@example.com")
	session := api.signUp("ada@example.com")
	jar := cookie("app_access_token", session.text("accessToken"))
	body := `{"password":"correct horse"}`
	api.do("DELETE", "/auth/me", body).want(t, "signed out", http.StatusUnauthorized, "unauthenticated")
	api.do("DELETE", "/auth/me", body, jar, header("Origin", "https://evil.example")).want(t, "from another site", http.StatusForbidden, "cross_origin")
	for what, c := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"without a body":       {"", http.StatusUnsupportedMediaType, "unsupported_media_type"},
		"without a password":   {`{}`, http.StatusBadRequest, "invalid_request"},
		"with more than one":   {`{"password":"correct horse","sure":true}`, http.StatusBadRequest, "invalid_request"},
		"with a wrong one":     {`{"password":"wrong horse"}`, http.StatusUnauthorized, "invalid_credentials"},
		"with an empty string": {`{"password":""}`, http.StatusUnauthorized, "invalid_credentials"},
	} {
		got := api.do("DELETE", "/auth/me", c.body, jar)
		got.want(t, what, c.status, c.code)
		if len(got.Cookies()) != 0 {
			t.Errorf("%s: got %v, want the cookies to stay", what, got.Cookies())
		}
	}
	export := api.do("GET", "/auth/me/export", "", jar)
	export.want(t, "the export", http.StatusOK, "")
	if disposition := export.Header.Get("Content-Disposition"); !strings.HasPrefix(disposition, "attachment;") || export.text("account.email") != "ada@example.com" {
		t.Errorf("got %q with %s, want a document to save", disposition, export.body)
	}
	gone := api.do("DELETE", "/auth/me", body, jar)
	gone.want(t, "the deletion", http.StatusNoContent, "")
	cleared := 0
	for _, c := range gone.Cookies() {
		if c.MaxAge < 0 {
			cleared++
		}
	}
	if cleared != 2 {
		t.Errorf("got %v, want both cookies cleared", gone.Cookies())
	}
	api.do("GET", "/auth/me", "", jar).want(t, "afterwards", http.StatusUnauthorized, "unauthenticated")
}
