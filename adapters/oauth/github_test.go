package oauth_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/oauth"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/oauth"
	"github.com/atelierhq/atelier/ports/oauth/oauthtest"
)

func TestGitHubAsksForWhatItReads(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	address, err := newGitHub(server).AuthorizeURL(t.Context(), oauthtest.Attempt())
	if err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"scope": "read:user user:email", "redirect_uri": client().RedirectURI, "client_id": client().ID,
	} {
		if got := page.Query().Get(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestTheAssistantAsksForNoScope(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	address, err := oauth.NewAssistant(client(), gitHubURLs(server), base(), time.Now).AuthorizeURL(t.Context(), oauthtest.Attempt())
	if err != nil {
		t.Fatal(err)
	}
	page, err := url.Parse(address)
	if err != nil || page.Query().Has("scope") {
		t.Errorf("got %q, %v, want an address without scopes", address, err)
	}
}

func TestTheSecretAndTheVerifierGoToTheTokenEndpointAlone(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	wantAda(t, newGitHub(server), server)
	for _, path := range []string{oauthtest.UserPath, oauthtest.EmailsPath} {
		requests := server.Requests(path)
		if len(requests) != 1 || requests[0].Form.Has("code") || requests[0].Form.Has("client_secret") || requests[0].Form.Has("access_token") {
			t.Errorf("%s: got %v, want one request with the token in its header alone", path, requests)
		}
	}
	wantRequests(t, server, oauthtest.GitHubTokenPath, 1)
}

func TestAllAddressesAreAskedForAtOnce(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	wantAda(t, newGitHub(server), server)
	if got := server.Requests(oauthtest.EmailsPath)[0].Form.Get("per_page"); got != "100" {
		t.Errorf("got pages of %q, want 100", got)
	}
}

// TestWhatIsNoCodeIsShownToNobody sends codes that a browser may bring, and no proof that
// it is the same browser.
func TestWhatIsNoCodeIsShownToNobody(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	attempt := oauthtest.Attempt()
	for _, row := range []struct{ verifier, code string }{
		{attempt.Verifier, ""}, {attempt.Verifier, strings.Repeat("x", 16<<10+1)}, {"", core.NewSecret()},
	} {
		_, err := newGitHub(server).Identify(t.Context(), port.Attempt{State: attempt.State, Verifier: row.verifier}, row.code)
		oauthtest.WantError(t, err, core.CodeInvalidCredentials, row.code)
	}
	assistant := oauth.NewAssistant(client(), gitHubURLs(server), base(), time.Now)
	for _, token := range []string{"", strings.Repeat("x", 16<<10+1)} {
		_, err := assistant.Refresh(t.Context(), token)
		oauthtest.WantError(t, err, core.CodeInvalidCredentials, token)
	}
	wantRequests(t, server, oauthtest.GitHubTokenPath, 0)
}

// TestATokenAnswerThatRepeatsTheCodeIsNotQuoted puts the code where the library quotes
// unparsable text.
func TestATokenAnswerThatRepeatsTheCodeIsNotQuoted(t *testing.T) {
	for _, member := range []string{"expires_in", "token_type", "access_token", "refresh_token", "error", "error_description"} {
		for _, wrap := range []func(string) any{
			func(code string) any { return code },
			func(code string) any { return code + " " },
			func(code string) any { return map[string]any{code: 1} },
		} {
			server := oauthtest.Serve(t, time.Now)
			server.Answer(oauthtest.GitHubTokenPath, func(w http.ResponseWriter, r *http.Request) {
				answer := map[string]any{"access_token": "gho_x y", "token_type": "bearer", member: wrap(r.PostForm.Get("code"))}
				_ = json.NewEncoder(w).Encode(answer)
			})
			wantFailure(t, newGitHub(server), server, core.CodeInvalidCredentials)
		}
	}
}

func TestGitHubTakesNoLoginForASubject(t *testing.T) {
	for name, id := range map[string]any{
		"0": 0, "missing": gone, "null": nil, "negative": -5, "a text": "583231", "a login": "octocat", "a fraction": 1.5,
		"out of range": json.Number("9223372036854775808"), "an exponent": json.Number("1e3"), "a list": []int{1},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.UserPath, members(map[string]any{"id": id, "sub": 7, "user_id": 7}))
			wantFailure(t, newGitHub(server), server, core.CodeInvalidCredentials)
		})
	}
}

func TestGitHubAddresses(t *testing.T) {
	entry := func(email string, primary, verified bool) any {
		return map[string]any{"email": email, "primary": primary, "verified": verified}
	}
	for name, row := range map[string]struct {
		emails   any
		email    string
		verified bool
	}{
		"none":                         {[]any{}, "", false},
		"only unverified":              {[]any{entry("a@example.com", true, false), entry("b@example.com", false, false)}, "a@example.com", false},
		"a verified one beside":        {[]any{entry("a@example.com", false, true), entry("b@example.com", true, false)}, "b@example.com", false},
		"no primary":                   {[]any{entry("a@example.com", false, true)}, "", false},
		"a primary without an address": {[]any{entry("", true, true)}, "", false},
		"null":                         {nil, "", false},
		"the last of many":             {append(slices.Repeat([]any{entry("x@example.com", false, true)}, 99), entry("a@example.com", true, true)), "a@example.com", true},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.EmailsPath, func(any) any { return row.emails })
			want := ada()
			want.Email, want.EmailVerified = row.email, row.verified
			if got, err := signIn(t, newGitHub(server), server); err != nil || got != want {
				t.Errorf("got %+v, %v, want %+v", got, err, want)
			}
		})
	}
}

