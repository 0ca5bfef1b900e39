package main

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// schemaFile holds the collections of the guestbook; newColumn is what a second version adds to
// the entries, after textColumn.
const (
	schemaFile = "/files/backend/schema.json"
	textColumn = `{ "name": "text", "type": "text", "required": true, "max": 500 },`
	newColumn  = ` { "name": "mood", "type": "text" },`
)

// attack has the service try what strangers reach of the test data.
func (w *guestbook) attack() error {
	var check struct{ Findings []core.Finding }
	if err := w.call(w.ctx, http.MethodPost, w.path("/backend/check"), nil, &check); err != nil {
		return err
	}
	for _, finding := range check.Findings {
		if finding.Severity == core.FindingHigh {
			return fmt.Errorf("strangers reach too much: %s", finding.Text)
		}
	}
	say("a guest and a stranger were tried on a copy of the data: neither reaches what is not theirs")
	return nil
}

// release publishes the guestbook, whose live data begin empty, and writes an entry there.
func (w *guestbook) release() error {
	if err := w.publish(); err != nil {
		return err
	}
	var live page
	if err := visitor(w.site, "").call(w.ctx, http.MethodGet, entriesPath, nil, &live); err != nil {
		return err
	}
	if len(live.Items) != 0 {
		return fmt.Errorf("the published guestbook has %d entries, want it to begin empty", len(live.Items))
	}
	say("published at %s, where it begins empty", w.site)
	signedIn, id, err := w.signUpAt(w.site, w.email)
	if err != nil {
		return err
	}
	if _, err := w.write(signedIn, id, "Written on the site"); err != nil {
		return err
	}
	say("a visitor writes on the site; the test data do not change")
	return nil
}

// addColumn releases a second version, whose column test and live data get.
func (w *guestbook) addColumn() error {
	var err error
	if w.schema, err = w.fetch(w.ctx, w.base+w.path(schemaFile)); err != nil {
		return err
	}
	if !strings.Contains(w.schema, textColumn) {
		return fmt.Errorf("the schema has no column %s", textColumn)
	}
	if err := w.save(strings.Replace(w.schema, textColumn, textColumn+newColumn, 1)); err != nil {
		return err
	}
	if err := w.publishAgain(); err != nil {
		return err
	}
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		entries, err := w.entries(env)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if err := w.call(w.ctx, http.MethodPatch, w.records(env)+"/"+entry.ID, map[string]string{"mood": "happy"}, new(struct{})); err != nil {
				return err
			}
		}
	}
	say("a second version adds a column; test and live data have it, and a snapshot was made before")
	return w.wantSnapshot()
}

// dropColumn saves a third version without the column: test data wait for a yes, and publishing
// is refused.
func (w *guestbook) dropColumn() error {
	if err := w.save(w.schema); err != nil {
		return err
	}
	plan, err := w.awaitPending()
	if err != nil {
		return err
	}
	for _, step := range plan.Steps {
		say("a third version drops it; the test data wait for a yes: %s", step.Text)
	}
	if err := w.call(w.ctx, http.MethodPost, w.path("/backend/test/apply"), map[string]core.ID{"planId": plan.ID}, new(struct{})); err != nil {
		return err
	}
	err = w.publishAgain()
	var refused *refusal
	if !errors.As(err, &refused) || refused.code != string(core.CodeDataLoss) {
		return fmt.Errorf("got %w from publishing, want a refusal that says what would be lost", err)
	}
	say("publishing is refused (%s) until somebody accepts that", refused.code)
	live, err := w.entries(core.DataLive)
	if err != nil {
		return err
	}
	if len(live) != 1 || live[0].Mood != "happy" {
		return fmt.Errorf("got the live entries %v, want nothing lost", live)
	}
	say("nothing is lost: %q is %s", live[0].Text, live[0].Mood)
	return nil
}

// rollBack goes back to the first deployment, which works with the data of now.
func (w *guestbook) rollBack() error {
	var all struct{ Items []core.Deployment }
	if err := w.call(w.ctx, http.MethodGet, w.path("/deployments"), nil, &all); err != nil {
		return err
	}
	if len(all.Items) != 2 {
		return fmt.Errorf("got %d deployments, want 2", len(all.Items))
	}
	first := all.Items[len(all.Items)-1]
	if err := w.call(w.ctx, http.MethodPost, w.path("/deployments/"+string(first.ID)+"/rollback"), nil, new(struct{})); err != nil {
		return err
	}
	var live page
	if err := visitor(w.site, "").call(w.ctx, http.MethodGet, entriesPath, nil, &live); err != nil {
		return err
	}
	if len(live.Items) != 1 {
		return fmt.Errorf("got %d entries after going back, want 1", len(live.Items))
	}
	say("rolled back to the first deployment: it shows %q, the data of now", live.Items[0].Text)
	return nil
}

// save writes the schema file.
func (w *guestbook) save(schema string) error {
	request, err := http.NewRequestWithContext(w.ctx, http.MethodPut, w.base+w.path(schemaFile), strings.NewReader(schema))
	if err != nil {
		return err
	}
	response, err := w.do(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// publishAgain publishes under the address that the guestbook has.
func (w *guestbook) publishAgain() error {
	return w.call(w.ctx, http.MethodPost, w.path("/publish"), map[string]string{}, new(struct{}))
}

// awaitPending waits until the change of the test data waits for a yes, and returns its plan.
func (w *guestbook) awaitPending() (*core.SchemaPlan, error) {
	for {
		var state struct {
			Environments struct {
				Test struct{ Pending *core.SchemaPlan }
			}
		}
		if err := w.call(w.ctx, http.MethodGet, w.path("/backend"), nil, &state); err != nil {
			return nil, err
		}
		if plan := state.Environments.Test.Pending; plan != nil {
			return plan, nil
		}
		if err := ctxsync.Sleep(w.ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

func (w *guestbook) wantSnapshot() error {
	var all struct{ Items []core.DataSnapshot }
	if err := w.call(w.ctx, http.MethodGet, w.path("/backend/live/snapshots"), nil, &all); err != nil {
		return err
	}
	if len(all.Items) == 0 {
		return errors.New("the live data have no snapshot")
	}
	return nil
}

// entry is a record of the guestbook as its owner sees it.
type entry struct{ ID, Text, Mood string }

// entries returns the entries of an environment.
func (w *guestbook) entries(env core.DataEnv) ([]entry, error) {
	var all struct{ Items []entry }
	err := w.call(w.ctx, http.MethodGet, w.records(env), nil, &all)
	return all.Items, err
}

// records is where members find the entries of an environment.
func (w *guestbook) records(env core.DataEnv) string {
	return w.path("/backend/" + string(env) + "/collections/entries/records")
}
