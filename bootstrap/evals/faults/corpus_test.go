package faults_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/bootstrap/evals/faults"
)

// small is a folder of one project with one fault.
func small(fault string) fs.FS {
	return fstest.MapFS{
		"shop/template":        {Data: []byte("blank\n")},
		"shop/checks/buy.json": {Data: []byte("{}")},
		"shop/faults/a.txt":    {Data: []byte(fault)},
	}
}

func TestAChangeIsRead(t *testing.T) {
	projects, err := faults.Load(small("It breaks.\ncaught by: buy\n\nsrc/a.ts\n-one\n-two\n+1\n+\n\n-three\n\nsrc/b.ts\n-- item\n+- thing\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := projects[0].Faults[0]
	want := []faults.Edit{{"src/a.ts", "one\ntwo", "1\n"}, {"src/a.ts", "three", ""}, {"src/b.ts", "- item", "- thing"}}
	if got.Name != "a" || got.About != "It breaks." || got.Catcher != "buy" || len(got.Edits) != 3 || [3]faults.Edit(got.Edits) != [3]faults.Edit(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMistakesInChangesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"It breaks.\n\nsrc/a.ts\n-one\n":                  `no check "" to catch it`,
		"It breaks.\ncaught by: sell\n\nsrc/a.ts\n-one\n": `no check "sell"`,
		"It breaks.\ncaught by: buy\n\nsrc/a.ts\n+one\n":  "nothing says where",
		"It breaks.\ncaught by: buy\n":                    "at least one line",
		"It breaks.\ncaught by: buy\n\n-one\n":            "a path",
	} {
		if _, err := faults.Load(small(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestAReportSaysWhatWasMissed(t *testing.T) {
	results := []faults.Result{
		{Project: "shop", Change: "a", About: "It breaks.", Catcher: "buy", Alarms: []string{"buy"}, Millis: 900},
		{Project: "shop", Change: "b", About: "It fails.", Catcher: "smoke", Alarms: []string{"buy"}},
		{Project: "shop", Change: "c", About: "It stops.", Catcher: "buy"},
		{Project: "shop", Change: "d", About: "It shines.", Sound: true},
		{Project: "shop", Change: "e", About: "It glows.", Sound: true, Alarms: []string{"smoke"}, Message: "blank"},
	}
	score := faults.ScoreOf(results)
	if score != (faults.Score{Faults: 3, Caught: 1, Sound: 2, Alarms: 1}) || score.Holds() || !(faults.Score{Faults: 50, Caught: 45, Sound: 50}).Holds() {
		t.Errorf("got %+v, want one of three caught, and one of two questioned", score)
	}
	var table strings.Builder
	if err := faults.WriteTable(&table, results); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"shop     1 of 3", "1 of 2        900 ms", "missed: shop/b (It fails.), which smoke should have caught; it was noticed by buy",
		"missed: shop/c (It stops.), which buy should have caught\n", "false alarm: shop/e (It glows.) by smoke: blank",
	} {
		if !strings.Contains(table.String(), want) {
			t.Errorf("got\n%s\nwant %q", table.String(), want)
		}
	}
}
