package httpapi

import (
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Sockets makes connections WebSockets in the rooms of projects.
type Sockets interface {
	// Serve takes the request's connection over for a caller who may do
	// core.ActionFileRead by what they presented, and returns when that is done; the
	// socket lasts beyond the request. After an error nothing was answered yet.
	Serve(w http.ResponseWriter, r *http.Request, by core.Actor, project core.ID) error
}

// bearerPrefix begins the subprotocol that carries a token, for browsers, which can set
// no header of a WebSocket.
const bearerPrefix = "bearer."

// isSocket reports whether a route is one of WebSockets. Their callers may identify
// themselves in other ways.
func isSocket(pattern string) bool { return strings.HasPrefix(pattern, "/ws/") }

// openSocket answers GET /ws/project/:projectId. Without sockets, which another process
// may have, there is no such address.
func openSocket(sockets Sockets) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		if sockets == nil {
			return core.NotFound("resource")
		}
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		return sockets.Serve(w, r.Request, r.Actor, project)
	}
}

// presentedBySocket returns the token of who opens a WebSocket: that of the query, of the
// subprotocol or of the Authorization header, of which there may be one, else that of the
// session cookie. No browser asks before it opens a WebSocket from a page of whatever
// origin, and it sends the cookie along: so a request with nothing but the cookie has
// code core.CodeCrossOrigin unless a page of own sent it.
func presentedBySocket(r *http.Request, own string) (string, error) {
	tokens := r.URL.Query()["token"]
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for protocol := range strings.SplitSeq(line, ",") {
			if token, is := strings.CutPrefix(strings.TrimSpace(protocol), bearerPrefix); is {
				tokens = append(tokens, token)
			}
		}
	}
	headers := r.Header.Values("Authorization")
	switch {
	case len(tokens)+len(headers) > 1:
		return "", core.Errorf(core.CodeUnauthenticated, "the request has %d tokens", len(tokens)+len(headers))
	case len(tokens) == 1 && tokens[0] == "":
		return "", core.Errorf(core.CodeUnauthenticated, "the token is empty")
	case len(tokens) == 1:
		return tokens[0], nil
	}
	token, err := presented(r)
	if err != nil || len(headers) > 0 {
		return token, err
	}
	if origins := r.Header.Values("Origin"); len(origins) != 1 || origins[0] != own {
		return "", core.Errorf(core.CodeCrossOrigin, "a WebSocket with the session cookie must come from a page of %s", own)
	}
	return token, nil
}
