package mcp_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

const returnAddress = "http://127.0.0.1:33418/callback"

// wants is the program that a person connects.
func wants() *auth.DynamicClientRegistrationConfig {
	return &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{returnAddress}, ClientName: "Story", TokenEndpointAuthMethod: "none",
		GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	}}
}

// consents answers what a program asks as the studio does.
func consents(c *storytest.Caller, asked string, answer storytest.Fields) url.Values {
	c.T.Helper()
	at, err := url.Parse(asked)
	if err != nil || at.Path != "/oauth/authorize" {
		c.T.Fatalf("got the address %s, want the page that asks", asked)
	}
	var question struct {
		Name, Host, ReturnsTo, Email string
		Scopes                       []core.Scope
		Workspaces                   []string
	}
	c.Must(http.StatusOK, http.MethodGet, "/oauth/consent?"+at.RawQuery, nil, &question)
	if question.Name != "Story" || question.Host != "" || question.ReturnsTo != "" || question.Email != c.User.Email || len(question.Scopes) != len(core.Scopes()) || len(question.Workspaces) != 1 {
		c.T.Errorf("got %+v, want what a registered program of this computer asks", question)
	}
	var back struct{ Redirect string }
	c.Must(http.StatusOK, http.MethodPost, "/oauth/consent?"+at.RawQuery, answer, &back)
	if !strings.HasPrefix(back.Redirect, returnAddress+"?") {
		c.T.Fatalf("got back to %s, want %s", back.Redirect, returnAddress)
	}
	returned, err := url.Parse(back.Redirect)
	if err != nil {
		c.T.Fatal(err)
	}
	return returned.Query()
}

// TestAProgramIsConnectedUsedAndDisconnected goes from the refusal to a call of a tool, as
// programs do that follow the specification.
func TestAProgramIsConnectedUsedAndDisconnected(t *testing.T) {
	for name, served := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := served.Serve(t)
			c := s.SignUp()
			handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
				DynamicClientRegistrationConfig: wants(), Client: s.Described(),
				AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
					back := consents(c, args.URL, storytest.Fields{"allow": true, "scopes": []core.Scope{core.ScopeProjectsRead, core.ScopeWorkspacesRead}})
					return &auth.AuthorizationResult{Code: back.Get("code"), State: back.Get("state"), Iss: back.Get("iss")}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			session, err := sdk.NewClient(&sdk.Implementation{Name: "story"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{
				Endpoint: s.URL + "/mcp", HTTPClient: s.Described(), OAuthHandler: handler,
			}, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = session.Close() })
			p := &program{t, session}
			p.must("list_workspaces", nil, nil)
			p.refused(core.CodeInsufficientScope, "create_project", storytest.Fields{"wid": c.Workspace, "name": "x", "template": storytest.Template})
			source, err := handler.TokenSource(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tokens, err := source.Token()
			if err != nil {
				t.Fatal(err)
			}
			wantOnlyAtTheTools(c, tokens.AccessToken)
			wantRenewedOnce(c, tokens.RefreshToken)
		})
	}
}

// wantOnlyAtTheTools wants that the token opens nothing else.
func wantOnlyAtTheTools(c *storytest.Caller, access string) {
	c.T.Helper()
	by := &storytest.Caller{Site: c.Site, Token: access}
	by.Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodGet, "/workspaces", nil)
	by.Must(http.StatusOK, http.MethodPost, "/mcp", sent(ping), nil)
	refused := (&storytest.Caller{Site: c.Site}).Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodPost, "/mcp", sent(ping))
	if challenge := refused.Header.Get("WWW-Authenticate"); !strings.Contains(challenge, `resource_metadata="`+c.URL+`/.well-known/oauth-protected-resource/mcp"`) {
		c.T.Errorf("got the challenge %q, want the address of the description", challenge)
	}
}

// wantRenewedOnce renews a program, shows that it is listed, and that a copy of its old refresh
// token ends it.
func wantRenewedOnce(c *storytest.Caller, refresh string) {
	c.T.Helper()
	nobody := &storytest.Caller{Site: c.Site}
	renew := func() storytest.Answer {
		return nobody.Do(http.MethodPost, "/oauth/token", form(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "resource": {c.URL + "/mcp"}}))
	}
	if got := renew(); got.Status != http.StatusOK || !strings.Contains(string(got.Body), `"access_token":"atm_`) {
		c.T.Fatalf("got %d %s, want tokens", got.Status, got.Body)
	}
	var listed struct {
		Items []struct {
			ID     core.ID
			Name   string
			Scopes []core.Scope
		}
	}
	c.Must(http.StatusOK, http.MethodGet, "/auth/programs", nil, &listed)
	if len(listed.Items) != 1 || listed.Items[0].Name != "Story" || len(listed.Items[0].Scopes) != 2 {
		c.T.Errorf("got %+v, want the program", listed)
	}
	if got := renew(); got.Status != http.StatusBadRequest || !strings.Contains(string(got.Body), `"error":"invalid_grant"`) {
		c.T.Errorf("got %d %s, want a copy refused", got.Status, got.Body)
	}
	c.Must(http.StatusOK, http.MethodGet, "/auth/programs", nil, &listed)
	if len(listed.Items) != 0 {
		c.T.Errorf("got %+v, want the program gone", listed)
	}
}

func form(values url.Values) ofType {
	return ofType{strings.NewReader(values.Encode()), "application/x-www-form-urlencoded"}
}

func TestAPersonDisconnectsAProgramOrDoesNotAllowIt(t *testing.T) {
	for name, served := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := served.Serve(t)
			c := s.SignUp()
			nobody := &storytest.Caller{Site: s}
			var client struct {
				ID string `json:"client_id"`
			}
			nobody.Must(http.StatusCreated, http.MethodPost, "/oauth/register", storytest.Fields{"client_name": "Story", "redirect_uris": []string{returnAddress}, "logo_uri": "https://example.com"}, &client)
			const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
			asked := s.URL + "/oauth/authorize?" + url.Values{
				"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {returnAddress}, "code_challenge_method": {"S256"},
				"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "resource": {s.URL + "/mcp"}, "state": {"s"},
			}.Encode()
			if back := consents(c, asked, storytest.Fields{"allow": false}); back.Get("error") != "access_denied" || back.Get("state") != "s" || back.Get("iss") != s.URL {
				t.Errorf("got back %v, want that it is denied", back)
			}
			back := consents(c, asked, storytest.Fields{"allow": true, "scopes": []string{"projects:read"}})
			exchange := url.Values{
				"grant_type": {"authorization_code"}, "client_id": {client.ID}, "redirect_uri": {returnAddress}, "code": {back.Get("code")}, "code_verifier": {verifier},
			}
			var tokens struct {
				Access string `json:"access_token"`
			}
			nobody.Must(http.StatusOK, http.MethodPost, "/oauth/token", form(exchange), &tokens)
			by := &storytest.Caller{Site: s, Token: tokens.Access}
			by.Must(http.StatusOK, http.MethodPost, "/mcp", sent(ping), nil)
			var listed struct{ Items []struct{ ID string } }
			c.Must(http.StatusOK, http.MethodGet, "/auth/programs", nil, &listed)
			c.Must(http.StatusNoContent, http.MethodDelete, "/auth/programs/"+listed.Items[0].ID, nil, nil)
			by.Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodPost, "/mcp", sent(ping))
			if got := nobody.Do(http.MethodPost, "/oauth/revoke", form(url.Values{"token": {tokens.Access}})); got.Status != http.StatusOK {
				t.Errorf("got %d %s, want 200 for what is no token any more", got.Status, got.Body)
			}
		})
	}
}
