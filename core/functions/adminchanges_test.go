package functions_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/functions"
	"github.com/atelierhq/atelier/ports/backend"
)

// obedientRecords does all that it is asked, but in the collection "closed".
type obedientRecords struct{}

func (obedientRecords) ServeFunction(w http.ResponseWriter, r *http.Request, _ backend.Place, _ backend.Identity) {
	if strings.HasPrefix(r.URL.Path, "/api/collections/closed/") {
		w.WriteHeader(http.StatusForbidden)
	}
	_, _ = io.WriteString(w, `{"id":"new","items":[]}`)
}

const changing = `exports.default = async (req, ctx) => {
	const send = (data, method, path, body) => data.send(path, { method, body }).catch(() => null)
	for (const data of [ctx.data.admin, ctx.data]) {
		await send(data, "POST", "/api/collections/orders/records", { a: 1 })
		await send(data, "PATCH", "/api/collections/orders/records/one", { a: 2 })
		await send(data, "PATCH", "/api/collections/orders/records/two", { a: 2 })
		await send(data, "DELETE", "/api/collections/orders/records/one")
		await send(data, "GET", "/api/collections/orders/records")
		await send(data, "PATCH", "/api/collections/closed/records/one", { a: 2 })
		await send(data, "POST", "/api/batch", { requests: [{ method: "DELETE", url: "/api/collections/notes/records/old?x=1" }, { method: "PUT", url: "/api/collections/notes/records", body: { id: "put" } }] })
	}
	return new Response("done")
}`

// TestWhatAFunctionChangesBeyondItsCallersRightsIsInTheAuditLog: who may publish a function changes
// live data with it, so the log has every change, as the function's.
func TestWhatAFunctionChangesBeyondItsCallersRightsIsInTheAuditLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, map[string]string{"change": changing})
		h.deps.Records = obedientRecords{}
		h.Service = functions.New(h.deps)
		h.golive(map[string]string{"change": changing}, map[string]string{"change": "0 1 * * *"})
		h.Start()
		log := func() (told []string) {
			entries, err := h.store.Tables().Audit.List(t.Context(), h.space, core.Page{Limit: 50})
			h.must(err)
			for _, entry := range entries {
				if entry.Action != core.AuditLiveDataChanged || entry.Actor != nil {
					t.Errorf("got the entry %+v, want only changes by no person", entry)
				}
				told = append(told, entry.Target)
			}
			slices.Sort(told)
			return told
		}
		h.want(h.ask(core.DataTest, "GET", "/_fn/change", "", nil), http.StatusOK, "done")
		time.Sleep(2 * time.Minute)
		if got := log(); len(got) != 0 {
			t.Errorf("got %q of test data, want nothing", got)
		}
		h.want(h.ask(core.DataLive, "GET", "/_fn/change", "", nil), http.StatusOK, "done")
		h.want(h.ask(core.DataLive, "GET", "/_fn/change", "", nil), http.StatusOK, "done")
		time.Sleep(2 * time.Minute)
		want := []string{
			`Shop: the function "change" changed 2 records of notes`,
			`Shop: the function "change" changed 4 records of orders: one, two, …`,
			`Shop: the function "change" created 2 records of orders: new, …`,
			`Shop: the function "change" deleted 2 records of notes: old, …`,
			`Shop: the function "change" deleted 2 records of orders: one, …`,
		}
		if got := log(); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		time.Sleep(time.Until(time.Now().Truncate(time.Hour).Add(time.Hour + time.Second)))
		h.must(h.Close(t.Context()))
		if got := log(); len(got) != 2*len(want) || !slices.Contains(got, `Shop: the function "change" created a record of orders: new`) {
			t.Errorf("got %q, want the run by the clock as well, written at the end", got)
		}
	})
}
