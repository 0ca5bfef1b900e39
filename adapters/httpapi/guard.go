package httpapi

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// guard stands in front of every route: rate limits, origin, authentication and
// the scope of the route's action. What the action takes besides is for the use
// case to decide, which knows the workspace.
type guard struct {
	accounts *accounts.Service
	origin   string
	calls    *limiter
	auth     *limiter
	failed   func(ip netip.Addr, err error)
}

func newGuard(deps Deps) *guard {
	return &guard{
		accounts: deps.Accounts,
		origin:   originOf(deps.Settings.AppURL),
		calls:    newLimiter(deps.Settings.RatePerMinute, deps.Now),
		auth:     newLimiter(deps.Settings.AuthRatePerMinute, deps.Now),
		failed:   func(ip netip.Addr, err error) { logAuthFailure(deps.Log, ip, err) },
	}
}

// operational routes are for machines that watch the service: no limit keeps
// them from asking.
func operational(pattern string) bool {
	return pattern == "/healthz" || pattern == "/readyz" || pattern == "/metrics"
}

func (g *guard) serve(w http.ResponseWriter, r *Request, route Route) error {
	if err := g.check(r, route); err != nil {
		return err
	}
	return route.handle(w, r)
}

// check is everything that stands before a handler. It is apart from serve because
// streams stay in that for hours, by the thousand, with all that it has on its stack.
func (g *guard) check(r *Request, route Route) error {
	r.exchange.route = route.pattern
	r.Actor.IP = r.ClientIP().String()
	isAuth := strings.HasPrefix(route.pattern, "/auth/")
	if isAuth {
		if err := g.auth.take(ipKey(r.ClientIP())); err != nil {
			return err
		}
	}
	if err := checkOrigin(r.Request, g.origin); err != nil {
		return err
	}
	action, public := route.Action()
	if public {
		if isAuth || operational(route.pattern) {
			return nil
		}
		return g.calls.take(ipKey(r.ClientIP()))
	}
	if err := g.admit(r, isAuth); err != nil {
		return err
	}
	// The scope is checked before the handler runs, so that no route can forget it.
	return core.RuleOf(action).CheckScope(r.Actor)
}

// admit finds out who calls and counts the call against them: a person and each of
// their API tokens are callers of their own. Calls that fail here count against
// their address.
func (g *guard) admit(r *Request, counted bool) error {
	token, actor, err := g.authenticate(r)
	if !counted {
		if limited := g.calls.take(limitKey(r, token, actor, err)); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	actor.IP = r.Actor.IP
	r.Actor = actor
	r.exchange.caller = actor.UserID
	return nil
}

func limitKey(r *Request, token string, actor core.Actor, failed error) string {
	switch {
	case failed != nil:
		return ipKey(r.ClientIP())
	case actor.Token:
		return "token " + core.HashSecret(token)
	}
	return "user " + string(actor.UserID)
}

// authenticate takes the caller from the Authorization header, else from the
// session cookie. A header that is wrong is an error, whatever the cookie says.
func (g *guard) authenticate(r *Request) (string, core.Actor, error) {
	token, err := g.presented(r)
	if err != nil {
		return "", core.Actor{}, err
	}
	actor, err := g.accounts.Authenticate(r.Context(), token)
	if err != nil {
		g.failed(r.ClientIP(), err)
	}
	return token, actor, err
}

// presented returns the token that the request carries in one of the ways of its route.
func (g *guard) presented(r *Request) (string, error) {
	switch {
	case isGit(r.exchange.route):
		return presentedByGit(r.Request)
	case isSocket(r.exchange.route):
		return presentedBySocket(r.Request, g.origin)
	}
	return presented(r.Request)
}

// presented returns the token that the request carries. None, more than one, and
// an API token in the cookie, which is for sessions alone, have code
// core.CodeUnauthenticated.
func presented(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", core.Errorf(core.CodeUnauthenticated, "the request has two Authorization headers")
	}
	if len(headers) == 1 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return "", core.Errorf(core.CodeUnauthenticated, "the Authorization header must be: Bearer <token>")
		}
		return strings.Trim(token, " "), nil
	}
	token, err := onlyCookie(r, accessCookie)
	if strings.HasPrefix(token, core.APITokenPrefix) {
		return "", core.Errorf(core.CodeUnauthenticated, "an API token belongs into the Authorization header")
	}
	return token, err
}

// onlyCookie returns the cookie's value. A page on a neighbouring host can plant
// a second one of the same name, so two are refused rather than told apart.
func onlyCookie(r *http.Request, name string) (string, error) {
	cookies := r.CookiesNamed(name)
	switch {
	case len(cookies) == 0 || cookies[0].Value == "":
		return "", core.Errorf(core.CodeUnauthenticated, "sign in first")
	case len(cookies) > 1:
		return "", core.Errorf(core.CodeUnauthenticated, "the request has %d cookies named %s", len(cookies), name)
	}
	return cookies[0].Value, nil
}
