package dataworker_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/backend/backendtest"
	"github.com/atelierhq/atelier/ports/conformance"
)

// kills is how often the worker is killed under load.
var kills = flag.Int("kills", 25, "how often the worker is killed under load")

// writers is how many write at a time.
const writers = 3

// TestTheLoadIsThatOfTheWorker: what it has open, and how often it died.
func TestTheLoadIsThatOfTheWorker(t *testing.T) {
	n := newNotes(t)
	want := func(when string, open int, failures int64) {
		t.Helper()
		load, err := n.engine.Load(t.Context())
		if err != nil || load.Open != open || (load.Bytes > 0) != (open > 0) || load.Failures != failures {
			t.Errorf("%s: got %+v, %v, want %d open and %d failures", when, load, err, open, failures)
		}
	}
	want("in use", 1, 0)
	gone := n.engine.Kill()
	<-gone
	want("after the kill", 0, 1)
	n.get("/api/health")
	want("in use again", 1, 1)
	n.engine.Close()
	want("at the end", 0, 1)
}

// TestAWorkerThatBreaksTheProtocolIsKilled: it would refuse all requests, and live.
func TestAWorkerThatBreaksTheProtocolIsKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	engine := dataworker.New(dataworker.Config{
		Command: []string{program}, Env: []string{brokenVariable + "=1"}, Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	t.Cleanup(engine.Close)
	place := backend.Place{Project: core.NewID(), Env: core.DataLive}
	refused := func(what string, is bool) {
		t.Helper()
		if !is {
			t.Errorf("%s was not refused", what)
		}
		if gone := engine.Gone(); gone != nil {
			<-gone
		}
	}
	w := httptest.NewRecorder()
	engine.Serve(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/notes/records", nil), place, backend.Identity{})
	refused("a request", w.Code == http.StatusServiceUnavailable)
	refused("a call", core.IsCode(engine.Remove(t.Context(), place), core.CodeUnavailable))
}

// TestFaultsKilledWorker kills the worker during writes and a snapshot. Acknowledged
// records survive, and a snapshot is complete or does not exist.
func TestFaultsKilledWorker(t *testing.T) {
	n := newNotes(t)
	n.get("/api/health")
	for round := range *kills {
		known := maps.Clone(n.acknowledged)
		snapshot, made, before := core.NewID(), make(chan error, 1), n.count.Load()
		var all sync.WaitGroup
		for writer := range writers {
			all.Go(func() { n.write(fmt.Sprintf("%d-%d", round, writer)) })
		}
		all.Go(func() {
			_, err := n.engine.Snapshot(t.Context(), n.place, snapshot)
			made <- err
		})
		for late := time.Now().Add(time.Second); n.count.Load() == before && time.Now().Before(late); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(rand.N(60 * time.Millisecond))
		n.engine.Kill()
		all.Wait()
		n.holds(fmt.Sprintf("kill %d", round), n.acknowledged)
		n.isWhole(fmt.Sprintf("the snapshot of kill %d", round), snapshot, <-made, known)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, %d records acknowledged, %d requests refused, %d snapshots whole", *kills, n.count.Load(), n.refused.Load(), n.whole)
	if n.count.Load() == 0 || n.refused.Load() == 0 || n.whole == 0 {
		t.Error("the worker was not killed under load")
	}
}

// notes is a place whose records have a file each.
type notes struct {
	*harness
	t     testing.TB
	place backend.Place

	mu           sync.Mutex
	acknowledged map[string]bool
	count        atomic.Int64
	refused      atomic.Int64
	whole        int
}

func newNotes(t testing.TB) *notes {
	n := &notes{harness: &harness{dir: t.TempDir()}, t: t, place: backend.Place{Project: core.NewID(), Env: core.DataLive}, acknowledged: map[string]bool{}}
	n.Open(t, backendtest.Service{}, backendtest.Limits{Requests: 100_000})
	everybody := ""
	schema := backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_notes", Name: "notes", Type: backend.Base, Rules: backend.Rules{List: &everybody, View: &everybody, Create: &everybody},
		Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}, {ID: "f_file", Name: "file", Type: "file"}},
	}}}
	if err := n.engine.Apply(t.Context(), n.place, schema); err != nil {
		t.Fatal(err)
	}
	return n
}

