package dataworker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/datawire"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Paths of the requests of a worker.
const (
	mailPath    = "/mail"
	signInsPath = "/sign-ins"
	fetchPath   = "/fetch"
	// headerTarget has the URL of a request to fetch.
	headerTarget = "Atelier-Target"
)

// hostClient is the worker's side of the connection to the service.
type hostClient struct{ conn *http.ClientConn }

func newHostClient(over net.Conn) (*hostClient, error) {
	conn, err := connect(over, 0) // the service reads as long as it lives
	return &hostClient{conn}, err
}

type mailRequest struct {
	Place backend.Place
	Mail  backend.Mail
}

// Send implements backend.Post.
func (c *hostClient) Send(ctx context.Context, place backend.Place, mail backend.Mail) error {
	answer, err := c.ask(ctx, mailPath, mailRequest{place, mail})
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the mail could not be queued")
	}
	return errors.Join(datawire.ErrorOf(answer), answer.Body.Close())
}

// SignIns implements backend.SignIns.
func (c *hostClient) SignIns(ctx context.Context, place backend.Place) ([]backend.SignInProvider, error) {
	answer, err := c.ask(ctx, signInsPath, place)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the providers are not available")
	}
	defer answer.Body.Close()
	if err := datawire.ErrorOf(answer); err != nil {
		return nil, err
	}
	var found []backend.SignInProvider
	err = json.NewDecoder(answer.Body).Decode(&found)
	return found, err
}

// ask sends JSON to the service.
func (c *hostClient) ask(ctx context.Context, path string, in any) (*http.Response, error) {
	text, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://service"+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	return c.conn.RoundTrip(r)
}

// outgoing returns a client whose requests the service sends.
func (c *hostClient) outgoing() *http.Client { return &http.Client{Transport: fetcher{c.conn}} }

// fetcher is an http.RoundTripper that forwards requests to the service.
type fetcher struct{ conn *http.ClientConn }

// RoundTrip implements http.RoundTripper.
func (f fetcher) RoundTrip(r *http.Request) (*http.Response, error) {
	out := r.Clone(r.Context())
	out.Header.Set(headerTarget, r.URL.String())
	out.URL.Scheme, out.URL.Host, out.URL.Path, out.URL.RawQuery = "http", "service", fetchPath, ""
	out.Host = ""
	return f.conn.RoundTrip(out)
}

// host is the service's side: it queues mails, knows the OAuth providers, and sends
// requests to them through a guarded client.
type host struct {
	post    backend.Post
	signIns backend.SignIns
	client  *http.Client
}

func (h host) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+mailPath, h.mail)
	mux.HandleFunc("POST "+signInsPath, h.providers)
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

func (h host) providers(w http.ResponseWriter, r *http.Request) {
	var place backend.Place
	var found []backend.SignInProvider
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&place)
	if err == nil && h.signIns != nil {
		found, err = h.signIns.SignIns(r.Context(), place)
	}
	if err != nil {
		datawire.SendError(w, err)
		return
	}
	_ = json.NewEncoder(w).Encode(found)
}

// Bounds of a fetch.
const (
	maxFetched = 1 << 20
	fetchTime  = 30 * time.Second
)

// fetch sends a request of the worker. Its target is as untrusted as the worker.
func (h host) fetch(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), fetchTime)
	defer cancel()
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
		ErrorLog:     log.New(io.Discard, "", 0), // an answer that breaks off is the provider's fault
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ModifyResponse: func(answer *http.Response) error {
			answer.Body = http.MaxBytesReader(nil, answer.Body, maxFetched)
			return nil
		},
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
}

// clientTransport makes a client, with its guard and limits, usable as a transport. It
// returns redirects as responses.
type clientTransport struct{ client *http.Client }

// RoundTrip implements http.RoundTripper.
func (t clientTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r.RequestURI = ""
	client := *t.client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client.Do(r)
}
