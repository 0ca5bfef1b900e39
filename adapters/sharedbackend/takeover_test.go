package sharedbackend_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/storage"
)

// lease is that of the tests.
const lease = 2 * time.Second

func notes() backend.Schema {
	everybody := ""
	return backend.Schema{Collections: []backend.Collection{{
		ID: "pbc_notes", Name: "notes", Type: backend.Base, Rules: backend.Rules{Create: &everybody, List: &everybody},
		Fields: []backend.Field{{ID: "f_text", Name: "text", Type: "text"}},
	}}}
}

// create creates a record and returns the status.
func create(t *testing.T, at backend.Engine, place backend.Place, text string) int {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/collections/notes/records", strings.NewReader(fmt.Sprintf(`{"text":%q}`, text)))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	at.Serve(w, r, place, backend.Identity{})
	return w.Code
}

// texts returns the texts of all records; it waits until the data is available.
func texts(t *testing.T, at backend.Engine, place backend.Place) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for page := 1; ; page++ {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, fmt.Sprintf("/api/collections/notes/records?perPage=500&page=%d", page), nil)
		var w *httptest.ResponseRecorder
		conformance.Eventually(t, "a list of records", func() bool {
			w = httptest.NewRecorder()
			at.Serve(w, r.Clone(t.Context()), place, backend.Identity{})
			return w.Code == http.StatusOK
		})
		var list struct {
			Items []struct{ Text string }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &list); err != nil {
			t.Fatal(err)
		}
		if len(list.Items) == 0 {
			return found
		}
		for _, item := range list.Items {
			found[item.Text] = true
		}
	}
}

// stallingStore is the store of a process that loses its claims when stall is called, and not
// before: until then its claims outlive whatever keeps the machine busy.
type stallingStore struct {
	storage.Store
	claims *stallingClaims
}

func newStallingStore(of storage.Store) stallingStore {
	return stallingStore{of, &stallingClaims{DataClaims: of.Tables().DataClaims}}
}

// Tables implements storage.Store.
func (s stallingStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.DataClaims = s.claims
	return tables
}

type stallingClaims struct {
	storage.DataClaims

	mu      sync.Mutex
	owner   core.ID
	stalled bool
}

// Renew implements storage.DataClaims.
func (s *stallingClaims) Renew(ctx context.Context, owner core.ID, until core.Time) ([]core.ID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stalled {
		return nil, core.Errorf(core.CodeUnavailable, "the database is away")
	}
	return s.DataClaims.Renew(ctx, owner, until.Add(time.Hour))
}

// Claim implements storage.DataClaims.
func (s *stallingClaims) Claim(ctx context.Context, claim core.DataClaim, now core.Time) (core.DataClaim, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stalled {
		return claim, core.Errorf(core.CodeUnavailable, "the database is away")
	}
	s.owner, claim.HeldUntil = claim.Owner, claim.HeldUntil.Add(time.Hour)
	return s.DataClaims.Claim(ctx, claim, now)
}

// stall keeps the process from its claims, which end after the lease.
func (s *stallingClaims) stall(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalled = true
	if _, err := s.DataClaims.Renew(t.Context(), s.owner, core.At(time.Now().Add(lease))); err != nil {
		t.Fatal(err)
	}
}

func (s *stallingClaims) goOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stalled = false
}

func TestAnotherProcessTakesOverWithoutLoss(t *testing.T) {
	shared := newInstallation(t)
	store := newStallingStore(shared.store)
	owner := shared.start(t, "owner", store, options{lease: lease})
	next := shared.start(t, "next", shared.store, options{lease: lease})
	place := backend.Place{Project: core.NewID(), Env: core.DataLive}
	if err := owner.Apply(t.Context(), place, notes()); err != nil {
		t.Fatal(err)
	}
	var acknowledged []string
	for i := range 50 {
		text := fmt.Sprint("before ", i)
		// A process that cannot tell whether its lease is over refuses for a moment.
		conformance.Eventually(t, "a record", func() bool { return create(t, []backend.Engine{owner, next}[i%2], place, text) == http.StatusOK })
		acknowledged = append(acknowledged, text)
	}
	// From now on the owner cannot extend its claim, but goes on as long as that lasts.
	store.claims.stall(t)
	conformance.Eventually(t, "another owner", func() bool {
		text := "meanwhile " + string(core.NewID())
		if create(t, owner, place, text) == http.StatusOK {
			acknowledged = append(acknowledged, text)
		}
		text = "after " + string(core.NewID())
		if create(t, next, place, text) != http.StatusOK {
			return false
		}
		acknowledged = append(acknowledged, text)
		return create(t, owner, place, "late "+string(core.NewID())) == http.StatusServiceUnavailable
	})
	found := texts(t, next, place)
	for _, text := range acknowledged {
		if !found[text] {
			t.Errorf("the acknowledged record %q is lost", text)
		}
	}
	store.claims.goOn()
	conformance.Eventually(t, "the former owner as one that forwards", func() bool { return create(t, owner, place, "forwarded") == http.StatusOK })
	if !texts(t, next, place)["forwarded"] {
		t.Error("got no record that the former owner forwarded")
	}
}

