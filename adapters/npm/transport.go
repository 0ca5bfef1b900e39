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

// transport reaches the registries that the operator named wherever they are, on
// a private network as well. Every other address comes from what a registry says,
// in a packument or by a redirect, and has to be a public one.
type transport struct {
	named        *upstreams
	allowPrivate bool
	open         *http.Transport
	guarded      *http.Transport
}

// newClient bounds what a request may wait for, and lets many run side by side
// over few connections. A token stays with the server that it was meant for.
func newClient(named *upstreams, allowPrivate bool) *http.Client {
	t := &transport{named: named, allowPrivate: allowPrivate}
	t.open = newTransport(&net.Dialer{Timeout: dialTimeout})
	t.open.Proxy = http.ProxyFromEnvironment
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

// RoundTrip implements http.RoundTripper. A proxy of the operator's decides itself
// where it connects to.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if t.named.own(request.URL) {
		return t.open.RoundTrip(request)
	}
	if err := addresses.CheckURL(request.URL.String(), t.allowPrivate); err != nil {
		return nil, err
	}
	if proxy, err := http.ProxyFromEnvironment(request); err != nil || proxy != nil {
		return t.open.RoundTrip(request)
	}
	return t.guarded.RoundTrip(request)
}

// control judges the address of a socket before it connects.
func (t *transport) control(_, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return core.Wrap(core.CodeForbiddenAddress, err, "the address is not allowed: it is no IP address")
	}
	return addresses.CheckIP(target.Addr(), t.allowPrivate)
}
