package backends_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestFaultsKilledPublish kills the service while it publishes a page with another schema, and while
// visitors write. The page and the live schema are both new or both old, and nothing is lost that was
// acknowledged.
func TestFaultsKilledPublish(t *testing.T) {
	t.Parallel()
	c := storytest.StartCrash(t, storytest.Template, unlimited)
	b := &book{c.Work}
	b.edit(0)
	v := &visitors{book: b, host: b.publishOpen(), acknowledged: map[string]bool{}}
	b.edit(1)
	began := time.Now()
	b.publish(storytest.Fields{})
	usual := time.Since(began)
	ends := map[bool]int{}
	for round := 2; round < 2+*kills; round++ {
		b.edit(round)
		known := maps.Clone(v.acknowledged)
		var all sync.WaitGroup
		closed, published := make(chan struct{}), make(chan struct{})
		all.Go(func() { defer close(closed); v.write(fmt.Sprint(round)) })
		v.awaitOne(known)
		all.Go(func() {
			defer close(published)
			v.try(http.MethodPost, v.URL+v.Path("/publish"), v.Token, storytest.Form{Reader: strings.NewReader("{}"), Kind: "application/json"})
		})
		within := usual
		if round%4 != 0 {
			// The visitor is refused while the schema is switched.
			select {
			case <-closed:
			case <-published:
			}
			within = usual / 20
		}
		c.KillWithin(within)
		all.Wait()
		c.Restart()
		v.holds(fmt.Sprintf("kill %d", round), v.acknowledged)
		ends[v.wantOneState(round)]++
		b.publish(storytest.Fields{})
		if !v.wantOneState(round) || t.Failed() {
			t.Fatalf("kill %d: the publish afterwards did not bring the new page", round)
		}
	}
	t.Logf("%d new, %d old, %d records acknowledged", ends[true], ends[false], v.count)
}

// edit saves a page with a number, and a schema with so many marks besides.
func (b *book) edit(number int) {
	b.T.Helper()
	fields := []object{{"name": "text", "type": "text"}, {"name": "picture", "type": "file", "maxSelect": 1}}
	for mark := 1; mark <= number; mark++ {
		fields = append(fields, object{"name": fmt.Sprintf("mark%d", mark), "type": "bool"})
	}
	b.Put("index.html", fmt.Sprintf("<!doctype html><title>x</title><p>Page %d.</p>", number))
	b.save(core.BackendSchemaPath, object{"collections": []object{{"name": "notes", "listRule": "", "viewRule": "", "createRule": "", "fields": fields}}})
	if state := b.status(); len(state.Diagnostics) > 0 {
		b.T.Fatalf("got %+v, want the schema in force", state.Diagnostics)
	}
}

// wantOneState checks that the page and the live schema belong together, and reports whether they are
// those of a number, or of the one before.
func (v *visitors) wantOneState(number int) (isNew bool) {
	v.T.Helper()
	var list struct{ Items []object }
	if err := json.Unmarshal(v.get("collections/notes/records?perPage=1"), &list); err != nil || len(list.Items) == 0 {
		v.T.Fatalf("got %+v, %v, want a record", list, err)
	}
	_, hasMark := list.Items[0][fmt.Sprintf("mark%d", number)]
	_, hasLast := list.Items[0][fmt.Sprintf("mark%d", number-1)]
	page := string(v.Fetch(v.host + "/").Body)
	isNew = strings.Contains(page, fmt.Sprintf("Page %d.", number))
	if isNew != hasMark || !isNew && !strings.Contains(page, fmt.Sprintf("Page %d.", number-1)) || !hasLast && number > 1 {
		v.T.Errorf("got the page %.200q with the record %v, want both of number %d, or both of the one before", page, list.Items[0], number)
	}
	return isNew
}
