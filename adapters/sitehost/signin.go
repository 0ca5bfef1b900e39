package sitehost

import (
	"bytes"
	"net/http"

	"github.com/atelierhq/atelier/ports/backend"
)

// isReturn reports whether a path is where a provider of OAuth sends the browsers of end users back
// to. PocketBase's client says it with api/.
func isReturn(path string) bool {
	return path == "/_data/api/oauth2-redirect" || path == "/_data/oauth2-redirect"
}

// showReturn lets the window that waits have the code that a browser brings, and shows the person in
// the other window that they may close it. Apple's page brings it with POST.
func showReturn(data Data, w http.ResponseWriter, r *http.Request, at backend.Place) {
	w.Header().Set("Referrer-Policy", "no-referrer") // the address has the code
	answer := &outcome{header: make(http.Header)}
	data.Serve(answer, r, at)
	switch answer.status {
	case http.StatusOK:
		showNotice(w, r, http.StatusOK, signedIn())
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		w.Header().Set("Retry-After", answer.header.Get("Retry-After"))
		showNotice(w, r, answer.status, unavailable())
	case http.StatusNotFound:
		refuseData(w)
	default:
		showNotice(w, r, http.StatusBadRequest, notSignedIn())
	}
}

// outcome is an http.ResponseWriter that keeps a short answer.
type outcome struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (o *outcome) Header() http.Header { return o.header }

// WriteHeader implements http.ResponseWriter.
func (o *outcome) WriteHeader(status int) {
	if o.status == 0 {
		o.status = status
	}
}

// Write implements http.ResponseWriter.
func (o *outcome) Write(content []byte) (int, error) {
	o.WriteHeader(http.StatusOK)
	return o.body.Write(content)
}
