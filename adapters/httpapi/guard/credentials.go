package guard

import (
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// bearerPrefix begins the subprotocol that carries a token, because browsers cannot set
// headers of a WebSocket.
const bearerPrefix = "bearer."

// IsSocket reports whether a route is a WebSocket. Its callers may authenticate in
// additional ways.
func IsSocket(pattern string) bool { return strings.HasPrefix(pattern, "/ws/") }

// BearerOrCookie returns the token that the request carries. The error has code
// core.CodeUnauthenticated if there is none or more than one, or if the cookie, which is
// for sessions alone, holds an API token.
func BearerOrCookie(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) > 1 {
		return "", core.Errorf(core.CodeUnauthenticated, "the request must have only one Authorization header")
	}
	if len(headers) == 1 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		if !strings.EqualFold(scheme, "Bearer") || token == "" {
			return "", core.Errorf(core.CodeUnauthenticated, "the Authorization header must be: Bearer <token>")
		}
		return strings.Trim(token, " "), nil
	}
	token, err := OnlyCookie(r, AccessCookie)
	if strings.HasPrefix(token, core.APITokenPrefix) {
		return "", core.Errorf(core.CodeUnauthenticated, "an API token must be sent in the Authorization header")
	}
	return token, err
}

// OnlyCookie returns the cookie's value. A page on a sibling host can set a second cookie
// of the same name, so two are refused.
func OnlyCookie(r *http.Request, name string) (string, error) {
	cookies := r.CookiesNamed(name)
	switch {
	case len(cookies) == 0 || cookies[0].Value == "":
		return "", core.Errorf(core.CodeUnauthenticated, "sign in first")
	case len(cookies) > 1:
		return "", core.Errorf(core.CodeUnauthenticated, "the request has %d cookies named %s", len(cookies), name)
	}
	return cookies[0].Value, nil
}

// presentedByGit returns the token of a git client: an API token as the password of
// Basic, with any user name, or whatever presented accepts in an Authorization header.
// Cookies are never accepted. Anything else has code core.CodeUnauthenticated.
func presentedByGit(r *http.Request) (string, error) {
	headers := r.Header.Values("Authorization")
	if len(headers) == 0 {
		return "", core.Errorf(core.CodeUnauthenticated, "sign in with any user name and an API token as the password")
	}
	_, password, basic := r.BasicAuth()
	if !basic || len(headers) > 1 {
		return BearerOrCookie(r)
	}
	if !strings.HasPrefix(password, core.APITokenPrefix) {
		return "", core.Errorf(core.CodeUnauthenticated, "the password must be an API token")
	}
	return password, nil
}

// presentedByProgram returns the token in the Authorization header. Cookies are never
// accepted: nothing that acts for a person may do so because a page was open.
func presentedByProgram(r *http.Request) (string, error) {
	if len(r.Header.Values("Authorization")) == 0 {
		return "", core.Errorf(core.CodeUnauthenticated, "send an API token in the Authorization header: Bearer <token>")
	}
	return BearerOrCookie(r)
}

// presentedBySocket returns the token of a client that opens a WebSocket. It is in the
// query, the subprotocol or the Authorization header, in only one of them, or else in the
// session cookie. Browsers open a WebSocket from a page of any origin without asking, and
// send the cookie. So if a request has nothing but the cookie, and no page of own sent
// it, the error has code core.CodeCrossOrigin.
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
	token, err := BearerOrCookie(r)
	if err != nil || len(headers) > 0 {
		return token, err
	}
	if origins := r.Header.Values("Origin"); len(origins) != 1 || origins[0] != own {
		return "", core.Errorf(core.CodeCrossOrigin, "a WebSocket with the session cookie must come from a page of %s", own)
	}
	return token, nil
}
