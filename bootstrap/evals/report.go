package evals

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Result is the result of one task.
type Result struct {
	Task string `json:"task"`
	// Attempt counts the runs of one task, from 1.
	Attempt int `json:"attempt"`
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
	Steps       int   `json:"steps"`
	InputTokens int64 `json:"inputTokens"`
	// CachedTokens of InputTokens were read from the vendor's prompt cache.
	CachedTokens int64 `json:"cachedTokens"`
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
	r.InputTokens, r.CachedTokens, r.OutputTokens = events.used.InputTokens, events.used.CachedTokens, events.used.OutputTokens
	r.Cost = events.cost
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

// Failed counts the results that did not pass.
func Failed(results []Result) int { return len(results) - passes(results) }

func passes(results []Result) int {
	n := 0
	for _, r := range results {
		n += one(r.Passed)
	}
	return n
}

// WriteTable writes a line for each task and one with the sums, then the failures and
// their reasons. With several attempts a line has the sums of its task, the rate of those
// that passed, and where the true rate is with a confidence of 95 %.
func WriteTable(out io.Writer, results []Result) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "task\tpassed\tlanded\tbuilt\tchecks\tedits\tsteps\ttokens\tcached\tcost\ttime")
	tasks := byTask(results)
	for _, attempts := range tasks {
		fmt.Fprintln(table, line(attempts[0].Task, attempts))
	}
	fmt.Fprintln(table, line(fmt.Sprintf("%d tasks", len(tasks)), results))
	if err := table.Flush(); err != nil {
		return err
	}
	return writeFailures(out, results)
}

// byTask groups results by task, in the order in which the tasks first come.
func byTask(results []Result) [][]Result {
	var groups [][]Result
	at := map[string]int{}
	for _, r := range results {
		i, known := at[r.Task]
		if !known {
			i, groups = len(groups), append(groups, nil)
			at[r.Task] = i
		}
		groups[i] = append(groups[i], r)
	}
	return groups
}

// line sums results up.
func line(name string, results []Result) string {
	var sum Result
	var landed, built, checks, good int
	for _, r := range results {
		landed, built = landed+one(r.Landed), built+one(r.Built)
		checks, good = checks+len(r.Checks), good+r.checksPassed()
		sum.add(r)
	}
	n := len(results)
	took := time.Duration(sum.Millis) * time.Millisecond
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d/%d\t%d/%d\t%d\t%d\t%d\t$%.4f\t%s", name, rate(passes(results), n), share(landed, n), share(built, n),
		good, checks, sum.EditsLanded, sum.Edits, sum.Steps, sum.InputTokens+sum.OutputTokens, sum.CachedTokens, sum.Cost, took.Round(10*time.Millisecond))
}

func (r *Result) add(other Result) {
	r.Edits, r.EditsLanded, r.Steps = r.Edits+other.Edits, r.EditsLanded+other.EditsLanded, r.Steps+other.Steps
	r.InputTokens, r.OutputTokens = r.InputTokens+other.InputTokens, r.OutputTokens+other.OutputTokens
	r.CachedTokens += other.CachedTokens
	r.Cost, r.Millis = r.Cost+other.Cost, r.Millis+other.Millis
}

// share is yes or no for one result, a fraction for more.
func share(k, n int) string {
	if n == 1 {
		return yes(k == 1)
	}
	return fmt.Sprintf("%d/%d", k, n)
}

// rate is share with the interval of the true rate.
func rate(k, n int) string {
	if n == 1 {
		return share(k, n)
	}
	low, high := wilson(k, n)
	return fmt.Sprintf("%d/%d %.0f%% (%.0f–%.0f%%)", k, n, 100*float64(k)/float64(n), 100*low, 100*high)
}

// confidence95 is the quantile of the normal distribution for a confidence of 95 %.
const confidence95 = 1.959964

// wilson returns the score interval of a rate of which k in n were seen (Wilson 1927). It
// stays within 0 and 1 and makes sense for few attempts, unlike the normal approximation.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	count, seen := float64(n), float64(k)/float64(n)
	const square = confidence95 * confidence95
	middle := (seen + square/(2*count)) / (1 + square/count)
	reach := confidence95 / (1 + square/count) * math.Sqrt(seen*(1-seen)/count+square/(4*count*count))
	return max(0, middle-reach), min(1, middle+reach)
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
	several := len(byTask(results)) < len(results)
	for _, r := range results {
		if r.Passed {
			continue
		}
		if several {
			say("\n%s, attempt %d\n", r.Task, r.Attempt)
		} else {
			say("\n%s\n", r.Task)
		}
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
