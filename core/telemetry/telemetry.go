// Package telemetry counts what the service does, for operators. It knows no monitoring
// system: the server of the numbers reads them as samples.
package telemetry

import (
	"cmp"
	"slices"
	"sync"
)

// Metric is something that is counted, under the name that operators see. Names follow
// Prometheus' conventions.
type Metric struct {
	Name, Help string
	// Label is what the values are told apart by, "" for one value. Its words are few and
	// the program's own: never an id, and nothing that people write.
	Label string
}

// What the use cases count.
var (
	Runs       = Metric{"atelier_runs_total", "Runs of the agent that ended, by outcome.", "outcome"}
	ModelCalls = Metric{"atelier_model_calls_total", "Model calls of runs.", ""}
	Tokens     = Metric{"atelier_model_tokens_total", "Tokens of runs' model calls, by direction.", "direction"}
	Cost       = Metric{"atelier_model_cost_dollars_total", "Cost of runs' model calls in USD.", ""}
	Builds     = Metric{"atelier_builds_total", "Builds of projects, by outcome.", "outcome"}
	BuildTime  = Metric{"atelier_build_seconds_total", "Time that builds of projects took, in seconds.", ""}
	Mails      = Metric{"atelier_mails_total", "Tries to send a mail, by outcome.", "outcome"}
)

// Sample is one value of a metric; Word is that of its label.
type Sample struct {
	Metric Metric
	Word   string
	Value  float64
}

// Tally holds counters. It may be used by many goroutines; a nil one counts nothing.
type Tally struct {
	mu     sync.Mutex
	values map[series]float64
}

type series struct {
	metric Metric
	word   string
}

// New returns a tally of zeros.
func New() *Tally { return &Tally{values: map[series]float64{}} }

// Add counts n, which is not negative, for a word of the metric's label.
func (t *Tally) Add(metric Metric, word string, n float64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.values[series{metric, word}] += n
}

// Samples returns what was counted, sorted by name and word.
func (t *Tally) Samples() []Sample {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	samples := make([]Sample, 0, len(t.values))
	for of, value := range t.values {
		samples = append(samples, Sample{of.metric, of.word, value})
	}
	slices.SortFunc(samples, func(a, b Sample) int {
		return cmp.Or(cmp.Compare(a.Metric.Name, b.Metric.Name), cmp.Compare(a.Word, b.Word))
	})
	return samples
}

// Gauge is a value that is read when somebody asks. Read returns at once and is called
// from any goroutine.
type Gauge struct {
	Name, Help string
	Read       func() float64
}
