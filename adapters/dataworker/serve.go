package dataworker

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/workerprocess"
	"github.com/atelierhq/atelier/ports/backend"
)

// Serve implements backend.Engine.
func (e *Engine) Serve(w http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	if headBytes(r) > maxHeadBytes {
		refuse(w, http.StatusRequestHeaderFieldsTooLarge, "The address and the headers of the request are too long.")
		return
	}
	worker, done, err := e.workers.Use()
	if err != nil {
		e.unavailable(w, r, err)
		return
	}
	defer done()
	// Both encode to one line of JSON.
	at, _ := json.Marshal(place)
	who, _ := json.Marshal(as)
	proxy := httputil.ReverseProxy{
		Transport:     surviving{e.workers, worker},
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = &url.URL{Scheme: "http", Host: "worker", Path: p.In.URL.Path, RawPath: p.In.URL.RawPath, RawQuery: p.In.URL.RawQuery}
			p.Out.Host = p.In.Host
			p.Out.Header.Set(headerPlace, string(at))
			p.Out.Header.Set(headerAs, string(who))
			p.Out.Header.Set(headerClient, p.In.RemoteAddr)
			p.Out.Header.Del("Cookie")
		},
		ErrorHandler: e.unavailable,
	}
	proxy.ServeHTTP(w, r)
}

// surviving is an http.RoundTripper that outlives its worker: when that dies, a request that only
// reads is sent to the next one. Others may have been carried out already, so their clients
// decide; they get their 503 once the end of the worker is known, and find a new one.
type surviving struct {
	workers *workerprocess.Supervisor[*process]
	worker  *process
}

// endKnown bounds the wait for the end of a worker whose connection broke.
const endKnown = time.Second

// RoundTrip implements http.RoundTripper.
func (s surviving) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := ask(s.worker, r)
	if err == nil || r.Context().Err() != nil {
		return answer, err
	}
	select {
	case <-s.worker.Gone():
	case <-time.After(endKnown):
	case <-r.Context().Done():
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil, err
	}
	next, done, failed := s.workers.Use()
	if failed != nil {
		return nil, errors.Join(err, failed)
	}
	defer done()
	return ask(next, r)
}

// maxBuffered bounds how much of an answer is read before any of it is passed on, so that an
// answer that a worker's end cuts off is a 503 and not half a record.
const maxBuffered = 1 << 20

// ask sends a request to a worker and waits for its answer, except for that of a stream.
func ask(worker *process, r *http.Request) (*http.Response, error) {
	answer, err := worker.conn.RoundTrip(r)
	if err != nil || strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		return answer, err
	}
	head, err := io.ReadAll(io.LimitReader(answer.Body, maxBuffered))
	if err != nil {
		return nil, errors.Join(err, answer.Body.Close())
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(head), answer.Body), answer.Body}
	return answer, nil
}

// unavailable answers that there is no worker.
func (e *Engine) unavailable(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() == nil {
		e.log.WarnContext(r.Context(), "a request to a backend failed", "error", err)
	}
	w.Header().Set("Retry-After", "1")
	refuse(w, http.StatusServiceUnavailable, "The data is not available at the moment. Try again.")
}

// refuse answers in PocketBase's form.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "message": message, "data": map[string]any{}})
}

// maxHeadBytes bounds what the worker reads before a body; its server has a bound of 1 MiB.
const maxHeadBytes = 256 << 10

// headBytes returns about how long the address and the headers of a request are.
func headBytes(r *http.Request) int {
	size := len(r.URL.Path) + len(r.URL.RawPath) + len(r.URL.RawQuery)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + 32 // what HTTP/2 adds for each
		}
	}
	return size
}
