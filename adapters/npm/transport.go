package npm

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/addresses"
	"github.com/atelierhq/atelier/core"
)

const (
	dialTimeout      = 15 * time.Second
	handshakeTimeout = 15 * time.Second
	idleTimeout      = 90 * time.Second
	maxHeaderBytes   = 1 << 20
	maxRedirects     = 5
)

// transport reaches the operator's registries wherever they are, private networks
// included. All other addresses come from a registry's packuments or redirects, and must
// be public.
type transport struct {
	configured   *upstreams
	allowPrivate bool
	direct       *http.Transport
	guarded      *http.Transport
}

// newClient returns a client whose requests wait for a bounded time and share few
// connections. A token goes only to the server that it is meant for.
func newClient(named *upstreams, allowPrivate bool) *http.Client {
	t := &transport{configured: named, allowPrivate: allowPrivate}
	t.direct = newTransport(&net.Dialer{Timeout: dialTimeout})
	t.direct.Proxy = http.ProxyFromEnvironment
	t.guarded = newTransport(&net.Dialer{Timeout: dialTimeout, Control: t.control})
	return &http.Client{Transport: t, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if len(before) > maxRedirects {
			return errors.New("too many redirects")
		}
		if originOf(next.URL) != originOf(before[0].URL) {
			next.Header.Del("Authorization")
		}
		return nil
	}}
}

func newTransport(dialer *net.Dialer) *http.Transport {
	return &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    parallelRequests,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    handshakeTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// RoundTrip implements http.RoundTripper. If the operator configured a proxy, that
// decides itself where it connects to.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.configured.own(request.URL) {
		return t.direct.RoundTrip(request)
	}
	if err := addresses.CheckURL(request.URL.String(), t.allowPrivate); err != nil {
		return nil, err
	}
	if proxy, err := http.ProxyFromEnvironment(request); err != nil || proxy != nil {
		return t.direct.RoundTrip(request)
	}
	return t.guarded.RoundTrip(request)
}

// control checks the address of a socket before it connects.
func (t *transport) control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return core.Wrap(core.CodeForbiddenAddress, err, "the address is not allowed: it is not an IP address")
	}
	return addresses.CheckIP(target.Addr(), t.allowPrivate)
}
