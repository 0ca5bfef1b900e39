package functions

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/ports/functions"
)

// hops are header fields that belong to one connection or that the service sets itself.
var hops = []string{"Connection", "Content-Length", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

// own are header fields of answers that only the service sets: the id that people quote when they ask
// for help, what says when and by what a request was answered, and how its body is encoded.
var own = []string{"Content-Encoding", "Date", "Server", "X-Request-Id"}

// endToEnd returns a header without the fields of its connection, also those that Connection names.
func endToEnd(header http.Header) http.Header {
	kept := header.Clone()
	if kept == nil {
		kept = http.Header{}
	}
	for _, names := range kept.Values("Connection") {
		for name := range strings.SplitSeq(names, ",") {
			kept.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hops {
		kept.Del(name)
	}
	return kept
}

// send sends a function's response. It sets no cookies: the hosts of sites and previews use
// none, and a preview's domain also hosts other users' previews. The host's policies on
// frames and content types apply to functions, too.
func send(w http.ResponseWriter, answer functions.Response) {
	header := endToEnd(answer.Header)
	for _, name := range append(slices.Clone(own), "Set-Cookie", "X-Content-Type-Options", "X-Robots-Tag", "Referrer-Policy") {
		header.Del(name)
	}
	// Several policies apply together, so a function can only add restrictions.
	const policy = "Content-Security-Policy"
	header[policy] = append(slices.Clone(w.Header()[policy]), header[policy]...)
	maps.Copy(w.Header(), header)
	if w.Header().Get("Content-Type") == "" && len(answer.Body) > 0 {
		w.Header().Set("Content-Type", "application/octet-stream")
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}

// addressOf returns the URL of a request.
func addressOf(r *http.Request) string {
	address := *r.URL
	address.Scheme, address.Host = "http", r.Host
	if r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") {
		address.Scheme = "https"
	}
	return address.String()
}
