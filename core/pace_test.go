package core_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestAPaceStretchesWaits(t *testing.T) {
	for pace, want := range map[core.Pace]time.Duration{0: time.Second, 1: time.Second, 10: 10 * time.Second} {
		if got := pace.Of(time.Second); got != want {
			t.Errorf("a pace of %d: got %s for a second, want %s", pace, got, want)
		}
	}
}
