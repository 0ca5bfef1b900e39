package faults_test

import (
	"cmp"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/evals/faults"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	embedded "github.com/atelierhq/atelier/testdata/evals"
)

// quick are the projects that the test tries, which take a fifth of the time of all. The benchmark
// tries all.
const quick = "landing-page,static-html"

// corpus is the built-in set, without what is not to be tried, as project or project/change.
func corpus(t testing.TB, only string) []faults.Project {
	t.Helper()
	root, err := fs.Sub(embedded.Tasks, "faults")
	if err != nil {
		t.Fatal(err)
	}
	projects, err := faults.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if only == "" {
		return projects
	}
	return faults.Select(projects, strings.Split(only, ","))
}

// try makes changes and reports the results.
func try(t testing.TB, projects []faults.Project) []faults.Result {
	t.Helper()
	bench, err := faults.New(t.Context(), inmemory.Settings(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := bench.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	results, err := bench.Run(t.Context(), projects, func(r faults.Result) {
		t.Logf("%s: %d ms, %v %s", r.Name(), r.Millis, r.Alarms, r.Message)
	})
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := faults.WriteTable(&table, results); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
	return results
}

// TestARunNoticesWhatItBroke wants nine of ten faults that build noticed by the run itself, and no
// sound change questioned. FAULTS names what else to try.
func TestARunNoticesWhatItBroke(t *testing.T) {
	results := try(t, corpus(t, cmp.Or(os.Getenv("FAULTS"), quick)))
	if score := faults.ScoreOf(results); !score.Holds() {
		t.Errorf("got %+v, want nine of ten faults caught, and no alarm", score)
	}
	// Few faults show on the first page, so the bar alone would hold without the look at it.
	smoked := func(r faults.Result) bool { return r.Catcher == faults.Smoke && r.Caught() }
	if os.Getenv("FAULTS") == "" && !slices.ContainsFunc(results, smoked) {
		t.Error("got no fault caught by the look at the first page, want it at work")
	}
}

func TestTheSetHasFiftyOfEach(t *testing.T) {
	broken, sound := 0, 0
	for _, project := range corpus(t, "") {
		broken, sound = broken+len(project.Faults), sound+len(project.Sound)
	}
	if broken != 50 || sound != 50 {
		t.Errorf("got %d faults and %d sound changes, want fifty of each", broken, sound)
	}
}

// BenchmarkFaults counts what a run notices of all.
func BenchmarkFaults(b *testing.B) {
	for b.Loop() {
		score := faults.ScoreOf(try(b, corpus(b, "")))
		b.ReportMetric(float64(score.Caught), "caught")
		b.ReportMetric(float64(score.Alarms), "alarms")
	}
}
