package rest

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/uptrace/bunrouter"

	"github.com/atelierhq/atelier/core"
)

// Request is a request to a handler.
type Request struct {
	*http.Request
	// Actor is the caller. On open routes it has only an IP.
	Actor core.Actor

	exchange *exchange
	params   bunrouter.Params
}

// exchange holds the facts about a request before it has a route, and those for the log. All forms of the request share it.
type exchange struct {
	id     string
	client netip.Addr
	route  string
	caller core.ID
	// metadata is the address of what says how callers authenticate, "" for none.
	metadata string
	control  *http.ResponseController
}

// NoRoute is the route of requests for unknown addresses.
const NoRoute = "none"

// NewRequest returns the request for the router: with an id for the log, the address of
// its client, and access to the deadlines of its connection.
func NewRequest(in *http.Request, id string, client netip.Addr, control *http.ResponseController) *Request {
	return &Request{Request: in, exchange: &exchange{id: id, client: client, route: NoRoute, control: control}}
}

// Route returns the pattern of the request's route, NoRoute until the router has found
// it.
func (r *Request) Route() string { return r.exchange.route }

// SetRoute sets the route, for requests that the router does not answer.
func (r *Request) SetRoute(pattern string) { r.exchange.route = pattern }

// Caller returns the caller of Admit, "" before that.
func (r *Request) Caller() core.ID { return r.exchange.caller }

// Admit makes actor, with the request's own address and program, the caller.
func (r *Request) Admit(actor core.Actor) {
	actor.IP, actor.Agent, actor.Language = r.Actor.IP, r.Actor.Agent, r.Actor.Language
	r.Actor = actor
	r.exchange.caller = actor.UserID
}

// SetMetadata names the address at which programs read how they authenticate (RFC 9728), for an
// answer of 401.
func (r *Request) SetMetadata(address string) { r.exchange.metadata = address }

// Control sets deadlines of the request's connection. Later requests may use the same
// connection, so a handler removes the deadlines that it sets.
func (r *Request) Control() *http.ResponseController { return r.exchange.control }

// RequestID returns the text in the answer's X-Request-Id.
func (r *Request) RequestID() string { return r.exchange.id }

// ClientIP returns the address of the client, as far as trusted proxies report it.
func (r *Request) ClientIP() netip.Addr { return r.exchange.client }

// Param returns a parameter of the path, unescaped exactly once, "" if the route has none
// of that name.
func (r *Request) Param(name string) string {
	text, err := url.PathUnescape(r.params.ByName(name))
	if err != nil {
		return ""
	}
	return text
}

// ID returns a parameter of the path that is an id. A malformed one names no record, so
// the error has code core.CodeNotFound.
func (r *Request) ID(name string) (core.ID, error) { return core.ParseID(r.Param(name)) }

// Query returns the query's parameters. If the query is malformed or names a parameter
// twice, the error has code core.CodeInvalidRequest.
func (r *Request) Query() (Query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "the query is malformed")
	}
	query := make(Query, len(values))
	for name, list := range values {
		if len(list) != 1 {
			return nil, core.Errorf(core.CodeInvalidRequest, "the query parameter %.50q occurs %d times", name, len(list))
		}
		query[name] = list[0]
	}
	return query, nil
}

// Query holds the parameters of a query, each once. An absent one is "".
type Query map[string]string

// Int returns a whole number from least to most, or fallback if it is absent. A larger
// number counts as most; anything else has code
// core.CodeInvalidRequest.
func (q Query) Int(name string, fallback, least, most int) (int, error) {
	text, present := q[name]
	if !present {
		return fallback, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || text[0] == '+' {
		return 0, core.Errorf(core.CodeInvalidRequest, "%s must be a whole number of at least %d", name, least)
	}
	return min(n, most), nil
}

// Bool returns whether a parameter is "true"; absent and "false" are false. Anything else
// has code core.CodeInvalidRequest.
func (q Query) Bool(name string) (bool, error) {
	text, present := q[name]
	switch {
	case !present || text == "false":
		return false, nil
	case text == "true":
		return true, nil
	}
	return false, core.Errorf(core.CodeInvalidRequest, "%s must be true or false", name)
}

// Flag is Bool for a parameter that only chooses a form of the answer. It also accepts
// "1" and "0".
func (q Query) Flag(name string) (bool, error) {
	if text := q[name]; text == "1" || text == "0" {
		return text == "1", nil
	}
	return q.Bool(name)
}

// ID returns an id, "" if it is absent. A malformed one has code core.CodeNotFound.
func (q Query) ID(name string) (core.ID, error) {
	text, present := q[name]
	if !present {
		return "", nil
	}
	return core.ParseID(text)
}
