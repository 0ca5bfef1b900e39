package sitehost

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/atelierhq/atelier/ports/backend"
)

// Data answers for the records of projects as backends.Service does, or for their functions as
// functions.Service does.
type Data interface {
	Serve(w http.ResponseWriter, r *http.Request, at backend.Place)
}

// answering is what answers for the backends of projects. A nil part means that no project has one.
type answering struct {
	data, functions Data
	visitor         func(r *http.Request) netip.Addr
}

// identify makes a request carry the address of its visitor, by which the engine limits attempts
// to sign in, in the place of its connection's and of what the visitor itself sent.
func (a answering) identify(r *http.Request) {
	if a.visitor != nil {
		if address := a.visitor(r); address.IsValid() {
			r.RemoteAddr = netip.AddrPortFrom(address, 0).String()
		}
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		r.Header.Del(name)
	}
}

// isData reports whether a path belongs to a project's backend: neither a file of the project's
// nor one of its client-side routes ever answers for it.
func isData(path string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return first == "_data" || first == "_fn"
}

// refuseData answers that an application has no backend.
func refuseData(w http.ResponseWriter) {
	backend.Refuse(w, http.StatusNotFound, "This application has no backend.")
}

// showFailure shows why there is no page. Clients of a backend get it in their form, unless a person
// has followed a link.
func showFailure(w http.ResponseWriter, r *http.Request, status int, shown notice) {
	if isData(r.URL.Path) && !strings.Contains(r.Header.Get("Accept"), "text/html") {
		w.Header()["Cache-Control"] = noStore
		backend.Refuse(w, status, shown.Title+".")
		return
	}
	showNotice(w, r, status, shown)
}

// serveData answers a request to a project's backend.
func serveData(of answering, w http.ResponseWriter, r *http.Request, at backend.Place) {
	w.Header()["Cache-Control"] = noStore
	of.identify(r)
	if of.functions != nil && strings.HasPrefix(r.URL.Path, "/_fn/") {
		of.functions.Serve(w, r, at)
		return
	}
	data := of.data
	if data == nil || !strings.HasPrefix(r.URL.Path, "/_data/") {
		refuseData(w)
		return
	}
	if isConfirm(r.URL.Path) {
		showConfirm(w, r)
		return
	}
	if isReturn(r.URL.Path) {
		showReturn(data, w, r, at)
		return
	}
	data.Serve(w, r, at)
}
