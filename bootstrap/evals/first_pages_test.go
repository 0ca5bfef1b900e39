package evals

import (
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/demo"
	embedded "github.com/atelierhq/atelier/testdata/evals"
)

// firstPages are the tasks of the set first-pages.
func firstPages(t *testing.T, only string) []Task {
	t.Helper()
	folder, err := fs.Sub(embedded.Tasks, "first-pages")
	if err != nil {
		t.Fatal(err)
	}
	tasks, err := Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	tasks, err = Select(tasks, only)
	if err != nil {
		t.Fatal(err)
	}
	return tasks
}

// TestTheDemosFirstPagesAreSound builds the studio's four examples with the demo, and looks at
// them in a real browser.
func TestTheDemosFirstPagesAreSound(t *testing.T) {
	for name, result := range runAll(t, demo.New(), firstPages(t, "habit-tracker,bakery-page,invoice-maker,capitals-quiz")) {
		if !result.Passed {
			t.Errorf("%s: got %s\nwant a sound page", name, show(t, result))
		}
	}
}

// TestAPoorFirstPageFails has the demo put a sentence on the page for a wish that it does not
// understand, as a poor model would.
func TestAPoorFirstPageFails(t *testing.T) {
	tasks := firstPages(t, "repair-cafe")
	tasks[0].Prompt = `Add "` + strings.Repeat("long", 40) + `"`
	result := runAll(t, demo.New(), tasks)["repair-cafe"]
	wide := slices.ContainsFunc(result.Checks, func(c CheckResult) bool { return strings.Contains(c.Why, "wider than the window") })
	left := slices.ContainsFunc(result.Checks, func(c CheckResult) bool { return !c.Passed && strings.Contains(c.Check, "This page is all yours") })
	if result.Passed || !result.Built || !wide || !left {
		t.Errorf("got %s\nwant a page that is too wide, and the template's words in it", show(t, result))
	}
}
