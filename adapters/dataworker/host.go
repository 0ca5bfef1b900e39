package dataworker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httputil"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Paths of the requests of a worker.
const (
	mailPath  = "/mail"
	fetchPath = "/fetch"
	// headerTarget is the address of a request to fetch.
	headerTarget = "Atelier-Target"
)

// hostClient is the worker's side of the connection to the service.
type hostClient struct{ conn *http.ClientConn }

func newHostClient(over net.Conn) (*hostClient, error) {
	conn, err := connect(over)
	return &hostClient{conn}, err
}

type mailRequest struct {
	Place backend.Place
	Mail  backend.Mail
}

// Send implements backend.Post.
func (c *hostClient) Send(ctx context.Context, place backend.Place, mail backend.Mail) error {
	text, err := json.Marshal(mailRequest{place, mail})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service"+mailPath, bytes.NewReader(text))
	if err != nil {
		return err
	}
	answer, err := c.conn.RoundTrip(r)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the mail could not be queued")
	}
	return errors.Join(datawire.ErrorOf(answer), answer.Body.Close())
}

// outgoing returns a client whose requests the service sends.
func (c *hostClient) outgoing() *http.Client { return &http.Client{Transport: fetcher{c.conn}} }

// fetcher is an http.RoundTripper that hands requests to the service.
type fetcher struct{ conn *http.ClientConn }

// RoundTrip implements http.RoundTripper.
func (f fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.Header.Set(headerTarget, r.URL.String())
	out.URL.Scheme, out.URL.Host, out.URL.Path, out.URL.RawQuery = "http", "service", fetchPath, ""
	out.Host = ""
	return f.conn.RoundTrip(out)
}

// host is the service's side: it queues mails, and fetches through a guarded client.
type host struct {
	post   backend.Post
	client *http.Client
}

func (h host) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+mailPath, h.mail)
	mux.HandleFunc(fetchPath, h.fetch)
	return mux
}

func (h host) mail(w http.ResponseWriter, r *http.Request) {
	var in mailRequest
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in)
	if err == nil {
		err = h.post.Send(r.Context(), in.Place, in.Mail)
	}
	if err != nil {
		datawire.SendError(w, err)
	}
}

// maxFetched bounds the answer to a fetch.
const maxFetched = 1 << 20

// fetch sends a request of the worker, whose target is as little trusted as the worker.
func (h host) fetch(w http.ResponseWriter, r *http.Request) {
	proxy := httputil.ReverseProxy{
		Transport: clientTransport{h.client},
		Rewrite: func(p *httputil.ProxyRequest) {
			target, err := p.In.URL.Parse(p.In.Header.Get(headerTarget))
			if err != nil {
				return // the request stays without a host, which the client refuses
			}
			p.Out.URL, p.Out.Host = target, ""
			p.Out.Header.Del(headerTarget)
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ModifyResponse: func(answer *http.Response) error {
			answer.Body = http.MaxBytesReader(nil, answer.Body, maxFetched)
			return nil
		},
	}
	proxy.ServeHTTP(w, r)
}

// clientTransport lets a client, with its guard and its limits, be used as a transport.
type clientTransport struct{ client *http.Client }

// RoundTrip implements http.RoundTripper.
func (t clientTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r.RequestURI = ""
	return t.client.Do(r)
}
