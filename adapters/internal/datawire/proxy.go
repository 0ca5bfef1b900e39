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

// Forwarding is a request of an end user on its way to an engine.
type Forwarding struct {
	Place backend.Place
	As    backend.Identity
	// Over carries the request, as Ask does.
	Over http.RoundTripper
	// Failed answers if that fails.
	Failed func(w http.ResponseWriter, r *http.Request, err error)
}

// Serve forwards a request and passes its answer on.
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

// maxBuffered bounds how much of an answer is read before any of it is passed on, so that an
// answer that an engine's end cuts off is a 503 and not half a record.
const maxBuffered = 1 << 20

// Ask sends a request to an engine and waits for its answer, except for that of a stream.
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

// maxHeadBytes bounds what an engine reads before a body; its server has a bound of 1 MiB.
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
