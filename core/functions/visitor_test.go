package functions_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/functions"
	"github.com/atelierhq/atelier/ports/backend"
)

// watchedRecords notes from which addresses records are asked for.
type watchedRecords struct {
	functions.Records
	from, forwarded []string
}

// ServeFunction implements functions.Records.
func (w *watchedRecords) ServeFunction(answer http.ResponseWriter, r *http.Request, place backend.Place, as backend.Identity) {
	w.from = append(w.from, r.RemoteAddr)
	w.forwarded = append(w.forwarded, r.Header.Get("X-Forwarded-For")+r.Header.Get("X-Real-IP")+r.Header.Get("Forwarded"))
	w.Records.ServeFunction(answer, r, place, as)
}

// TestRecordsAreAskedForFromTheVisitorsAddress: the engine limits sign-ins by it.
func TestRecordsAreAskedForFromTheVisitorsAddress(t *testing.T) {
	h := newHouse(t, map[string]string{
		"signin": `exports.default = async (req, ctx) => { const out = []; for (const data of [ctx.data, ctx.data.admin]) out.push(await data.send("/api/collections/users/auth-with-password", { method: "POST", headers: { "x-forwarded-for": "198.51.100.7", "x-real-ip": "198.51.100.7", forwarded: "for=198.51.100.7" }, body: { identity: "ada@example.com", password: "a guess" } }).catch((e) => e.status)); return Response.json(out) }`,
	})
	watched := &watchedRecords{Records: h.deps.Records}
	h.deps.Records = watched
	h.Service = functions.New(h.deps)
	h.want(h.ask(core.DataTest, "POST", "/_fn/signin", "", nil), http.StatusOK, "[400,400]")
	// httptest's requests have this address.
	if want := []string{"192.0.2.1:1234", "192.0.2.1:1234"}; !slices.Equal(watched.from, want) {
		t.Errorf("got requests from %q, want %q", watched.from, want)
	}
	if want := []string{"", ""}; !slices.Equal(watched.forwarded, want) {
		t.Errorf("got the addresses %q in headers, want none: a function could choose them", watched.forwarded)
	}
}
