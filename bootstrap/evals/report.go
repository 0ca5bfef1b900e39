package evals

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Result is the result of one task.
type Result struct {
	Task string `json:"task"`
	// Passed means that the run landed and every check passes.
	Passed bool `json:"passed"`
	// Landed means that the run ended by itself and left what it should: a version with
	// changes or, for a task that changes nothing, no version.
	Landed bool `json:"landed"`
	// Built means that the project builds afterwards.
	Built bool `json:"built"`
	// End is done, stopped or limit, or the error code with which the run ended, "" if it
	// has not ended. Message belongs to a code.
	End     string        `json:"end"`
	Message string        `json:"message,omitempty"`
	Checks  []CheckResult `json:"checks"`
	// Edits counts the tool calls that change files, EditsLanded the successful ones.
	Edits       int `json:"edits"`
	EditsLanded int `json:"editsLanded"`
	// Steps counts the calls of the model.
	Steps        int   `json:"steps"`
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	// Cost is in USD.
	Cost   float64 `json:"cost"`
	Millis int64   `json:"millis"`
	// Error says why the task could not be run or judged, "" if it was.
	Error string `json:"error,omitempty"`
}

// CheckResult is the result of one check. Why is "" if it passed.
type CheckResult struct {
	Check  string `json:"check"`
	Passed bool   `json:"passed"`
	Why    string `json:"why,omitempty"`
}

// count copies the run's figures.
func (r *Result) count(events *tally, took time.Duration) {
	r.End, r.Message = events.end()
	r.Edits, r.EditsLanded, r.Steps = events.edits, events.landed, events.steps
	r.InputTokens, r.OutputTokens, r.Cost = events.used.InputTokens, events.used.OutputTokens, events.cost
	r.Millis = took.Milliseconds()
}

// judge applies the task's checks to the outcome of the run.
func (r *Result) judge(task Task, left outcome, events *tally) {
	if n := len(events.ends); n != 1 {
		r.Error = fmt.Sprintf("the run has %d last events", n)
	}
	changed := len(left.changes()) > 0
	r.Built = left.problem == ""
	r.Landed = r.End == string(core.ReasonDone) && changed == (task.Changes == changesSome) && events.version == changed
	for i, check := range task.Checks {
		why := check.judge(left)
		r.Checks[i] = CheckResult{Check: check.Label(), Passed: why == "", Why: why}
	}
}

func (r Result) passed() bool {
	return r.Error == "" && r.Landed && r.checksPassed() == len(r.Checks)
}

func (r Result) checksPassed() int {
	n := 0
	for _, check := range r.Checks {
		if check.Passed {
			n++
		}
	}
	return n
}

// Failed counts the tasks that did not pass.
func Failed(results []Result) int {
	n := 0
	for _, r := range results {
		if !r.Passed {
			n++
		}
	}
	return n
}

// WriteTable writes a line for each task and one with the sums, then the failures and
// their reasons.
func WriteTable(out io.Writer, results []Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "task\tpassed\tlanded\tbuilt\tchecks\tedits\tsteps\ttokens\tcost\ttime")
	var sum Result
	var passed, landed, built, checks, good int
	for _, r := range results {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", r.Task, yes(r.Passed), yes(r.Landed), yes(r.Built), r.figures(r.checksPassed(), len(r.Checks)))
		passed, landed, built = passed+one(r.Passed), landed+one(r.Landed), built+one(r.Built)
		checks, good = checks+len(r.Checks), good+r.checksPassed()
		sum.add(r)
	}
	n := len(results)
	fmt.Fprintf(table, "%d tasks\t%d/%d\t%d/%d\t%d/%d\t%s\n", n, passed, n, landed, n, built, n, sum.figures(good, checks))
	if err := table.Flush(); err != nil {
		return err
	}
	return writeFailures(out, results)
}

func (r *Result) add(other Result) {
	r.Edits, r.EditsLanded, r.Steps = r.Edits+other.Edits, r.EditsLanded+other.EditsLanded, r.Steps+other.Steps
	r.InputTokens, r.OutputTokens = r.InputTokens+other.InputTokens, r.OutputTokens+other.OutputTokens
	r.Cost, r.Millis = r.Cost+other.Cost, r.Millis+other.Millis
}

// figures returns the cells after those with yes or no.
func (r Result) figures(good, checks int) string {
	took := time.Duration(r.Millis) * time.Millisecond
	return fmt.Sprintf("%d/%d\t%d/%d\t%d\t%d\t$%.4f\t%s", good, checks, r.EditsLanded, r.Edits, r.Steps,
		r.InputTokens+r.OutputTokens, r.Cost, took.Round(10*time.Millisecond))
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

// writeFailures says why tasks did not pass.
func writeFailures(out io.Writer, results []Result) error {
	var err error
	say := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(out, format, args...)
		}
	}
	for _, r := range results {
		if r.Passed {
			continue
		}
		say("\n%s\n", r.Task)
		if r.Error != "" {
			say("  error: %s\n", r.Error)
		}
		if r.End != string(core.ReasonDone) {
			say("  it ended with %q: %s\n", r.End, r.Message)
		} else if !r.Landed {
			say("  it did not land: %d of %d edits did\n", r.EditsLanded, r.Edits)
		}
		for _, check := range r.Checks {
			if !check.Passed {
				say("  failed: %s: %s\n", check.Check, check.Why)
			}
		}
	}
	return err
}

// WriteJSON writes the results as one JSON array.
func WriteJSON(out io.Writer, results []Result) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(results)
}
