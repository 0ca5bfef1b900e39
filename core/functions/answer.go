package functions

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/functions"
)

// hops are the fields of a header that belong to one connection, or that the service sets itself.
var hops = []string{"Connection", "Content-Length", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// endToEnd is a header without what belongs to its connection.
func endToEnd(header http.Header) http.Header {
	kept := header.Clone()
	if kept == nil {
		kept = http.Header{}
	}
	for _, name := range hops {
		kept.Del(name)
	}
	return kept
}

// send answers with what a function answered. It sets no cookie: the hosts of sites and previews
// know none, and a preview's domain has other people's previews beside it. What the host has said
// about frames and types of content holds for functions, too.
func send(w http.ResponseWriter, answer functions.Response) {
	header := endToEnd(answer.Header)
	for _, name := range []string{"Set-Cookie", "X-Content-Type-Options", "X-Robots-Tag", "Referrer-Policy"} {
		header.Del(name)
	}
	// Several policies hold together, so that a function can only add to the host's.
	const policy = "Content-Security-Policy"
	header[policy] = append(slices.Clone(w.Header()[policy]), header[policy]...)
	maps.Copy(w.Header(), header)
	if w.Header().Get("Content-Type") == "" && len(answer.Body) > 0 {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// sendError answers in the form of the backend's own errors.
func sendError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status, "message": message})
}

// addressOf is the URL by which a request came.
func addressOf(r *http.Request) string {
	address := *r.URL
	address.Scheme, address.Host = "http", r.Host
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		address.Scheme = "https"
	}
	return address.String()
}
