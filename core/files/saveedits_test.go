package files_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// unreachableRegistry is a registry that cannot be reached.
type unreachableRegistry struct{ unsaved.Registry }

func (unreachableRegistry) Save(context.Context, core.ID) error {
	return core.Errorf(core.CodeUnavailable, "away")
}

func TestEditsThatCannotBeSavedAreNotLoggedAtEveryCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		var log bytes.Buffer
		f.deps.Unsaved, f.deps.Log = unreachableRegistry{}, slog.New(slog.NewTextHandler(&log, nil))
		f.restart()
		for want := 1; want <= 3; want++ {
			for range 50 {
				_, err := f.pipeline.List(f.ctx, f.project)
				f.must(err)
			}
			if got := strings.Count(log.String(), "could not save open edits"); got != want {
				t.Errorf("got %d lines after %d × 50 calls, want one each", got, want)
			}
			time.Sleep(11 * time.Second)
		}
	})
}
