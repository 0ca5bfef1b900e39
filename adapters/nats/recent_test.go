package nats

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func TestANoticeIsRecentAsLongAsItMayBeLost(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		later     time.Duration
		away      bool
		wantFirst bool
	}{
		{later: 0, wantFirst: true},
		{later: lossTime, wantFirst: true},
		{later: 3 * lossTime, wantFirst: false},
		{later: time.Hour, away: true, wantFirst: true},
	} {
		d := newRecentNotices()
		d.add("first", now)
		if c.away {
			d.keep()
		}
		// Two notices, so that whatever is too old has had its turn to go.
		for i := range 2 {
			d.add(core.ID(fmt.Sprint(i)), now.Add(c.later*time.Duration(i+1)))
		}
		projects, all := d.take(now.Add(2 * c.later))
		if got := slices.Contains(projects, "first"); got != c.wantFirst || all {
			t.Errorf("%v later, away: %v: got %v, all: %v, want the first among them: %v", c.later, c.away, projects, all, c.wantFirst)
		}
		if projects, all := d.take(now); len(projects) != 0 || all {
			t.Errorf("got %v, all: %v once more, want nothing: it was taken", projects, all)
		}
	}
}

func TestMoreRecentNoticesThanAreRememberedConcernEverybody(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		projects int
		later    time.Duration
		want     bool
	}{
		{maxRecent, 0, false}, {maxRecent + 1, 0, true}, {maxRecent + 1, 2*lossTime + 1, false},
	} {
		d := newRecentNotices()
		for i := range c.projects {
			d.add(core.ID(fmt.Sprint(i)), now)
		}
		projects, all := d.take(now.Add(c.later))
		if all != c.want || len(projects) > maxRecent {
			t.Errorf("%d projects, %v later: got %d and all: %v, want all: %v", c.projects, c.later, len(projects), all, c.want)
		}
	}
}

func TestWhatIsSkippedIsLoggedOnceAMinute(t *testing.T) {
	log := &conformance.Log{}
	s := skipLog{log: newLogger(log)}
	now := time.Unix(1_700_000_000, 0)
	for _, later := range []time.Duration{0, time.Second, quiet - 1, quiet, quiet + 1} {
		s.add(fmt.Errorf("at %v", later), now.Add(later))
	}
	want := []string{"count=1 error=\"at 0s\"", "count=3 error=\"at 1m0s\""}
	for _, line := range want {
		if got := log.String(); !containsOnce(got, line) {
			t.Errorf("got %q, want %q in it once", got, line)
		}
	}
}
