package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Base is the path below which the service runs, as in APP_URL: "" or, for example,
// "/atelier". It needs no escaping (bootstrap checks that).
type Base string

// BaseOf returns the base of the service with the public address app.
func BaseOf(app *url.URL) Base { return Base(strings.TrimSuffix(app.Path, "/")) }

// Inside returns the request without the base, as the routes expect it. Any other path
// has code core.CodeNotFound.
func (b Base) Inside(r *http.Request) (*http.Request, error) {
	if b == "" {
		return r, nil
	}
	rest, found := strings.CutPrefix(r.URL.EscapedPath(), string(b))
	if !found || rest != "" && rest[0] != '/' {
		return r, core.NotFound("resource")
	}
	if rest == "" {
		rest = "/"
	}
	path, err := url.PathUnescape(rest)
	if err != nil {
		return r, core.Errorf(core.CodeInvalidRequest, "the path has an invalid escape")
	}
	inner, address := *r, *r.URL
	address.Path, address.RawPath = path, rest
	inner.URL = &address
	return &inner, nil
}

// Outside returns the path of a route as browsers know it, for example for a cookie.
func (b Base) Outside(path string) string {
	if path == "/" && b != "" {
		return string(b)
	}
	return string(b) + path
}
