package backends_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// kills is how often the service is killed under load.
var kills = flag.Int("kills", 4, "how often the service is killed under load")

// TestFaultsKilledService kills the service while visitors of a site write and a member makes a
// snapshot of live data. What was acknowledged is there, and a listed snapshot is whole.
func TestFaultsKilledService(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, storytest.Template, unlimited)
	b := &book{c.Work}
	b.save(core.BackendSchemaPath, object{"collections": []object{{
		"name": "notes", "listRule": "", "viewRule": "", "createRule": "",
		"fields": []object{{"name": "text", "type": "text"}, {"name": "picture", "type": "file", "maxSelect": 1}},
	}}})
	v := &visitors{book: b, host: b.publishOpen(), acknowledged: map[string]bool{}}
	for round := range *kills {
		known := maps.Clone(v.acknowledged)
		var all sync.WaitGroup
		for writer := range 3 {
			all.Go(func() { v.write(fmt.Sprintf("%d-%d", round, writer)) })
		}
		all.Go(v.snapshot)
		v.awaitOne(known)
		c.KillWithin(200 * time.Millisecond)
		all.Wait()
		c.Restart()
		v.holds(fmt.Sprintf("kill %d", round), v.acknowledged)
		v.restores(fmt.Sprintf("the snapshot of kill %d", round), known)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills, %d records acknowledged, %d snapshots whole", *kills, v.count, v.whole)
	if v.count == 0 {
		t.Error("the service was not killed under load")
	}
}

// visitors are people who write on a site.
type visitors struct {
	*book
	host string

	mu           sync.Mutex
	acknowledged map[string]bool
	count, whole int
}

// awaitOne waits until one more record is acknowledged. It gives up waiting if none is: the service
// may have refused the writers.
func (v *visitors) awaitOne(known map[string]bool) {
	conformance.Becomes(func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		return len(v.acknowledged) > len(known)
	})
}

// try sends a request of a visitor, or of the member for a path of the API. It returns status 0
// if there was no answer.
func (v *visitors) try(method, address, token string, body storytest.Form) (int, []byte) {
	var content io.Reader
	if body.Reader != nil {
		content = body.Reader
	}
	r, err := http.NewRequestWithContext(v.T.Context(), method, address, content)
	if err != nil {
		v.T.Error(err)
		return 0, nil
	}
	r.Header.Set("Content-Type", body.Kind)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := v.Client.Do(r)
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	read, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, nil
	}
	return answer.StatusCode, read
}

// write creates records until the service is gone, each with a file of the same text.
func (v *visitors) write(name string) {
	for i := range 1000 {
		text := fmt.Sprintf("%s-%d", name, i)
		var status int
		var answer []byte
		conformance.Becomes(func() bool {
			status, answer = v.try(http.MethodPost, v.host+"/_data/collections/notes/records", "", form(v.T, []byte(text), "text", text))
			return status != http.StatusTooManyRequests
		})
		switch status {
		case http.StatusOK:
			v.mu.Lock()
			v.acknowledged[text] = true
			v.count++
			v.mu.Unlock()
		case 0, http.StatusServiceUnavailable:
			return
		default:
			v.T.Errorf("a create answered %d %s", status, answer)
			return
		}
	}
}

// snapshot makes a snapshot of live data, if the service lives long enough.
func (v *visitors) snapshot() {
	body := storytest.Form{Reader: bytes.NewReader(nil), Kind: "application/json"}
	switch status, answer := v.try(http.MethodPost, v.URL+v.Path("/backend/live/snapshots"), v.Token, body); status {
	case 0, http.StatusCreated, http.StatusServiceUnavailable:
	default:
		v.T.Errorf("a snapshot answered %d %s", status, answer)
	}
}

// get reads as a visitor; a visitor who is asked to come again does so.
func (v *visitors) get(path string) []byte {
	v.T.Helper()
	var status int
	var answer []byte
	conformance.Becomes(func() bool {
		status, answer = v.try(http.MethodGet, v.host+"/_data/"+path, "", storytest.Form{})
		return status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable
	})
	if status != http.StatusOK {
		v.T.Errorf("%s answered %d %s", path, status, answer)
		return nil
	}
	return answer
}

// holds checks that the site has some records, and the file of each that it has. It returns all.
func (v *visitors) holds(when string, wanted map[string]bool) map[string]bool {
	v.T.Helper()
	found := map[string]bool{}
	for page := 1; ; page++ {
		var list struct {
			Items []struct{ ID, Text, Picture string }
		}
		if err := json.Unmarshal(v.get(fmt.Sprintf("collections/notes/records?perPage=500&page=%d", page)), &list); err != nil {
			v.T.Fatal(err)
		}
		if len(list.Items) == 0 {
			break
		}
		for _, item := range list.Items {
			found[item.Text] = true
			if got := v.get("files/notes/" + item.ID + "/" + item.Picture); string(got) != item.Text {
				v.T.Errorf("%s: the file of %s reads %q", when, item.Text, got)
			}
		}
	}
	for text := range wanted {
		if !found[text] {
			v.T.Errorf("%s: the acknowledged record %s is lost", when, text)
		}
	}
	return found
}

// restores restores the newest snapshot that is listed, goes on with what it holds, and deletes
// all of them: also the one of the data before, which has nothing to do with those to come.
func (v *visitors) restores(what string, known map[string]bool) {
	v.T.Helper()
	path := v.Path("/backend/live/snapshots/")
	if kept := v.snapshots(); len(kept) > 0 {
		v.Must(http.StatusNoContent, http.MethodPost, path+string(kept[0].ID)+"/restore", nil, nil)
		v.acknowledged = v.holds(what, known)
		v.whole++
	}
	for _, snapshot := range v.snapshots() {
		v.Must(http.StatusNoContent, http.MethodDelete, path+string(snapshot.ID), nil, nil)
	}
}

// snapshots lists those of live data, the newest first.
func (v *visitors) snapshots() []core.DataSnapshot {
	v.T.Helper()
	var kept struct{ Items []core.DataSnapshot }
	v.Must(http.StatusOK, http.MethodGet, v.Path("/backend/live/snapshots"), nil, &kept)
	return kept.Items
}
