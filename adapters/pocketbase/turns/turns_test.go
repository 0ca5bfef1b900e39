package turns_test

import (
	"runtime"
	"sync/atomic"
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
		var served, refused atomic.Int32
		for range 100 {
			go func() {
				_, err := shared.Request(t.Context(), "greedy")
				switch {
				case err == nil:
					served.Add(1)
				case core.IsCode(err, core.CodeUnavailable):
					refused.Add(1)
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
		if served.Load() == 0 || refused.Load() > 0 {
			t.Errorf("%d requests were served and %d refused before their time", served.Load(), refused.Load())
		}
		time.Sleep(turns.Patience)
		synctest.Wait()
		if served.Load()+refused.Load() != 100 || refused.Load() == 0 {
			t.Errorf("%d requests were served and %d refused, want all that waited to be refused", served.Load(), refused.Load())
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
		if got, want := shared.Running("greedy"), max(1, int64(runtime.GOMAXPROCS(0))-1); got != want {
			t.Errorf("%d statements run, want %d", got, want)
		}
	})
}
