package settings

import (
	"net/url"
	"strings"

	oauthadapter "github.com/atelierhq/atelier/adapters/oauth"
)

// OAuth lists the sign-in providers. A client without an ID is not configured.
type OAuth struct {
	GitHub, Google oauthadapter.Client
	// Assistant is GitHub's client with its own redirect address, for tokens with which
	// the service calls GitHub's models.
	Assistant oauthadapter.Client
	// AssistantBaseURL is the address of these models.
	AssistantBaseURL string
	GitHubURLs       oauthadapter.GitHubURLs
	GoogleIssuer     string
}

// readOAuth reads the settings of the providers.
func readOAuth(r *reader, appURL *url.URL) OAuth {
	s := OAuth{
		GitHub: readClient(r, "GITHUB", appURL), Google: readClient(r, "GOOGLE", appURL),
		GitHubURLs: oauthadapter.GitHubURLs{
			Auth:  r.address("GITHUB_AUTH_URL", oauthadapter.GitHubAuthURL),
			Token: r.address("GITHUB_TOKEN_URL", oauthadapter.GitHubTokenURL),
			API:   r.address("GITHUB_API_URL", oauthadapter.GitHubAPIURL),
		},
		GoogleIssuer:     r.address("GOOGLE_ISSUER_URL", oauthadapter.GoogleIssuerURL),
		AssistantBaseURL: r.url("GITHUB_ASSISTANT_BASE_URL", oauthadapter.GitHubModelsURL).String(),
	}
	if r.env("GITHUB_ASSISTANT_REDIRECT_URI") == "" {
		return s
	}
	if s.GitHub.ID == "" {
		r.fail("GITHUB_CLIENT_ID", "", "the id of a client at GitHub, which GITHUB_ASSISTANT_REDIRECT_URI requires")
	}
	s.Assistant = s.GitHub
	s.Assistant.RedirectURI = r.address("GITHUB_ASSISTANT_REDIRECT_URI", "")
	return s
}

// readClient reads a provider's three variables. The first two come together. The third
// goes with them, and has a default.
func readClient(r *reader, prefix string, appURL *url.URL) oauthadapter.Client {
	id, secret, redirect := prefix+"_CLIENT_ID", prefix+"_CLIENT_SECRET", prefix+"_REDIRECT_URI"
	switch {
	case r.env(id) == "" && r.env(secret) == "" && r.env(redirect) == "":
		return oauthadapter.Client{}
	case r.env(id) == "":
		r.fail(id, "", "the client's id, which "+secret+" and "+redirect+" require")
	case r.env(secret) == "":
		r.fail(secret, "", "the client's secret, which "+id+" requires")
	case !isCredential(r.env(secret)):
		r.fail(secret, "", "a secret of visible characters, without spaces")
	}
	return oauthadapter.Client{
		ID:          r.text(id, "", isCredential, "an id of visible characters, without spaces"),
		Secret:      r.env(secret),
		RedirectURI: r.address(redirect, strings.TrimSuffix(appURL.String(), "/")+"/auth/"+strings.ToLower(prefix)+"/callback"),
	}
}

// address reads a URL that is compared exactly elsewhere, and therefore stays as written.
func (r *reader) address(name, preset string) string {
	got := r.env(name)
	if got == "" {
		got = preset
	}
	parsed, err := url.Parse(got)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" || parsed.User != nil ||
		strings.ContainsAny(got, "# ") {
		r.fail(name, got, "an http or https URL without user information and fragment")
	}
	return got
}

// isCredential accepts what RFC 6749, appendix A, allows in an id or a secret, except
// spaces, which nobody intends.
func isCredential(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c > '~' })
}
