package pocketbase_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/pocketbase"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// viewOf returns a view that everybody may read.
func viewOf(query string) backend.Collection {
	open := ""
	text, _ := json.Marshal(query)
	return backend.Collection{
		ID: "burn00000000001", Name: "burning", Type: backend.View, Rules: backend.Rules{List: &open, View: &open},
		Options: map[string]json.RawMessage{"viewQuery": text},
	}
}

// endless is a query that never ends: not before its first row, or after it.
var endless = map[string]string{
	"before a row": "SELECT n.id AS id, (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE n.id != '') SELECT max(x) FROM c) AS top FROM notes n",
	"after a row":  "SELECT id, top FROM (SELECT id, 1 AS top FROM notes UNION ALL SELECT n.id || 'x' AS id, (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE n.id != '') SELECT max(x) FROM c) AS top FROM notes n)",
}

// slowly fills a place whose view never ends, and opens it with a limit of time.
func slowly(t *testing.T, query string, most time.Duration) (*pocketbase.Engine, backend.Place) {
	t.Helper()
	dir := t.TempDir()
	filled := reopenWith(t, pocketbase.Config{Dir: dir})
	place := aPlace(t, filled, notes(viewOf(query)))
	wants(t, ask(t, filled, place, "POST", "collections/notes/records", `{"text":"one"}`), http.StatusOK, "one")
	if err := filled.Close(); err != nil {
		t.Fatal(err)
	}
	return reopenWith(t, pocketbase.Config{Dir: dir, Limits: pocketbase.Limits{Query: most, Requests: 1e6}}), place
}

// TestAQueryEndsAlsoAfterItsFirstRow has a query burn where the driver does not end it.
func TestAQueryEndsAlsoAfterItsFirstRow(t *testing.T) {
	for name, query := range endless {
		engine, place := slowly(t, query, 100*time.Millisecond)
		t.Log(name)
		wants(t, ask(t, engine, place, "GET", "collections/burning/records?skipTotal=1&perPage=5", ""), http.StatusBadRequest, "The query took longer than 100ms")
	}
}

// TestNeighboursAreServedWhileAWorkspaceBurns counts what runs: the workspace that burns has no
// more than its share of the processors, and its neighbours have their answers before it has any.
func TestNeighboursAreServedWhileAWorkspaceBurns(t *testing.T) {
	engine, place := slowly(t, endless["before a row"], 2*time.Second)
	neighbour := aPlace(t, engine, notes())
	workspace := core.NewID()
	var burning sync.WaitGroup
	var answered sync.Map
	for i := range 4 {
		burning.Go(func() {
			got := askAs(t, engine, place, workspace, "collections/burning/records?skipTotal=1")
			answered.Store(i, got.Code)
		})
	}
	most := max(1, int64(runtime.GOMAXPROCS(0))-1)
	conformance.Eventually(t, "the workspace burns what it may", func() bool { return engine.Running(workspace) == most })
	for range 10 {
		wants(t, ask(t, engine, neighbour, "POST", "collections/notes/records", `{"text":"two"}`), http.StatusOK, "two")
		wants(t, ask(t, engine, neighbour, "GET", "collections/notes/records", ""), http.StatusOK, "two")
		if running := engine.Running(workspace); running > most {
			t.Errorf("%d queries of the workspace run, want at most %d", running, most)
		}
	}
	answered.Range(func(_, code any) bool {
		t.Errorf("a query that burns was answered %v before its neighbours", code)
		return true
	})
	burning.Wait()
	// Who has waited is told to come again, and has not asked for too much.
	answered.Range(func(_, code any) bool {
		if code != http.StatusBadRequest && code != http.StatusServiceUnavailable {
			t.Errorf("a query of the workspace was answered %v", code)
		}
		return true
	})
}

// TestLargeTextsFailInBoundedMemory has views make texts that fill the memory of a worker.
func TestLargeTextsFailInBoundedMemory(t *testing.T) {
	engine := openWith(t, pocketbase.Config{Limits: pocketbase.Limits{Requests: 1e6}})
	place := aPlace(t, engine, notes())
	for range 300 {
		wants(t, ask(t, engine, place, "POST", "collections/notes/records", `{"text":"x"}`), http.StatusOK, "x")
	}
	for query, message := range map[string]string{
		"SELECT id, printf('%.*c', 30000000, 'x') AS big FROM notes":                    "has more than 8 MiB",
		"SELECT id, length(hex(zeroblob(450000000))) AS big FROM notes":                 "has more than 8 MiB",
		"SELECT id, zeroblob(1000000000) AS big FROM notes":                             "has more than 8 MiB",
		"SELECT id, randomblob(100000000) AS big FROM notes":                            "has more than 8 MiB",
		"SELECT id, replace(hex(zeroblob(3000000)), '0', 'xxxxxxxx') AS big FROM notes": "has more than 8 MiB",
		"SELECT id, printf('%.*c', 1000000, 'x') AS big FROM notes":                     "The answer is larger than 32 MiB",
		"SELECT id, printf('%.*c', 5000000, 'x') AS big FROM notes":                     "The answer is larger than 32 MiB",
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := engine.Apply(t.Context(), place, notes(viewOf(query)))
		if err == nil {
			wants(t, ask(t, engine, place, "GET", "collections/burning/records?perPage=300", ""), http.StatusBadRequest, message)
		} else if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "too big") && !strings.Contains(err.Error(), "returns too much") {
			t.Errorf("%s: got %v", query, err)
		}
		runtime.ReadMemStats(&after)
		if made := after.TotalAlloc - before.TotalAlloc; made > 256<<20 {
			t.Errorf("%s: %d MiB were allocated", query, made>>20)
		}
	}
	// A record is bounded, too, and says so.
	wants(t, ask(t, engine, place, "POST", "collections/notes/records", fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", 9<<20))), http.StatusRequestEntityTooLarge, "has more than 8 MiB")
}
