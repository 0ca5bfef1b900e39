package guard

import (
	"log/slog"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/adapters/internal/ratelimit"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/programs"
)

// Guard is the middleware before every route: rate limits, origin, authentication and the
// scope of the route's action. The use case decides the rest, because it knows the
// workspace.
type Guard struct {
	accounts *accounts.Authenticator
	programs *programs.Service
	origin   string
	calls    *ratelimit.Limiter
	attempts *ratelimit.Limiter
	log      *slog.Logger
}

// Deps are the dependencies of a guard.
type Deps struct {
	Accounts *accounts.Authenticator
	// Programs are those that people connect to the tools.
	Programs *programs.Service
	// AppURL is the public address. Only its pages may call with the session cookie.
	AppURL *url.URL
	// RatePerMinute limits the calls of one caller, AuthRatePerMinute the attempts with
	// credentials from one address (rest.Attempt). 0 is no limit.
	RatePerMinute, AuthRatePerMinute int
	Now                              func() time.Time
	Log                              *slog.Logger
}

// New returns the guard of all routes.
func New(d Deps) *Guard {
	return &Guard{
		accounts: d.Accounts,
		programs: d.Programs,
		origin:   OriginOf(d.AppURL),
		calls:    ratelimit.New(d.RatePerMinute, d.Now),
		attempts: ratelimit.New(d.AuthRatePerMinute, d.Now),
		log:      d.Log,
	}
}

// Operational routes are for machines that monitor the service, so they have no rate
// limit.
func Operational(pattern string) bool {
	return pattern == "/healthz" || pattern == "/readyz" || pattern == "/metrics"
}

// Check decides whether a request may use a route, and identifies the caller.
func (g *Guard) Check(r *rest.Request, route rest.Route) error {
	r.Actor.IP, r.Actor.Agent = r.ClientIP().String(), r.UserAgent()
	r.Actor.Language = core.PreferredLanguage(r.Header.Get("Accept-Language"))
	if route.IsAttempt() {
		if err := g.attempts.Take(ratelimit.AddressKey(r.ClientIP())); err != nil {
			return err
		}
	}
	if err := g.checkOrigin(r, route.Pattern()); err != nil {
		return err
	}
	action, public := route.Action()
	if public {
		if route.IsAttempt() || Operational(route.Pattern()) {
			return nil
		}
		return g.calls.Take(g.openKey(r))
	}
	if rest.IsMCP(route.Pattern()) {
		r.SetMetadata(g.programs.Metadata())
	}
	if err := g.admit(r); err != nil {
		return err
	}
	// The scope is checked before the handler runs, so that no route can omit it, and so are
	// the verified address and the second factor that the installation requires.
	if action != core.ActionAccount {
		if err := r.Actor.CheckPolicies(); err != nil {
			return err
		}
	}
	return core.RuleOf(action).CheckScope(r.Actor)
}

// checkOrigin refuses what pages of another origin send. The specification of MCP wants that
// whatever the credentials are.
func (g *Guard) checkOrigin(r *rest.Request, pattern string) error {
	if rest.IsMCP(pattern) {
		return CheckSameOrigin(r.Request, g.origin)
	}
	return checkOrigin(r.Request, g.origin)
}

// openKey returns the key under which a call of a route without a session is counted. The
// refresh cookie, which only routes below /auth get, identifies a browser: an office behind
// one address renews many sessions.
func (g *Guard) openKey(r *rest.Request) string {
	if refresh, err := OnlyCookie(r.Request, RefreshCookie); err == nil {
		if session := g.accounts.SessionOf(refresh); session != "" {
			return "session " + string(session)
		}
	}
	return ratelimit.AddressKey(r.ClientIP())
}

// admit identifies the caller and counts the call against them. A person and each of
// their API tokens are separate callers. Calls that fail here count against their
// address, or against the session whose token has expired.
func (g *Guard) admit(r *rest.Request) error {
	token, actor, err := g.authenticate(r)
	if limited := g.calls.Take(limitKey(r, token, actor, err)); limited != nil {
		return limited
	}
	if err != nil {
		return err
	}
	r.Admit(actor)
	return nil
}

func limitKey(r *rest.Request, token string, actor core.Actor, failed error) string {
	switch {
	case failed != nil && actor.SessionID != "":
		// Apart from the person's own calls, which somebody with an old token must not use up.
		return "over " + string(actor.SessionID)
	case failed != nil:
		return ratelimit.AddressKey(r.ClientIP())
	case actor.Token:
		return "token " + core.HashSecret(token)
	}
	return "user " + string(actor.UserID)
}

// authenticate identifies the caller by the Authorization header, else by the session
// cookie. An invalid header is an error, whatever the cookie says.
func (g *Guard) authenticate(r *rest.Request) (string, core.Actor, error) {
	token, err := g.presented(r)
	if err != nil {
		return "", core.Actor{}, err
	}
	actor, err := g.identify(r, token)
	if err != nil {
		LogFailure(g.log, r.ClientIP(), err)
	}
	return token, actor, err
}

// identify returns the caller of a token. Those of connected programs work at the tools, and in the
// requests that tools make.
func (g *Guard) identify(r *rest.Request, token string) (core.Actor, error) {
	if programs.IsAccess(token) && (rest.IsMCP(r.Route()) || rest.IsForTool(r.Context())) {
		return g.programs.Authenticate(r.Context(), token)
	}
	return g.accounts.Authenticate(r.Context(), token)
}

// presented returns the token that the request carries in one of the ways of its route.
func (g *Guard) presented(r *rest.Request) (string, error) {
	switch {
	case rest.IsGit(r.Route()):
		return presentedByGit(r.Request)
	case IsSocket(r.Route()):
		return presentedBySocket(r.Request, g.origin)
	case rest.IsMCP(r.Route()):
		return presentedByProgram(r.Request)
	}
	return BearerOrCookie(r.Request)
}
