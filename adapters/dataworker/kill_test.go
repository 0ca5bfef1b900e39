package dataworker_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/backend/backendtest"
)

// kills is how often the worker is killed under load.
const kills = 25

func TestAKilledWorkerLosesNoAcknowledgedRecord(t *testing.T) {
	h := &harness{dir: t.TempDir()}
	h.Open(t, nil, backendtest.Limits{})
	place := backend.Place{Project: core.NewID(), Env: core.DataLive}
	everybody := ""
	notes := backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_notes", Name: "notes", Type: backend.Base, Rules: backend.Rules{Create: &everybody},
		Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}},
	}}}
	if err := h.engine.Apply(t.Context(), place, notes); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	var refused atomic.Int64
	for round := range kills {
		killed := make(chan struct{})
		for i := 0; ; i++ {
			if i == round%7 {
				go func() { h.engine.Kill(); close(killed) }()
			}
			text := fmt.Sprintf("%d-%d", round, i)
			switch status := send(t, h.engine, place, http.MethodPost, fmt.Sprintf(`{"text":%q}`, text), nil); status {
			case http.StatusOK:
				acknowledged = append(acknowledged, text)
			case http.StatusServiceUnavailable:
				refused.Add(1)
			default:
				t.Fatalf("a create answered %d", status)
			}
			if i > round%7 {
				break
			}
		}
		<-killed
	}
	found := map[string]bool{}
	for page := 1; ; {
		var list struct {
			Items []struct{ Text string }
		}
		path := fmt.Sprintf("?perPage=500&page=%d", page)
		if status := send(t, h.engine, place, http.MethodGet, path, &list); status != http.StatusOK {
			continue // the last kill may meet this request
		}
		if len(list.Items) == 0 {
			break
		}
		page++
		for _, item := range list.Items {
			found[item.Text] = true
		}
	}
	for _, text := range acknowledged {
		if !found[text] {
			t.Errorf("the acknowledged record %s is lost", text)
		}
	}
	t.Logf("%d kills, %d records acknowledged, %d requests refused", kills, len(acknowledged), refused.Load())
	if len(acknowledged) == 0 || refused.Load() == 0 {
		t.Error("the worker was not killed under load")
	}
}

// send creates a record from a body, or lists with a query.
func send(t *testing.T, engine *dataworker.Engine, place backend.Place, method, text string, into any) int {
	t.Helper()
	path, body := "/api/collections/notes/records", text
	if method == http.MethodGet {
		path, body = path+text, ""
	}
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	engine.Serve(w, r, place, backend.Identity{Owner: method == http.MethodGet})
	if into != nil && w.Code == http.StatusOK {
		if err := json.Unmarshal(w.Body.Bytes(), into); err != nil {
			t.Fatal(err)
		}
	}
	return w.Code
}
