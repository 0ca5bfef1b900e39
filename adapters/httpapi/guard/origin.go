package guard

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// checkOrigin refuses requests that another origin's page makes with the session cookie:
// core.CodeCrossOrigin (protection against CSRF). It accepts all reads, and all requests
// with an Authorization header, because no foreign page can add one.
//
// Every browser in use sends Origin or Sec-Fetch-Site with a request that changes
// something. Both, if present, must say "same origin". same-site does not suffice,
// because published sites may be siblings of the API's host. A request with neither comes
// from a program that holds the cookie itself, and passes.
func checkOrigin(r *http.Request, own string) error {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return nil
	}
	if len(r.Header.Values("Authorization")) > 0 || !hasSessionCookie(r) {
		return nil
	}
	return CheckSameOrigin(r, own)
}

// CheckSameOrigin refuses requests of another origin's page, with or without a session:
// core.CodeCrossOrigin.
func CheckSameOrigin(r *http.Request, own string) error {
	for _, origin := range r.Header.Values("Origin") {
		if origin != own {
			return core.Errorf(core.CodeCrossOrigin, "this call must come from a page of %s", own)
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return core.Errorf(core.CodeCrossOrigin, "this call must come from a page of %s", own)
		}
	}
	return nil
}

func hasSessionCookie(r *http.Request) bool {
	return len(r.CookiesNamed(AccessCookie)) > 0 || len(r.CookiesNamed(RefreshCookie)) > 0
}

// OriginOf returns the origin of an address as browsers write it.
func OriginOf(address *url.URL) string {
	host := strings.ToLower(address.Host)
	switch address.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return address.Scheme + "://" + host
}
