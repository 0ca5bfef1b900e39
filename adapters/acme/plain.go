package acme

import (
	"net"
	"net/http"
	"strings"

	"github.com/caddyserver/certmagic"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
)

// Handler is middleware for plain HTTP and TLS. Over plain HTTP it answers the
// authority's challenges, and redirects visitors of names that have a certificate, or can
// get one, to https at the port (443 is omitted). It passes everything else to next.
func (m *Manager) Handler(next http.Handler, port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS != nil {
			next.ServeHTTP(w, r)
			return
		}
		name := hostname(r.Host)
		if !strings.Contains(name, ".") || m.gate.admit(r.Context(), name) != nil {
			next.ServeHTTP(w, r)
			return
		}
		if certmagic.LooksLikeHTTPChallenge(r) && m.issuer.HandleHTTPChallenge(w, r) {
			return
		}
		redirect(w, r, name, port)
	})
}

// redirect preserves the method, so that a request is neither repeated as another nor
// lost.
func redirect(w http.ResponseWriter, r *http.Request, name, port string) {
	if port != "443" {
		name = net.JoinHostPort(name, port)
	}
	w.Header().Set("Location", "https://"+name+r.URL.RequestURI())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set(requestid.Header, requestid.Of(r))
	w.WriteHeader(http.StatusPermanentRedirect)
}

// hostname returns a request's host in lower case, without port and final dot.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
