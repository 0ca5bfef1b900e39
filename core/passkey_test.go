package core_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestThePasskeyCounterOnlyGrows(t *testing.T) {
	t.Parallel()
	for _, use := range []struct {
		before, count int64
		works         bool
	}{
		{0, 0, true},
		{0, 1, true},
		{7, 8, true},
		{7, 1 << 31, true},
		{7, 7, false},
		{7, 6, false},
		{7, 0, false},
	} {
		passkey := core.Passkey{SignCount: use.before}
		if got := passkey.Use(use.count, 5); got != use.works {
			t.Errorf("%d after %d: got %v, want %v", use.count, use.before, got, use.works)
		}
		want := core.Passkey{SignCount: use.before}
		if use.works {
			want = core.Passkey{SignCount: use.count, LastUsedAt: new(core.Time(5))}
		}
		if passkey.SignCount != want.SignCount || (passkey.LastUsedAt == nil) != (want.LastUsedAt == nil) {
			t.Errorf("%d after %d: got %+v, want %+v", use.count, use.before, passkey, want)
		}
	}
}
