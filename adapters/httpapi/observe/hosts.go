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

// OwnHosts are the names that the API answers to for the public address appURL: its
// host, and where that is this machine's own, every name of the machine's loopback.
func OwnHosts(appURL *url.URL) []string {
	name := strings.ToLower(appURL.Hostname())
	own := []string{name}
	if address, err := netip.ParseAddr(name); name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && address.IsLoopback() {
		own = append(own, "localhost", "127.0.0.1", "::1")
	}
	return own
}

// probed are the paths that machines ask for by whatever address they have: balancers,
// supervisors and Prometheus.
var probed = []string{"/healthz", "/readyz", "/metrics"}

// misdirected reports whether a request is for a host that is not the API's. A page
// elsewhere can let a name of its own lead to this machine and read what answers there;
// an address, and a name without a dot, cannot be anybody's on the internet.
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

// hostOf is a Host header in lower case, without port, brackets and the dot that may end
// a full name.
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
	body := rest.Failure{Error: core.CodeNotFound, Message: "this service does not answer for that host: use the address in APP_URL"}
	_ = rest.WriteJSON(w, http.StatusMisdirectedRequest, body)
}
