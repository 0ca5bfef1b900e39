package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/uptrace/bunrouter"

	"github.com/atelierhq/atelier/core"
)

// Handler answers one request. An error is rendered with the status of its code, unless
// the answer has begun.
type Handler func(w http.ResponseWriter, r *Request) error

// Route is one line of the table. Only Open, Attempt and Call create one, so that every
// route decides who may use it.
type Route struct {
	method  string
	pattern string
	// segments are those of the pattern.
	segments []string
	action   core.Action
	attempt  bool
	handle   Handler
}

// Method is the HTTP method. GET routes serve HEAD too.
func (r Route) Method() string { return r.method }

// Pattern is the path, with :name for one segment and *name for all that follow.
func (r Route) Pattern() string { return r.pattern }

// Action is what the caller must be allowed to do. public means that no session is
// needed.
func (r Route) Action() (action core.Action, public bool) { return r.action, r.action == "" }

// Open returns a route that needs no session.
func Open(method, pattern string, handle Handler) Route {
	return Route{method: method, pattern: pattern, segments: strings.Split(pattern, "/"), handle: handle}
}

// IsAttempt reports whether the route takes credentials, so that a guesser would call it.
func (r Route) IsAttempt() bool { return r.attempt }

// Attempt returns a route that needs no session because it takes credentials: a password,
// a secret from a mail, a provider's answer.
func Attempt(method, pattern string, handle Handler) Route {
	route := Open(method, pattern, handle)
	route.attempt = true
	return route
}

// Call returns a route for callers who may do action. It panics, when the program starts,
// for an action without a rule.
func Call(method, pattern string, action core.Action, handle Handler) Route {
	core.RuleOf(action)
	return Route{method: method, pattern: pattern, segments: strings.Split(pattern, "/"), action: action, handle: handle}
}

// RoutableMethods are the methods that bunrouter knows.
var RoutableMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// Router finds the route of a request. Every path of the table answers every method, so
// that bunrouter never redirects.
type Router struct {
	mux   *bunrouter.Router
	table []Route
	wilds [][]string
}

// NewRouter returns the router of a table. check decides whether a request may use a
// route, before the route's handler runs.
func NewRouter(table []Route, check func(r *Request, route Route) error) *Router {
	rt := &Router{table: withHeads(table)}
	rt.mux = bunrouter.New(bunrouter.WithNotFoundHandler(func(http.ResponseWriter, bunrouter.Request) error {
		return core.NotFound("resource")
	}))
	for _, route := range rt.table {
		rt.mux.Handle(route.method, route.pattern, func(w http.ResponseWriter, in bunrouter.Request) error {
			r := requestOf(in)
			r.SetRoute(route.pattern)
			// The check is a separate call, because thousands of streams stay in their
			// handlers for hours, with everything on the stack.
			if err := check(r, route); err != nil {
				return err
			}
			return route.handle(w, r)
		})
	}
	known := patterns(rt.table)
	for pattern := range known {
		rt.refuseOtherMethods(pattern)
		if at := strings.Index(pattern, "/*"); at >= 0 {
			rt.wilds = append(rt.wilds, strings.Split(pattern[:at], "/"))
			if !known[pattern[:at]] {
				rt.refuse(pattern[:at])
			}
		}
	}
	return rt
}

// refuse answers 404 to every method of the path before a wildcard, to which bunrouter
// would redirect with a slash.
func (rt *Router) refuse(pattern string) {
	for _, method := range RoutableMethods {
		rt.mux.Handle(method, pattern, func(http.ResponseWriter, bunrouter.Request) error { return core.NotFound("resource") })
	}
}

// withHeads adds a HEAD route to every GET route that has none: net/http omits the body.
func withHeads(table []Route) []Route {
	all := slices.Clone(table)
	for _, route := range table {
		hasHead := func(other Route) bool { return other.method == http.MethodHead && other.pattern == route.pattern }
		if route.method == http.MethodGet && !slices.ContainsFunc(all, hasHead) {
			route.method = http.MethodHead
			all = append(all, route)
		}
	}
	return all
}

func patterns(table []Route) map[string]bool {
	set := map[string]bool{}
	for _, route := range table {
		set[route.pattern] = true
	}
	return set
}

// refuseOtherMethods answers 405 on a pattern to the methods that neither it nor a wider
// pattern serves.
func (rt *Router) refuseOtherMethods(pattern string) {
	allowed := rt.allowed(strings.Split(pattern, "/"))
	for _, method := range RoutableMethods {
		if !slices.Contains(allowed, method) {
			rt.mux.Handle(method, pattern, func(w http.ResponseWriter, in bunrouter.Request) error {
				requestOf(in).SetRoute(pattern)
				return methodNotAllowed(w, allowed)
			})
		}
	}
}

// allowed returns the methods that some route serves on the path, sorted.
func (rt *Router) allowed(path []string) []string {
	var methods []string
	for _, route := range rt.table {
		if !slices.Contains(methods, route.method) && matches(route.segments, path) {
			methods = append(methods, route.method)
		}
	}
	slices.Sort(methods)
	return methods
}

func matches(pattern, path []string) bool {
	for i, part := range pattern {
		switch {
		case i >= len(path):
			return false
		case strings.HasPrefix(part, "*"):
			return true
		case !strings.HasPrefix(part, ":") && part != path[i]:
			return false
		}
	}
	return len(pattern) == len(path)
}

func methodNotAllowed(w http.ResponseWriter, allowed []string) error {
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	return core.Errorf(core.CodeMethodNotAllowed, "this route accepts only %s", strings.Join(allowed, ", "))
}

// Serve finds the route and returns what its handler returned.
func (rt *Router) Serve(w http.ResponseWriter, r *Request) error {
	path, err := rt.canonical(r.URL.EscapedPath())
	if err != nil {
		return err
	}
	if !slices.Contains(RoutableMethods, r.Method) {
		if allowed := rt.allowed(path); len(allowed) > 0 {
			return methodNotAllowed(w, allowed)
		}
		return core.NotFound("resource")
	}
	target := *r.URL
	target.RawPath = strings.Join(path, "/")
	in := r.Request.WithContext(context.WithValue(r.Context(), exchangeKey{}, r.exchange))
	in.URL = &target
	return rt.mux.ServeHTTPError(w, in)
}

type exchangeKey struct{}

// requestOf converts the router's request to the handler's.
func requestOf(in bunrouter.Request) *Request {
	exchange, _ := in.Context().Value(exchangeKey{}).(*exchange)
	return &Request{Request: in.Request, exchange: exchange, params: in.Params()}
}