// TestAnEngineThatIsFencedAcknowledgesNothing takes the data away from an engine that does not know
// of it, as one that stood still does not.
func TestAnEngineThatIsFencedAcknowledgesNothing(t *testing.T) {
	shared := newInstallation(t)
	stale := shared.start(t, "stale", shared.store, options{}).local
	next := shared.start(t, "next", shared.store, options{}).local
	place := backend.Place{Project: core.NewID(), Env: core.DataTest}
	for _, step := range []error{stale.Hold(t.Context(), place.Project, 3), stale.Apply(t.Context(), place, notes())} {
		if step != nil {
			t.Fatal(step)
		}
	}
	for i := range 10 {
		if status := create(t, stale, place, fmt.Sprint("before ", i)); status != http.StatusOK {
			t.Fatalf("a create answered %d", status)
		}
	}
	if err := next.Hold(t.Context(), place.Project, 4); err != nil {
		t.Fatal(err)
	}
	if found := texts(t, next, place); len(found) != 10 {
		t.Errorf("got %d records, want 10", len(found))
	}
	for i := range 3 {
		if status := create(t, stale, place, fmt.Sprint("late ", i)); status == http.StatusOK {
			t.Error("the former holder acknowledged a record")
		}
	}
	if status := create(t, next, place, "own"); status != http.StatusOK {
		t.Errorf("the holder answered %d", status)
	}
	if err := stale.Hold(t.Context(), place.Project, 2); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("a lower token: got %v, want code %s", err, core.CodeConflict)
	}
	if err := errorsOf(next.Leave(t.Context(), place.Project), next.Hold(t.Context(), place.Project, 5)); err != nil {
		t.Fatal(err)
	}
	found := texts(t, next, place)
	if len(found) != 11 || !found["own"] {
		t.Errorf("got %d records, want the 11 that were acknowledged: %v", len(found), found)
	}
}

func errorsOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestACopyBringsTheProjectToItsSource(t *testing.T) {
	shared := newInstallation(t)
	one := shared.start(t, "one", shared.store, options{})
	two := shared.start(t, "two", shared.store, options{})
	from, to := backend.Place{Project: core.NewID(), Env: core.DataTest}, backend.Place{Project: core.NewID(), Env: core.DataTest}
	for _, step := range []func() error{
		func() error { return one.Apply(t.Context(), from, notes()) },
		func() error { return two.Apply(t.Context(), to, notes()) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if create(t, one, from, "copied") != http.StatusOK || create(t, one, to, "replaced") != http.StatusOK {
		t.Fatal("got no records to copy")
	}
	if err := two.Copy(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	if found := texts(t, two, to); !found["copied"] || found["replaced"] {
		t.Errorf("got %v, want what was copied", found)
	}
}

// TestALongLogIsBegunAnew writes more than a segment and more than the base has.
func TestALongLogIsBegunAnew(t *testing.T) {
	shared := newInstallation(t)
	one := shared.start(t, "one", shared.store, options{})
	place := backend.Place{Project: core.NewID(), Env: core.DataTest}
	if err := one.Apply(t.Context(), place, notes()); err != nil {
		t.Fatal(err)
	}
	filler := strings.Repeat("x", 4000)
	want := map[string]bool{}
	for i := range 60 {
		var batch []json.RawMessage
		for j := range 100 {
			text := fmt.Sprintf("%d-%d %s", i, j, filler)
			want[text] = true
			batch = append(batch, json.RawMessage(fmt.Sprintf(`{"text":%q}`, text)))
		}
		if _, err := one.Insert(t.Context(), place, "notes", backend.Insertion{Records: batch}); err != nil {
			t.Fatal(err)
		}
		if create(t, one, place, fmt.Sprint("single ", i)) != http.StatusOK {
			t.Fatal("a create was refused")
		}
		want[fmt.Sprint("single ", i)] = true
	}
	one.stop()
	two := shared.start(t, "two", shared.store, options{})
	found := texts(t, two, place)
	for text := range want {
		if !found[text] {
			t.Errorf("the record %.20s is lost", text)
		}
	}
}
