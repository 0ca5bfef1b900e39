package projects

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestNobodyTakesAllPlacesForArchives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		places, greedy, other := newArchives(), core.NewID(), core.NewID()
		for range archivePlaces {
			if _, err := places.enter(t.Context(), greedy); err != nil {
				t.Fatalf("got %v, want a place", err)
			}
		}
		began := time.Now()
		_, err := places.enter(t.Context(), greedy)
		if waited := time.Since(began); !core.IsCode(err, core.CodeUnavailable) || waited != archiveWait {
			t.Errorf("got %v after %s, want %s after %s", err, waited, core.CodeUnavailable, archiveWait)
		}
		for range archivePlaces {
			leave, err := places.enter(t.Context(), other)
			if err != nil {
				t.Fatalf("got %v, want a place for somebody else", err)
			}
			leave()
		}
	})
}
