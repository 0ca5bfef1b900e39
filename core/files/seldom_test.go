package files_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// away is a registry that cannot be reached.
type away struct{ unsaved.Registry }

func (away) Save(context.Context, core.ID) error {
	return core.Errorf(core.CodeUnavailable, "away")
}

func TestEditsThatCannotBeSavedAreNotLoggedAtEveryCall(t *testing.T) {
	f := newFixture(t)
	var log bytes.Buffer
	now := time.Now()
	f.deps.Unsaved, f.deps.Log, f.deps.Now = away{}, slog.New(slog.NewTextHandler(&log, nil)), func() time.Time { return now }
	f.restart()
	for want := 1; want <= 3; want++ {
		for range 50 {
			_, err := f.pipeline.List(f.ctx, f.project)
			f.must(err)
		}
		if got := strings.Count(log.String(), "edits were not saved"); got != want {
			t.Errorf("got %d lines after %d × 50 calls, want one each", got, want)
		}
		now = now.Add(11 * time.Second)
	}
}
