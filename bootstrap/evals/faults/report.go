package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Result is what became of a change.
type Result struct {
	Project string `json:"project"`
	Change  string `json:"change"`
	About   string `json:"about"`
	// Sound says that the change breaks nothing.
	Sound bool `json:"sound"`
	// Catcher is what should notice a fault, Alarms what did notice the change: names of checks, or
	// Smoke alone. Message is the first alarm's.
	Catcher string   `json:"catcher,omitempty"`
	Alarms  []string `json:"alarms"`
	Message string   `json:"message,omitempty"`
	Millis  int64    `json:"millis"`
}

// Name is the project and the change.
func (r Result) Name() string { return r.Project + "/" + r.Change }

// Caught reports whether what should notice the fault did.
func (r Result) Caught() bool { return !r.Sound && slices.Contains(r.Alarms, r.Catcher) }

// Right reports whether the fault was caught, or the sound change raised no alarm.
func (r Result) Right() bool { return r.Caught() || r.Sound && len(r.Alarms) == 0 }

// Score counts results.
type Score struct {
	Faults int `json:"faults"`
	Caught int `json:"caught"`
	Sound  int `json:"sound"`
	Alarms int `json:"alarms"`
}

// ScoreOf counts results.
func ScoreOf(results []Result) (s Score) {
	for _, r := range results {
		switch {
		case r.Sound && r.Right():
			s.Sound++
		case r.Sound:
			s.Sound, s.Alarms = s.Sound+1, s.Alarms+1
		case r.Caught():
			s.Faults, s.Caught = s.Faults+1, s.Caught+1
		default:
			s.Faults++
		}
	}
	return s
}

// Holds reports whether nine of ten faults are caught without a false alarm.
func (s Score) Holds() bool { return 10*s.Caught >= 9*s.Faults && s.Alarms == 0 }

// WriteJSON writes results.
func WriteJSON(w io.Writer, results []Result) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Score
		Results []Result `json:"results"`
	}{ScoreOf(results), results})
}

// WriteTable writes a line for each project, the sums, and what went wrong.
func WriteTable(w io.Writer, results []Result) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "project\tfaults caught\tfalse alarms\tslowest")
	groups := map[string][]Result{}
	var names []string
	for _, r := range results {
		if groups[r.Project] == nil {
			names = append(names, r.Project)
		}
		groups[r.Project] = append(groups[r.Project], r)
	}
	for _, name := range names {
		row(table, name, groups[name])
	}
	row(table, "all", results)
	if err := table.Flush(); err != nil {
		return err
	}
	for _, r := range results {
		if r.Right() {
			continue
		}
		if _, err := fmt.Fprintln(w, r.wrong()); err != nil {
			return err
		}
	}
	return nil
}

func row(table io.Writer, name string, results []Result) {
	score, slowest := ScoreOf(results), int64(0)
	for _, r := range results {
		slowest = max(slowest, r.Millis)
	}
	fmt.Fprintf(table, "%s\t%d of %d\t%d of %d\t%d ms\n", name, score.Caught, score.Faults, score.Alarms, score.Sound, slowest)
}

// wrong explains a wrong result.
func (r Result) wrong() string {
	if r.Sound {
		return fmt.Sprintf("false alarm: %s (%s) by %s: %s", r.Name(), r.About, strings.Join(r.Alarms, ", "), r.Message)
	}
	by := ""
	if len(r.Alarms) > 0 {
		by = "; it was noticed by " + strings.Join(r.Alarms, ", ")
	}
	return fmt.Sprintf("missed: %s (%s), which %s should have caught%s", r.Name(), r.About, r.Catcher, by)
}
