package turns_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/pocketbase/turns"
	"github.com/atelierhq/atelier/core"
)

// TestRequestsOfOneWorkspaceLeaveRoomForOthers takes all that one may have, and asks as others.
func TestRequestsOfOneWorkspaceLeaveRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := turns.New()
		served, refused := 0, 0
		for range 100 {
			go func() {
				_, err := shared.Request(t.Context(), "greedy")
				switch {
				case err == nil:
					served++
				case core.IsCode(err, core.CodeUnavailable):
					refused++
				}
			}()
			synctest.Wait()
		}
		for _, other := range []core.ID{"a", "b", "c"} {
			leave, err := shared.Request(t.Context(), other)
			if err != nil {
				t.Fatalf("%s: %v", other, err)
			}
			leave()
		}
		if served == 0 || refused > 0 {
			t.Errorf("%d requests were served and %d refused before their time", served, refused)
		}
		time.Sleep(turns.Patience)
		synctest.Wait()
		if served+refused != 100 || refused == 0 {
			t.Errorf("%d requests were served and %d refused, want all that waited to be refused", served, refused)
		}
	})
}

// TestStatementsOfOneWorkspaceLeaveAProcessor runs statements that never end.
func TestStatementsOfOneWorkspaceLeaveAProcessor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := turns.New()
		for range 50 {
			go func() { _, _ = shared.Statement(t.Context(), "greedy") }()
		}
		synctest.Wait()
		for range 20 {
			leave, err := shared.Statement(t.Context(), "other")
			if err != nil {
				t.Fatal(err)
			}
			leave()
		}
		if got := shared.Running("greedy"); got < 1 || got > 64 {
			t.Errorf("%d statements run", got)
		}
	})
}
