package sharedbackend_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// TestAProcessDoesNotWaitForItsPredecessor starts processes one after another, of which the first
// ended without letting go of anything. Nothing here waits for a lease of an hour.
func TestAProcessDoesNotWaitForItsPredecessor(t *testing.T) {
	shared := newInstallation(t)
	name, place, claims := filepath.Join(t.TempDir(), "process"), backend.Place{Project: core.NewID(), Env: core.DataLive}, shared.store.Tables().DataClaims
	killed := core.NewID()
	until := core.At(shared.store.Now().Add(time.Hour))
	if _, err := claims.Claim(t.Context(), core.DataClaim{ProjectID: place.Project, Owner: killed, Address: "127.0.0.1:1", HeldUntil: until}, core.At(shared.store.Now())); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(killed), 0o600); err != nil {
		t.Fatal(err)
	}
	next := shared.start(t, "next", shared.store, options{nameFile: name, lease: time.Hour})
	if err := next.Apply(t.Context(), place, notes()); err != nil {
		t.Fatal(err)
	}
	if status := create(t, next, place, "kept"); status != http.StatusOK {
		t.Errorf("got %d, want a record", status)
	}
	left, err := os.ReadFile(name)
	if err != nil || string(left) == string(killed) {
		t.Fatalf("got %q and %v, want another name", left, err)
	}
	// A process beside it leaves its claims alone.
	other := shared.start(t, "other", shared.store, options{nameFile: name, lease: time.Hour})
	if found := texts(t, other, place); !found["kept"] {
		t.Errorf("got %v of a process that still has the data", found)
	}
	if now, err := os.ReadFile(name); err != nil || string(now) != string(left) {
		t.Errorf("got the name %q and %v, want that of the process that lives", now, err)
	}
	claim, err := claims.Claim(t.Context(), core.DataClaim{ProjectID: place.Project, Owner: core.NewID(), Address: "x", HeldUntil: until}, core.At(shared.store.Now()))
	if err != nil || string(claim.Owner) != string(left) || claim.Token != 2 {
		t.Errorf("got %+v and %v, want the claim that the second process has had from the first", claim, err)
	}
}
