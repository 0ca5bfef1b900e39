package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// asForm declares a body as a form.
func asForm(r *http.Request) { r.Header.Set("Content-Type", "application/x-www-form-urlencoded") }

func TestProgramsAreToldWhatTheyDidWrong(t *testing.T) {
	api := newAPI(t)
	code := func(more string) string { return "grant_type=authorization_code&code=" + more }
	for name, c := range map[string]struct {
		path, body string
		as         []requestOption
		status     int
		reason     string
	}{
		"another grant":              {"/oauth/token", "grant_type=password", []requestOption{asForm}, 400, "unsupported_grant_type"},
		"no form":                    {"/oauth/token", "%", []requestOption{asForm}, 400, "invalid_request"},
		"a field twice":              {"/oauth/token", "code=a&code=b", []requestOption{asForm}, 400, "invalid_request"},
		"no such code":               {"/oauth/token", code("x"), []requestOption{asForm}, 400, "invalid_grant"},
		"another resource":           {"/oauth/token", code("x&resource=https://a.example"), []requestOption{asForm}, 400, "invalid_target"},
		"JSON for a code":            {"/oauth/token", `{}`, nil, 415, "unsupported_media_type"},
		"a form that is too long":    {"/oauth/token", "code=" + strings.Repeat("x", 64<<10), []requestOption{asForm}, 413, "payload_too_large"},
		"nothing to revoke":          {"/oauth/revoke", "", []requestOption{asForm}, 400, "invalid_request"},
		"a program without address":  {"/oauth/register", `{}`, nil, 400, "invalid_redirect_uri"},
		"a program at a bad address": {"/oauth/register", `{"redirect_uris":["http://evil.example/"]}`, nil, 400, "invalid_redirect_uri"},
		"a program with a secret":    {"/oauth/register", `{"redirect_uris":["http://localhost/"],"token_endpoint_auth_method":"client_secret_post"}`, nil, 400, "invalid_client_metadata"},
		"a program of another shape": {"/oauth/register", `{"redirect_uris":7}`, nil, 400, "invalid_client_metadata"},
		"no JSON":                    {"/oauth/register", `{`, nil, 400, "invalid_client_metadata"},
	} {
		api.do("POST", c.path, c.body, c.as...).want(t, name, c.status, c.reason)
	}
	if got := api.do("POST", "/oauth/revoke", "token=x", asForm); got.StatusCode != http.StatusOK {
		t.Errorf("got %d, want 200 for what is no token", got.StatusCode)
	}
}

func TestProgramsFindTheirWay(t *testing.T) {
	api := newAPI(t)
	refused := api.do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	const metadata = "http://localhost:8080/.well-known/oauth-protected-resource/mcp"
	if challenge := refused.Header.Get("WWW-Authenticate"); challenge != `Bearer realm="atelier", resource_metadata="`+metadata+`"` {
		t.Errorf("got the challenge %q, want the address of the description", challenge)
	}
	if challenge := api.do("GET", "/auth/me", "").Header.Get("WWW-Authenticate"); challenge != `Bearer realm="atelier"` {
		t.Errorf("got the challenge %q elsewhere, want no description", challenge)
	}
	address, err := url.Parse(metadata)
	if err != nil {
		t.Fatal(err)
	}
	if got := api.do("GET", address.Path, ""); got.text("resource") != "http://localhost:8080/mcp" {
		t.Errorf("got %s, want the tools", got.body)
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"} {
		if got := api.do("GET", path, ""); got.text("issuer") != "http://localhost:8080" || got.text("authorization_endpoint") != "http://localhost:8080/oauth/authorize" {
			t.Errorf("got %s, want the issuer", got.body)
		}
	}
}
