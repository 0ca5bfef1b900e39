package mcpclient

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/atelierhq/atelier/ports/connectors"
)

// Bounds of what a server sends in one exchange.
const (
	maxBytes    = 4 << 20
	maxRequests = 40
)

var (
	errTooLarge  = errors.New("the server sends more than it may")
	errElsewhere = errors.New("a request must go to the server's own URL")
)

// boundedClient returns a client for one exchange with a server.
func boundedClient(guarded *http.Client, server connectors.Server) *http.Client {
	own := *guarded
	next := own.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	exchange := &exchange{next: next, server: server}
	exchange.bytes.Store(maxBytes)
	exchange.requests.Store(maxRequests)
	own.Transport = exchange
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	own.Jar = nil
	return &own
}

// exchange is an http.RoundTripper for one exchange. bytes and requests are how many are left.
type exchange struct {
	next            http.RoundTripper
	server          connectors.Server
	bytes, requests atomic.Int64
}

// RoundTrip implements http.RoundTripper.
func (e *exchange) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.String() != e.server.URL || e.requests.Add(-1) < 0 {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, errElsewhere
	}
	own := request.Clone(request.Context())
	for name, value := range e.server.Headers {
		own.Header.Set(name, value)
	}
	response, err := e.next.RoundTrip(own)
	if err != nil {
		return nil, err
	}
	response.Body = &boundedBody{response.Body, e}
	return response, nil
}

// boundedBody is a body that counts against what its exchange may receive.
type boundedBody struct {
	io.ReadCloser
	exchange *exchange
}

// Read implements io.Reader.
func (b *boundedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if b.exchange.bytes.Add(-int64(n)) < 0 {
		return 0, errTooLarge
	}
	return n, err
}
