package checks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	membrowser "github.com/atelierhq/atelier/adapters/memory/browser"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/checks"
	"github.com/atelierhq/atelier/ports/browser"
)

// tabCounter counts the open tabs.
type tabCounter struct {
	*membrowser.Browser
	h *house
}

func (c tabCounter) Open(ctx context.Context, page browser.Page) (browser.Tab, error) {
	opened, err := c.Browser.Open(ctx, page)
	if err != nil {
		return nil, err
	}
	now := c.h.tabs.Add(1)
	for most := c.h.most.Load(); now > most && !c.h.most.CompareAndSwap(most, now); most = c.h.most.Load() {
	}
	return countedTab{opened, c.h}, nil
}

type countedTab struct {
	browser.Tab
	h *house
}

func (c countedTab) Close() {
	c.Tab.Close()
	c.h.tabs.Add(-1)
}

// furnishMany writes as many checks as a project has at most.
func (h *house) furnishMany() {
	h.t.Helper()
	h.furnish()
	for i := range core.MaxChecks {
		h.write(fmt.Sprintf(".atelier/checks/check-%03d.json", i), adding)
	}
}

func TestAHundredChecksArePlayedInFewTabs(t *testing.T) {
	h := newHouse(t)
	h.furnishMany()
	told := map[string]bool{}
	results, err := h.Play(t.Context(), h.project, func(one checks.Result) error {
		told[one.Name] = one.Passed
		if len(told) == core.MaxChecks/2 {
			// The list shows the progress.
			listing, err := h.List(t.Context(), h.member, h.project)
			h.must(err)
			played := 0
			for _, item := range listing.Items {
				if item.LastResult != checks.Never {
					played++
				}
			}
			if played < core.MaxChecks/2 {
				t.Errorf("got %d results in the list, want those of %d checks", played, core.MaxChecks/2)
			}
		}
		return nil
	})
	h.must(err)
	sorted := slices.IsSortedFunc(results, func(a, b checks.Result) int { return strings.Compare(a.Name, b.Name) })
	if len(results) != core.MaxChecks || len(told) != core.MaxChecks || !sorted {
		t.Fatalf("got %d results, sorted %t, and was told %d, want %d", len(results), sorted, len(told), core.MaxChecks)
	}
	for _, one := range results {
		if !one.Passed || !told[one.Name] {
			t.Errorf("got %+v, want it to pass", one)
		}
	}
	if most := h.most.Load(); most > browsing.MaxPages || h.tabs.Load() != 0 || len(h.copies) > 0 {
		t.Errorf("got %d tabs at once, %d left, and %d addresses left, want at most %d, and none", most, h.tabs.Load(), len(h.copies), browsing.MaxPages)
	}
}

func TestChecksThatTakeTooLongSaySo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		h.furnishMany()
		h.pause = 10 * time.Second
		began := time.Now()
		failures, err := h.Failures(t.Context(), h.project)
		h.must(err)
		if took := time.Since(began); took > 4*time.Minute {
			t.Errorf("it took %s, want at most 4 minutes", took)
		}
		if len(failures) == 0 || len(failures) == core.MaxChecks {
			t.Fatalf("got %d failures, want those of the checks that were left", len(failures))
		}
		for _, one := range failures {
			if !strings.Contains(one.Message, "all checks together took longer than 3 minutes") {
				t.Errorf("got %q, want that the time was over", one.Message)
			}
		}
		listing, err := h.List(t.Context(), h.member, h.project)
		h.must(err)
		for _, item := range listing.Items {
			if item.LastResult == checks.LastFailed {
				t.Errorf("got %+v, want no failure of what was not played", item)
			}
		}
	})
}

func TestAnErrorEndsAllChecks(t *testing.T) {
	h := newHouse(t)
	h.furnishMany()
	broken, told := errors.New("broken"), 0
	_, err := h.Play(t.Context(), h.project, func(checks.Result) error {
		told++
		return broken
	})
	if !errors.Is(err, broken) || told > browsing.MaxPages || h.tabs.Load() != 0 {
		t.Errorf("got %v after %d results with %d tabs left, want the error", err, told, h.tabs.Load())
	}
}
