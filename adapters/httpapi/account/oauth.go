package account

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// The pages of the studio to which an OAuth flow returns.
const (
	pageHome     = "/dashboard"
	pageSignIn   = "/login"
	pageProvider = "/settings/ai"
)

// attemptCookie begins the names of the cookies that hold an OAuth attempt.
const attemptCookie = "app_oauth_"

// OAuthFlows redirects browsers to providers and handles their return.
type OAuthFlows struct {
	session guard.Cookies
	app     *url.URL
	log     *slog.Logger
}

// NewOAuthFlows returns the OAuth flows of browsers of the studio at app.
func NewOAuthFlows(session guard.Cookies, app *url.URL, log *slog.Logger) OAuthFlows {
	return OAuthFlows{session, app, log}
}

// BeginOAuth answers GET /auth/github and /auth/google. If the provider does not answer,
// the browser returns to the sign-in page, as after a flow.
func BeginOAuth(signIns *accounts.OAuthSignIns, f OAuthFlows, provider core.IdentityProvider) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		next, err := checkNext(f.app, query["next"])
		if err != nil {
			return err
		}
		departure, err := signIns.BeginOAuth(r.Context(), provider, next)
		if core.IsCode(err, core.CodeUnavailable) {
			return f.fail(w, r, pageSignIn, err)
		}
		if err != nil {
			return err
		}
		return f.redirect(w, string(provider), "/auth/"+string(provider), departure)
	}
}

// FinishOAuth answers GET /auth/github/callback and /auth/google/callback.
func FinishOAuth(signIns *accounts.OAuthSignIns, f OAuthFlows, provider core.IdentityProvider) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		back := f.readReturn(w, r, string(provider), "/auth/"+string(provider))
		made, next, err := signIns.FinishOAuth(r.Context(), r.Actor, provider, back)
		if core.IsCode(err, core.CodeMFARequired) {
			return f.askForCode(w, next, err)
		}
		if err != nil {
			return f.fail(w, r, pageSignIn, err)
		}
		f.session.SetAccess(w, made.AccessToken)
		f.session.SetRefresh(w, made.RefreshToken)
		return f.show(w, next)
	}
}

// askForCode redirects the browser to the page that asks for a second factor, and says where it
// then goes. The token is in the fragment, which browsers send to no server.
func (f OAuthFlows) askForCode(w http.ResponseWriter, next string, err error) error {
	var required *core.Error
	if !errors.As(err, &required) {
		return err
	}
	fragment := url.Values{"mfaToken": {required.MFAToken}}
	for _, method := range required.MFAMethods {
		fragment.Add("mfaMethods", string(method))
	}
	return f.show(w, pageSignIn+"?"+url.Values{"next": {next}}.Encode()+"#"+fragment.Encode())
}

// redirect redirects the browser to the provider. The attempt is in a cookie that only the
// routes below path receive.
func (f OAuthFlows) redirect(w http.ResponseWriter, purpose, path string, departure accounts.OAuthRedirect) error {
	seconds := int(accounts.AttemptLifetime.Seconds())
	http.SetCookie(w, f.session.Cookie(attemptCookie+purpose, path, departure.Sealed, seconds))
	return redirect(w, departure.Address)
}

// readReturn reads the parameters and the cookie of a returning browser, and removes the cookie
// in any case. If there are two cookies of the name, which a page on a sibling host can
// set, or a query parameter occurs twice, it returns nothing.
func (f OAuthFlows) readReturn(w http.ResponseWriter, r *rest.Request, purpose, path string) accounts.OAuthCallback {
	http.SetCookie(w, f.session.Cookie(attemptCookie+purpose, path, "", -1))
	sealed, ambiguous := guard.OnlyCookie(r.Request, attemptCookie+purpose)
	query, malformed := r.Query()
	if ambiguous != nil || malformed != nil {
		return accounts.OAuthCallback{}
	}
	return accounts.OAuthCallback{Sealed: sealed, State: query["state"], Code: query["code"], Issuer: query["iss"], Error: query["error"]}
}

// flowErrors are the codes that a page is told when a flow fails. For any other failure
// it is told core.CodeInternal.
var flowErrors = []core.Code{
	core.CodeAccessDenied, core.CodeInvalidState, core.CodeInvalidCredentials, core.CodeEmailUnverified, core.CodeNoEmail,
	core.CodeUnauthenticated, core.CodeConflict, core.CodeProviderNotConfigured, core.CodeUnavailable,
	core.CodeSignupClosed, core.CodeAccountDisabled, core.CodeCompanySignIn, core.CodeEmailDomain, core.CodeTooManyGroups,
}

// fail redirects the browser to a page that says why the flow failed. A fault of the
// service or the provider is logged with its cause. Any other failure counts as a failed
// sign-in, unless nobody was signing in.
func (f OAuthFlows) fail(w http.ResponseWriter, r *rest.Request, page string, err error) error {
	code := core.CodeOf(err)
	if !slices.Contains(flowErrors, code) {
		code = core.CodeInternal
	}
	switch code {
	case core.CodeProviderNotConfigured:
	case core.CodeInternal, core.CodeUnavailable:
		f.log.ErrorContext(r.Context(), "OAuth flow failed", "request_id", r.RequestID(), "code", code, "error", err)
	default:
		guard.LogFailed(f.log, r.ClientIP(), code)
	}
	return f.show(w, page+"?error="+string(code))
}

// show redirects the browser to a page of the studio.
func (f OAuthFlows) show(w http.ResponseWriter, page string) error {
	return redirect(w, pageAt(f.app, page))
}

// pageAt returns the address of a page, which begins with a slash.
func pageAt(app *url.URL, page string) string { return strings.TrimRight(app.String(), "/") + page }

func redirect(w http.ResponseWriter, address string) error {
	w.Header().Set("Location", address)
	w.WriteHeader(http.StatusFound)
	return nil
}

// checkNext validates the page to which a browser wants to be redirected: a path on the
// application's own origin, with an optional query and fragment; "" is the dashboard.
// Anything that a browser might read as another address has code
// core.CodeValidationFailed. This includes characters that addresses do not allow, and
// that browsers drop or turn into slashes.
func checkNext(app *url.URL, next string) (string, error) {
	if next == "" {
		return pageHome, nil
	}
	parsed, err := url.Parse(next)
	isPath := strings.HasPrefix(next, "/") && !strings.HasPrefix(next, "//")
	if err != nil || !isPath || len(next) > accounts.MaxNextBytes || strings.ContainsFunc(next, isNotInNext) {
		return "", badNext()
	}
	// No page has dots or an empty segment, and parsers of "/.//host" disagree.
	if clean := path.Clean(parsed.Path); parsed.Path != clean && parsed.Path != clean+"/" {
		return "", badNext()
	}
	if guard.OriginOf(app.ResolveReference(parsed)) != guard.OriginOf(app) {
		return "", badNext()
	}
	return next, nil
}

func isNotInNext(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`\"<>`, r) }

func badNext() error {
	return core.Errorf(core.CodeValidationFailed, "next must be a path of this service, such as /projects, of at most %d bytes", accounts.MaxNextBytes)
}
