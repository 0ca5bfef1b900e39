package observe

import (
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// OwnHosts returns the host names of the API for the public address appURL: its host and,
// if that is this machine's loopback, every loopback name.
func OwnHosts(appURL *url.URL) []string {
	name := strings.ToLower(appURL.Hostname())
	own := []string{name}
	if address, err := netip.ParseAddr(name); name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && address.IsLoopback() {
		own = append(own, "localhost", "127.0.0.1", "::1")
	}
	return own
}

// probed are the paths that machines request by any address: load balancers, supervisors
// and Prometheus.
var probed = []string{"/healthz", "/readyz", "/metrics"}

// misdirected reports whether a request is for a host that is not the API's. It prevents
// DNS rebinding: a page elsewhere can let a name of its own resolve to this machine and
// read the answers. IP addresses, and names without a dot, are safe, because nobody on
// the internet can own them.
func misdirected(r *http.Request, own []string) bool {
	if own == nil {
		return false
	}
	name := hostOf(r.Host)
	if slices.Contains(own, name) {
		return false
	}
	_, err := netip.ParseAddr(name)
	return !slices.Contains(probed, r.URL.Path) || err != nil && strings.Contains(name, ".")
}

// hostOf returns a Host header in lower case, without port, brackets and trailing dot.
func hostOf(host string) string {
	if rest, isAddress := strings.CutPrefix(host, "["); isAddress {
		host, _, _ = strings.Cut(rest, "]")
		return strings.ToLower(host)
	}
	host, _, _ = strings.Cut(host, ":")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// refuseHost answers a misdirected request.
func refuseHost(w http.ResponseWriter) {
	w.Header().Set("Cache-Control", "no-store")
	body := rest.Failure{Error: core.CodeNotFound, Message: "this service does not serve that host: use the address in APP_URL"}
	_ = rest.WriteJSON(w, http.StatusMisdirectedRequest, body)
}
