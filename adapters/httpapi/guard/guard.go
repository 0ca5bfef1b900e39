package guard

import (
	"log/slog"
	"net/url"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/ratelimit"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// Guard is the middleware before every route: rate limits, origin, authentication
// and the scope of the route's action. What the action takes besides is for the use
// case to decide, which knows the workspace.
type Guard struct {
	accounts *accounts.Service
	origin   string
	calls    *ratelimit.Limiter
	auth     *ratelimit.Limiter
	log      *slog.Logger
}

// Deps is what a guard is made of.
type Deps struct {
	Accounts *accounts.Service
	// AppURL is the public address, whose pages alone may call with the session cookie.
	AppURL *url.URL
	// RatePerMinute bounds the calls of one caller, AuthRatePerMinute those of one
	// address to /auth/*. 0 is no limit.
	RatePerMinute, AuthRatePerMinute int
	Now                              func() time.Time
	Log                              *slog.Logger
}

// New returns the guard of all routes.
func New(d Deps) *Guard {
	return &Guard{
		accounts: d.Accounts,
		origin:   OriginOf(d.AppURL),
		calls:    ratelimit.New(d.RatePerMinute, d.Now),
		auth:     ratelimit.New(d.AuthRatePerMinute, d.Now),
		log:      d.Log,
	}
}

// Operational routes are for machines that watch the service: no limit keeps
// them from asking.
func Operational(pattern string) bool {
	return pattern == "/healthz" || pattern == "/readyz" || pattern == "/metrics"
}

// Check decides whether a request may have a route, and finds out who calls.
func (g *Guard) Check(r *rest.Request, route rest.Route) error {
	r.Actor.IP = r.ClientIP().String()
	isAuth := strings.HasPrefix(route.Pattern(), "/auth/")
	if isAuth {
		if err := g.auth.Take(ratelimit.AddressKey(r.ClientIP())); err != nil {
			return err
		}
	}
	if err := checkOrigin(r.Request, g.origin); err != nil {
		return err
	}
	action, public := route.Action()
	if public {
		if isAuth || Operational(route.Pattern()) {
			return nil
		}
		return g.calls.Take(ratelimit.AddressKey(r.ClientIP()))
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
func (g *Guard) admit(r *rest.Request, counted bool) error {
	token, actor, err := g.authenticate(r)
	if !counted {
		if limited := g.calls.Take(limitKey(r, token, actor, err)); limited != nil {
			return limited
		}
	}
	if err != nil {
		return err
	}
	r.Admit(actor)
	return nil
}

func limitKey(r *rest.Request, token string, actor core.Actor, failed error) string {
	switch {
	case failed != nil:
		return ratelimit.AddressKey(r.ClientIP())
	case actor.Token:
		return "token " + core.HashSecret(token)
	}
	return "user " + string(actor.UserID)
}

// authenticate takes the caller from the Authorization header, else from the
// session cookie. A header that is wrong is an error, whatever the cookie says.
func (g *Guard) authenticate(r *rest.Request) (string, core.Actor, error) {
	token, err := g.presented(r)
	if err != nil {
		return "", core.Actor{}, err
	}
	actor, err := g.accounts.Authenticate(r.Context(), token)
	if err != nil {
		LogFailure(g.log, r.ClientIP(), err)
	}
	return token, actor, err
}

// presented returns the token that the request carries in one of the ways of its route.
func (g *Guard) presented(r *rest.Request) (string, error) {
	switch {
	case rest.IsGit(r.Route()):
		return presentedByGit(r.Request)
	case IsSocket(r.Route()):
		return presentedBySocket(r.Request, g.origin)
	}
	return BearerOrCookie(r.Request)
}
