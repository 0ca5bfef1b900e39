package streams_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/streams"
)

// wantRefused fails the test unless a place was refused with a code and a time to try
// again.
func wantRefused(t *testing.T, what string, err error, want core.Code) {
	t.Helper()
	var refused *core.Error
	if !errors.As(err, &refused) || refused.Code != want || refused.RetryAfter != streams.RetryAfter {
		t.Errorf("%s: got %v, want %s and when to come again", what, err, want)
	}
}

func TestOnePersonLeavesRoomForOthers(t *testing.T) {
	const ofPerson = 100
	budget := streams.New(160, ofPerson)
	var done []func()
	open := func(person core.ID) error {
		end, err := budget.Open(person)
		if err == nil {
			done = append(done, end)
		}
		return err
	}
	for n := range ofPerson {
		if err := open("greedy"); err != nil {
			t.Fatalf("stream %d: got %v, want a place", n, err)
		}
	}
	wantRefused(t, "one stream more", open("greedy"), core.CodeRateLimited)
	for range 60 {
		if err := open("second"); err != nil {
			t.Fatal(err)
		}
	}
	wantRefused(t, "all places taken", open("second"), core.CodeUnavailable)
	if err := open("newcomer"); err != nil {
		t.Errorf("somebody without a stream: got %v, want a place kept for them", err)
	}
	for _, end := range done {
		end()
		end()
	}
	if people, pages := budget.Count(); people != 0 || pages != 0 {
		t.Errorf("got %d and %d places taken at the end, want none", people, pages)
	}
	if err := open("greedy"); err != nil {
		t.Errorf("got %v, want places again", err)
	}
}

func TestPagesOfPreviewsLeaveRoomForPeople(t *testing.T) {
	budget := streams.New(16, 0)
	for preview := range 2 {
		for range 4 {
			if _, err := budget.OpenPage(core.ID(fmt.Sprint("preview", preview))); err != nil {
				t.Fatal(err)
			}
		}
	}
	_, err := budget.OpenPage("preview0")
	wantRefused(t, "a page more of one preview", err, core.CodeRateLimited)
	_, err = budget.OpenPage("another")
	wantRefused(t, "a page of another preview", err, core.CodeUnavailable)
	for n := range 8 {
		if _, err := budget.Open("person"); err != nil {
			t.Errorf("stream %d of a person: got %v, want a place that pages cannot have", n, err)
		}
	}
	if people, pages := budget.Count(); people != 8 || pages != 8 {
		t.Errorf("got %d and %d, want 8 of each", people, pages)
	}
}

func TestPlacesAreGivenOnceEach(t *testing.T) {
	budget := streams.New(64, 10)
	var mu sync.Mutex
	var calls sync.WaitGroup
	given := 0
	for range 50 {
		calls.Go(func() {
			if _, err := budget.Open("person"); err == nil {
				mu.Lock()
				given++
				mu.Unlock()
			}
		})
	}
	calls.Wait()
	if given != 10 {
		t.Errorf("got %d places for one person at once, want 10", given)
	}
}

func TestNoBudgetBoundsNothing(t *testing.T) {
	var budget *streams.Budget
	for range 1000 {
		if _, err := budget.Open("person"); err != nil {
			t.Fatal(err)
		}
		if _, err := budget.OpenPage("project"); err != nil {
			t.Fatal(err)
		}
	}
}
