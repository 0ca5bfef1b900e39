package bwrap

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestWhatIsMissingIsLookedForAgainAndWhatWasFoundStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks, missing := 0, errors.New("missing")
		find := cachedProbe(func() error { looks++; return missing }, func(err error) error { return err })
		ask := func(wantErr error, wantLooks int) {
			t.Helper()
			if err := find(); err != wantErr || looks != wantLooks {
				t.Errorf("got %v after %d looks, want %v after %d", err, looks, wantErr, wantLooks)
			}
		}
		ask(missing, 1)
		time.Sleep(probeAgain - time.Second)
		ask(missing, 1)
		missing = nil
		time.Sleep(time.Second)
		ask(nil, 2)
		time.Sleep(24 * time.Hour)
		ask(nil, 2)
	})
}