func TestLiesAboutAddressesAreRefused(t *testing.T) {
	for name, emails := range map[string]any{
		"two primaries": []any{
			map[string]any{"email": "ada@example.com", "primary": true, "verified": false},
			map[string]any{"email": "victim@example.com", "primary": true, "verified": true},
		},
		"verified is a text":    []any{map[string]any{"email": "victim@example.com", "primary": true, "verified": "true"}},
		"the address is a list": []any{map[string]any{"email": []string{"a@example.com", "victim@example.com"}, "primary": true, "verified": true}},
		"an object":             map[string]any{"email": "victim@example.com", "primary": true, "verified": true},
		"a text":                "victim@example.com",
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.EmailsPath, func(any) any { return emails })
			wantFailure(t, newGitHub(server), server, core.CodeInvalidCredentials)
		})
	}
}

func TestThePublicAddressOfAUserIsNotTrusted(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	server.Amend(oauthtest.UserPath, members(map[string]any{"email": "victim@example.com", "email_verified": true}))
	server.Amend(oauthtest.EmailsPath, func(any) any { return []any{} })
	want := ada()
	want.Email, want.EmailVerified = "", false
	if got, err := signIn(t, newGitHub(server), server); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}

func TestATokenThatGitHubDisownsIsRefused(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	server.Amend(oauthtest.GitHubTokenPath, members(map[string]any{"access_token": "gho_of_nobody"}))
	wantFailure(t, newGitHub(server), server, core.CodeInvalidCredentials)
}

func TestOddTokensAreRefused(t *testing.T) {
	for name, change := range map[string]map[string]any{
		"of type mac":           {"token_type": "mac"},
		"of type basic":         {"token_type": "Basic"},
		"of type DPoP":          {"token_type": "DPoP"},
		"of no type":            {"token_type": gone},
		"of a type with spaces": {"token_type": "bearer "},
		"of no text":            {"access_token": gone},
		"empty":                 {"access_token": ""},
		"a number":              {"access_token": 7},
		"a list":                {"access_token": []string{"gho_a"}},
		"with a line break":     {"access_token": "gho_a\r\nX-Injected: yes"},
		"with a space":          {"access_token": "gho_a b"},
		"not ASCII":             {"access_token": "gho_é"},
		"beside an odd other":   {"refresh_token": "ghr_a\r\n"},
		"expires_in is a list":  {"expires_in": []int{1}},
		"expires_in is a float": {"expires_in": json.Number("1e3")},
	} {
		t.Run(name, func(t *testing.T) {
			server := oauthtest.Serve(t, time.Now)
			server.Amend(oauthtest.GitHubTokenPath, members(change))
			wantFailure(t, newGitHub(server), server, core.CodeInvalidCredentials)
			if got := server.Requests(oauthtest.UserPath); len(got) != 0 {
				t.Errorf("got the request %v with the token, want none", got)
			}
		})
	}
}

func TestATypeOfTokenIsReadWithoutCase(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	server.Amend(oauthtest.GitHubTokenPath, members(map[string]any{"token_type": "BEARER"}))
	wantAda(t, newGitHub(server), server)
}

func TestAWrongSecretIsTheOperatorsMistake(t *testing.T) {
	server := oauthtest.Serve(t, time.Now)
	wrong := client()
	wrong.Secret = "another-secret-that-nobody-may-see"
	for name, identifier := range map[string]port.Identifier{
		"GitHub": oauth.NewGitHub(wrong, gitHubURLs(server), base()),
		"Google": oauth.NewGoogle(wrong, server.URL, base(), time.Now),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := signIn(t, identifier, server)
			oauthtest.WantError(t, err, core.CodeUnavailable, append(server.Secrets(), wrong.Secret)...)
		})
	}
}

func TestWhenATokenRunsOut(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, row := range []struct {
		lifetime any
		want     time.Duration // 0 is never
	}{{gone, 0}, {nil, 0}, {0, 0}, {1, time.Second}, {"28800", 8 * time.Hour}, {1 << 40, (1<<31 - 1) * time.Second}} {
		server := oauthtest.Serve(t, time.Now)
		server.Amend(oauthtest.GitHubTokenPath, members(map[string]any{"expires_in": row.lifetime}))
		server.AddPerson(ada())
		assistant := oauth.NewAssistant(client(), gitHubURLs(server), base(), func() time.Time { return now })
		attempt := oauthtest.Attempt()
		grant, err := assistant.Redeem(t.Context(), attempt, oauthtest.Code(t, assistant, server, attempt, ada().Subject))
		var got time.Duration
		if grant.ExpiresAt != nil {
			got = grant.ExpiresAt.Std().Sub(now)
		}
		if err != nil || got != row.want {
			t.Errorf("expires_in %v: got a token for %s, %v, want %s", row.lifetime, got, err, row.want)
		}
	}
}
