package backendtest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// grown is the guestbook with a new field.
func grown() backend.Schema {
	schema := guestbook()
	entries(&schema).Fields = append(entries(&schema).Fields, backend.Field{ID: "f_likes", Name: "likes", Type: "number"})
	return schema
}

// fields returns how many fields the entries have in force.
func (s *suite) fields(t *testing.T) int {
	t.Helper()
	schema, err := s.engine.Schema(t.Context(), s.place)
	conformance.Must(t, err)
	return len(entries(&schema).Fields)
}

func (s *suite) stage(t *testing.T, schema backend.Schema) backend.Switch {
	t.Helper()
	change := backend.Switch{Note: core.NewID(), Snapshot: core.NewID()}
	conformance.Must(t, s.engine.Stage(t.Context(), s.place, schema, change))
	return change
}

// closed checks that nobody can use the place.
func (s *suite) closed(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	got := s.guest().send(t, httptest.NewRequestWithContext(ctx, http.MethodGet, "/api/collections/entries/records", nil))
	if ctx.Err() == nil || got.status != http.StatusServiceUnavailable {
		t.Errorf("a closed place answered %d before the request's time was over, want that the request waits", got.status)
	}
	if got.header.Get("Retry-After") == "" {
		t.Error("a closed place says nothing about when to come back")
	}
	ctx, cancel = context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.engine.Stats(ctx, s.place); err == nil {
		t.Error("Stats of a closed place returned no error")
	}
	if err := s.engine.Stage(t.Context(), s.place, guestbook(), backend.Switch{Note: core.NewID(), Snapshot: core.NewID()}); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("a second Stage returned %v, want code %s", err, core.CodeConflict)
	}
}

func keptSwitch(t *testing.T, s *suite) {
	s.filled(t)
	change := s.stage(t, grown())
	s.closed(t)
	conformance.Must(t, s.engine.Settle(t.Context(), s.place, true))
	conformance.Must(t, s.engine.Settle(t.Context(), s.place, false))
	if got := s.fields(t); got != 5 {
		t.Errorf("the entries have %d fields, want 5", got)
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q", got)
	}
	conformance.Must(t, s.engine.Restore(t.Context(), s.place, change.Snapshot))
	if got := s.fields(t); got != 4 {
		t.Errorf("after the restore the entries have %d fields, want 4", got)
	}
}

// statusOf returns the status of an answer, or why there is none.
func statusOf(answer *http.Response, err error) string {
	if err != nil {
		return err.Error()
	}
	_ = answer.Body.Close()
	return answer.Status
}

// requestsWait checks that requests wait for a switch, and use what is in force afterwards.
func requestsWait(t *testing.T, s *suite) {
	for _, keep := range []bool{true, false} {
		s.filled(t)
		s.stage(t, grown())
		address := s.owner().serve(t).URL + "/api/"
		answered := make(chan string)
		go func() {
			answered <- statusOf(http.Post(address+"collections/entries/records", "application/json", strings.NewReader(`{"text": "late"}`)))
		}()
		go func() { answered <- statusOf(http.Get(address + "realtime")) }()
		s.closed(t)
		conformance.Must(t, s.engine.Settle(t.Context(), s.place, keep))
		for range 2 {
			if got := <-answered; got != "200 OK" {
				t.Errorf("got %s for a request that came while the place was closed, want it answered afterwards", got)
			}
		}
		if got := s.texts(t); !slices.Contains(got, "late") || len(got) != 3 {
			t.Errorf("the records are %q, want the late one, too", got)
		}
		conformance.Must(t, s.engine.Remove(t.Context(), s.place))
	}
}

func undoneSwitch(t *testing.T, s *suite) {
	s.filled(t)
	schema := grown()
	schema.Collections = schema.Collections[:1]
	s.stage(t, schema)
	conformance.Must(t, s.engine.Settle(t.Context(), s.place, false))
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q", got)
	}
	fresh := suite{harness: s.harness, engine: s.engine, place: backend.Place{Project: core.NewID(), Env: core.DataLive}}
	fresh.stage(t, grown())
	conformance.Must(t, s.engine.Settle(t.Context(), fresh.place, false))
	if _, err := s.engine.Schema(t.Context(), fresh.place); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("what was not there before is there: %v", err)
	}
}

func switchSurvives(t *testing.T, s *suite) {
	s.filled(t)
	change := s.stage(t, grown())
	s.engine = s.harness.Reopen(t)
	s.closed(t)
	if got, err := s.engine.Staged(t.Context(), s.place); err != nil || got != change {
		t.Errorf("Staged returned %v, %v; want %v", got, err, change)
	}
	conformance.Must(t, s.engine.Settle(t.Context(), s.place, false))
	if got, err := s.engine.Staged(t.Context(), s.place); err != nil || got != (backend.Switch{}) {
		t.Errorf("Staged returned %v, %v; want nothing", got, err)
	}
	if got := s.fields(t); got != 4 {
		t.Errorf("the entries have %d fields, want 4", got)
	}
}

func wrongSwitch(t *testing.T, s *suite) {
	s.filled(t)
	schema := guestbook()
	entries(&schema).Rules.List = rule("nowhere = 1")
	change := backend.Switch{Note: core.NewID(), Snapshot: core.NewID()}
	if err := s.engine.Stage(t.Context(), s.place, schema, change); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("Stage returned %v, want code %s", err, core.CodeValidationFailed)
	}
	if got := s.texts(t); len(got) != 2 {
		t.Errorf("the records are %q", got)
	}
}
