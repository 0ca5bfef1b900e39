package datawire

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/ports/backend"
)

// Forwarding forwards a request of an end user to an engine.
type Forwarding struct {
	Place backend.Place
	As    backend.Identity
	// Over is the transport, as for Ask.
	Over http.RoundTripper
	// Failed answers if the transport fails.
	Failed func(w http.ResponseWriter, r *http.Request, err error)
}

// Serve forwards a request and returns its answer.
func (f Forwarding) Serve(w http.ResponseWriter, r *http.Request) {
	if headBytes(r) > maxHeadBytes {
		Refuse(w, http.StatusRequestHeaderFieldsTooLarge, "The address and the headers of the request are too long.")
		return
	}
	// Both encode to one line of JSON.
	at, _ := json.Marshal(f.Place)
	who, _ := json.Marshal(f.As)
	proxy := httputil.ReverseProxy{
		Transport:     f.Over,
		FlushInterval: -1,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL = &url.URL{Scheme: "http", Host: "engine", Path: p.In.URL.Path, RawPath: p.In.URL.RawPath, RawQuery: p.In.URL.RawQuery}
			p.Out.Host = p.In.Host
			p.Out.Header.Set(headerPlace, string(at))
			p.Out.Header.Set(headerAs, string(who))
			p.Out.Header.Set(headerClient, p.In.RemoteAddr)
			p.Out.Header.Del("Cookie")
		},
		ErrorHandler: f.Failed,
	}
	proxy.ServeHTTP(w, r)
}

// maxBuffered is how much of an answer is buffered before any of it is sent. If the engine
// dies meanwhile, the client gets a 503 instead of half a record.
const maxBuffered = 1 << 20

// Ask sends a request to an engine and buffers its answer, except for a stream.
func Ask(over http.RoundTripper, r *http.Request) (*http.Response, error) {
	answer, err := over.RoundTrip(r)
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

// Unavailable answers that the engine cannot be reached.
func Unavailable(w http.ResponseWriter) {
	w.Header().Set("Retry-After", "1")
	Refuse(w, http.StatusServiceUnavailable, "The data is not available at the moment. Try again.")
}

// Refuse answers in PocketBase's form.
func Refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "message": message, "data": map[string]any{}})
}

// maxHeadBytes bounds the head of a request. The engine's server has a limit of 1 MiB.
const maxHeadBytes = 256 << 10

// headBytes estimates the size of a request's address and header.
func headBytes(r *http.Request) int {
	size := len(r.URL.Path) + len(r.URL.RawPath) + len(r.URL.RawQuery)
	for name, values := range r.Header {
		for _, value := range values {
			size += len(name) + len(value) + 32 // what HTTP/2 adds for each
		}
	}
	return size
}
