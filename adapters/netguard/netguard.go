// Package netguard is the HTTP client for addresses that users give. It judges
// the address that a connection really goes to, so that no name, no spelling and
// no change of a name's address between two look-ups leads anywhere else.
package netguard

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/addresses"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
)

var _ netguard.Guard = (*Guard)(nil)

// Limits of a connection. The caller bounds the time of a whole request.
const (
	dialTimeout      = 10 * time.Second
	handshakeTimeout = 10 * time.Second
	idleTimeout      = 90 * time.Second
	maxHeaderBytes   = 1 << 20
)

// Guard is a netguard.Guard.
type Guard struct {
	allowPrivate bool
	dialer       *net.Dialer
	client       *http.Client
}

// New returns a guard. With allowPrivate it also permits loopback and private ranges. It
// never permits link-local addresses, metadata services and reserved ranges.
func New(allowPrivate bool) *Guard { return NewResolving(allowPrivate, net.DefaultResolver) }

// NewResolving is New with a resolver of its own.
func NewResolving(allowPrivate bool, resolver *net.Resolver) *Guard {
	guard := &Guard{allowPrivate: allowPrivate}
	guard.dialer = &net.Dialer{Timeout: dialTimeout, Resolver: resolver, Control: guard.control}
	guard.client = &http.Client{
		Transport: &guardedTransport{guard: guard, Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            guard.dialer.DialContext,
			TLSHandshakeTimeout:    handshakeTimeout,
			IdleConnTimeout:        idleTimeout,
			MaxResponseHeaderBytes: maxHeaderBytes,
			ForceAttemptHTTP2:      true,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return guard
}

// Check implements netguard.Guard.
func (g *Guard) Check(address string) error { return addresses.CheckURL(address, g.allowPrivate) }

// Client implements netguard.Guard.
func (g *Guard) Client() *http.Client { return g.client }

// Dial implements netguard.Guard.
func (g *Guard) Dial(ctx context.Context, address string) (net.Conn, error) {
	if err := addresses.CheckTarget(address, g.allowPrivate); err != nil {
		return nil, err
	}
	conn, err := g.dialer.DialContext(ctx, "tcp", address)
	switch {
	case err == nil || core.IsCode(err, core.CodeForbiddenAddress):
		return conn, err
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, core.Wrap(core.CodeUnavailable, err, "%s cannot be reached", address)
}

// control checks the address of a socket before it connects.
func (g *Guard) control(network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return core.Errorf(core.CodeForbiddenAddress, "the address is not allowed: the connection is not TCP")
	}
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return core.Wrap(core.CodeForbiddenAddress, err, "the address is not allowed: it is not an IP address")
	}
	return addresses.CheckIP(target.Addr(), g.allowPrivate)
}

// guardedTransport is an http.RoundTripper that checks each request's URL before anything is
// looked up.
type guardedTransport struct {
	guard *Guard
	*http.Transport
}

// RoundTrip implements http.RoundTripper.
func (t *guardedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := t.guard.Check(request.URL.String()); err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	return t.Transport.RoundTrip(request)
}
