package accounts_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// mustEndWithAdvice checks that an error advises the person to connect again.
func mustEndWithAdvice(t *testing.T, err error) {
	t.Helper()
	wantCode(t, "the key", err, core.CodeModelUnavailable)
	if err != nil && !strings.Contains(err.Error(), "/settings/ai") {
		t.Errorf("got %q, want where to connect again", err)
	}
}

func TestAKeyIsRenewedShortlyBeforeItsEnd(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	first := d.key(d.ada, "ada")
	d.now = made.ExpiresAt.Std().Add(-2*time.Minute - time.Millisecond)
	if again := d.key(d.ada, "ada"); again != first || len(d.vendor.renewals) != 0 {
		t.Errorf("got %d renewals, want none so long before the end", len(d.vendor.renewals))
	}
	d.now = d.now.Add(time.Millisecond)
	second := d.key(d.ada, "ada")
	if second == first || len(d.vendor.renewals) != 1 {
		t.Errorf("got %d renewals, want one", len(d.vendor.renewals))
	}
	all, err := d.List(t.Context(), d.ada)
	if err != nil || all[0].ID != made.ID || all[0].KeyHint != "…"+second[len(second)-4:] || *all[0].ExpiresAt != core.At(d.now.Add(8*time.Hour)) {
		t.Errorf("got %+v and %v, want the new key's hint and end", all, err)
	}
	// The vendor's refresh tokens work only once, so the next renewal needs the new
	// one.
	d.now = d.now.Add(9 * time.Hour)
	d.key(d.ada, "ada")
}

func TestParallelCallsRenewAKeyOnce(t *testing.T) {
	// The first is shorter than renewAhead.
	for _, life := range []time.Duration{time.Minute, 8 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t)
			d.vendor.SetTokens(life, true)
			d.connect(d.ada, "ada")
			d.now = d.now.Add(life)
			// The vendor is slow, so that all calls arrive before it answers.
			d.vendor.during = func() { time.Sleep(time.Second) }
			keys := make([]string, 16)
			var group sync.WaitGroup
			for i := range keys {
				group.Go(func() {
					var err error
					if keys[i], err = d.Key(t.Context(), d.ada.UserID); err != nil {
						t.Errorf("got %v, want a key", err)
					}
				})
			}
			group.Wait()
			keys = append(keys, d.key(d.ada, "ada"))
			for _, key := range keys {
				if key != keys[0] {
					t.Error("got two keys, want everybody to have the same")
				}
			}
			if n := len(d.vendor.renewals); n != 1 {
				t.Errorf("%s: got %d renewals, want one", life, n)
			}
		})
	}
}

func TestARefusedRenewalIsNotTriedAgain(t *testing.T) {
	d := newDesk(t)
	d.connect(d.ada, "ada")
	d.now, d.vendor.refuse = d.now.Add(8*time.Hour), true
	for range 3 {
		_, err := d.Key(t.Context(), d.ada.UserID)
		mustEndWithAdvice(t, err)
	}
	if n := len(d.vendor.renewals); n != 1 {
		t.Errorf("got %d renewals, want one", n)
	}
	if err := d.Check(t.Context(), d.ada.UserID); err != nil {
		t.Errorf("got %v, want it still there, for its owner to connect again", err)
	}
	d.vendor.refuse = false
	d.connect(d.ada, "ada")
	d.key(d.ada, "ada")
}

func TestARefusedKeyIsNotTriedAgain(t *testing.T) {
	d := newDesk(t)
	for _, life := range []time.Duration{0, 8 * time.Hour} {
		d.vendor.SetTokens(life, true)
		d.connect(d.ada, "ada")
		mustEndWithAdvice(t, d.Refuse(t.Context(), d.ada.UserID, d.key(d.ada, "ada")))
		_, err := d.Key(t.Context(), d.ada.UserID)
		mustEndWithAdvice(t, err)
	}
	if n := len(d.vendor.renewals); n != 0 {
		t.Errorf("got %d renewals, want none", n)
	}
	all, err := d.List(t.Context(), d.ada)
	if err != nil || *all[0].ExpiresAt != core.At(d.now) {
		t.Errorf("got %+v and %v, want it listed as run out", all, err)
	}
}

func TestAnOldKeysRefusalLeavesTheNewKeyAlone(t *testing.T) {
	d := newDesk(t)
	d.connect(d.ada, "ada")
	old := d.key(d.ada, "ada")
	d.connect(d.ada, "ada")
	mustEndWithAdvice(t, d.Refuse(t.Context(), d.ada.UserID, old))
	if d.key(d.ada, "ada") == old {
		t.Error("got the old key, want the new one")
	}
}

func TestAVendorThatIsDownCostsNoKey(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	d.vendor.SetDown(true)
	d.now = made.ExpiresAt.Std().Add(-time.Minute)
	d.key(d.ada, "ada")
	d.now = made.ExpiresAt.Std()
	_, err := d.Key(t.Context(), d.ada.UserID)
	wantCode(t, "a key that ran out", err, core.CodeUnavailable)
	d.vendor.SetDown(false)
	d.key(d.ada, "ada")
}

func TestWhoLostTheLockLeavesTheRenewalToOthers(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	d.now, d.locks.lost = made.ExpiresAt.Std(), true
	_, err := d.Key(t.Context(), d.ada.UserID)
	wantCode(t, "a renewal whose lock was lost", err, core.CodeUnavailable)
	if n := len(d.vendor.renewals); n != 0 {
		t.Errorf("got %d renewals, want none: the token for it works once", n)
	}
	d.locks.lost = false
	d.key(d.ada, "ada")
}

func TestAKeyWithoutARenewalIsUsedToItsEnd(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	_, err := d.store.Tables().Subscriptions.Update(t.Context(), made.ID, func(s *core.Subscription) error {
		s.SealedRefresh = nil
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	d.now = made.ExpiresAt.Std().Add(-time.Millisecond)
	d.key(d.ada, "ada")
	d.now = made.ExpiresAt.Std()
	_, err = d.Key(t.Context(), d.ada.UserID)
	mustEndWithAdvice(t, err)
}

func TestWhoLeavesDuringARenewalLosesNothing(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	d.now = made.ExpiresAt.Std()
	ctx, leave := context.WithCancel(t.Context())
	d.vendor.during = leave
	if _, err := d.Key(ctx, d.ada.UserID); err != nil {
		t.Errorf("got %v, want the renewal carried to its end", err)
	}
	d.vendor.during = nil
	d.key(d.ada, "ada")
	if n := len(d.vendor.renewals); n != 1 {
		t.Errorf("got %d renewals, want the first to count", n)
	}
}

func TestWhatThePersonDoesDuringARenewalCounts(t *testing.T) {
	d := newDesk(t)
	made := d.connect(d.ada, "ada")
	d.now = made.ExpiresAt.Std()
	d.vendor.during = func() { d.connect(d.ada, "eve") }
	d.key(d.ada, "eve")
	d.vendor.during = func() {
		if err := d.Delete(t.Context(), d.ada, made.ID); err != nil {
			t.Error(err)
		}
	}
	d.now = d.now.Add(8 * time.Hour)
	_, err := d.Key(t.Context(), d.ada.UserID)
	wantCode(t, "a subscription that was removed", err, core.CodeNoProvider)
}