// write creates records, each with a file of the same text, until the worker is gone.
func (n *notes) write(name string) {
	for i := range 1000 {
		text := fmt.Sprintf("%s-%d", name, i)
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		file, err := form.CreateFormFile("file", "note.txt")
		if err == nil {
			_, err = file.Write([]byte(text))
		}
		if err == nil {
			err = form.WriteField("text", text)
		}
		if err == nil {
			err = form.Close()
		}
		if err != nil {
			n.t.Error(err)
			return
		}
		r := httptest.NewRequestWithContext(n.t.Context(), http.MethodPost, "/api/collections/notes/records", &body)
		r.Header.Set("Content-Type", form.FormDataContentType())
		switch w := n.serve(r); w.Code {
		case http.StatusOK:
			n.count.Add(1)
			n.mu.Lock()
			n.acknowledged[text] = true
			n.mu.Unlock()
		case http.StatusServiceUnavailable:
			n.refused.Add(1)
			return
		default:
			n.t.Errorf("a create answered %d %s", w.Code, w.Body)
			return
		}
	}
}

func (n *notes) serve(r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	n.engine.Serve(w, r, n.place, backend.Identity{})
	return w
}

// get reads, and retries while the worker is starting.
func (n *notes) get(path string) []byte {
	n.t.Helper()
	var w *httptest.ResponseRecorder
	conformance.Becomes(func() bool {
		w = n.serve(httptest.NewRequestWithContext(n.t.Context(), http.MethodGet, path, nil))
		return w.Code != http.StatusServiceUnavailable
	})
	if w.Code != http.StatusOK {
		n.t.Errorf("%s answered %d %s", path, w.Code, w.Body)
		return nil
	}
	return w.Body.Bytes()
}

// holds checks that the place has the wanted records, and the file of every record it has.
// It returns all records.
func (n *notes) holds(when string, wanted map[string]bool) map[string]bool {
	n.t.Helper()
	found := map[string]bool{}
	for page := 1; ; page++ {
		var list struct {
			Items []struct{ ID, Text, File string }
		}
		if err := json.Unmarshal(n.get(fmt.Sprintf("/api/collections/notes/records?perPage=500&page=%d", page)), &list); err != nil {
			n.t.Fatal(err)
		}
		if len(list.Items) == 0 {
			break
		}
		for _, item := range list.Items {
			found[item.Text] = true
			if got := n.get("/api/files/notes/" + item.ID + "/" + item.File); string(got) != item.Text {
				n.t.Errorf("%s: the file of %s reads %q", when, item.Text, got)
			}
		}
	}
	for text := range wanted {
		if !found[text] {
			n.t.Errorf("%s: the acknowledged record %s is lost", when, text)
		}
	}
	return found
}

// isWhole restores a snapshot and continues with its records. A snapshot that was not
// acknowledged may not exist.
func (n *notes) isWhole(what string, id core.ID, made error, known map[string]bool) {
	n.t.Helper()
	var err error
	conformance.Becomes(func() bool {
		err = n.engine.Restore(n.t.Context(), n.place, id)
		return !core.IsCode(err, core.CodeUnavailable)
	})
	if made != nil && core.IsCode(err, core.CodeNotFound) {
		return
	}
	if err != nil {
		n.t.Errorf("%s: %v", what, err)
		return
	}
	n.whole++
	n.acknowledged = n.holds(what, known)
	if err := n.engine.Forget(n.t.Context(), n.place, id); err != nil {
		n.t.Errorf("%s: %v", what, err)
	}
}
