// Package telemetry has the service's metrics, for operators. It does not depend on a
// monitoring system: the server of the metrics reads them as samples.
package telemetry

import (
	"cmp"
	"slices"
	"sync"
)

// Metric is a metric with the name that operators see. Names follow Prometheus'
// conventions.
type Metric struct {
	Name, Help string
	// Label distinguishes the values, "" for a single value. Its words are few and the
	// program's own: never an id, and nothing that people write.
	Label string
	// Level says that the values also go down, like the number of active runs.
	Level bool
}

// The metrics of the use cases.
var (
	Runs       = Metric{Name: "atelier_runs_total", Help: "Finished runs of the agent, by outcome.", Label: "outcome"}
	ModelCalls = Metric{Name: "atelier_model_calls_total", Help: "Model calls of runs."}
	Tokens     = Metric{Name: "atelier_model_tokens_total", Help: "Tokens of runs' model calls, by direction; cached ones are part of the input.", Label: "direction"}
	Cost       = Metric{Name: "atelier_model_cost_dollars_total", Help: "Cost of runs' model calls in USD."}
	Builds     = Metric{Name: "atelier_builds_total", Help: "Builds of projects, by outcome.", Label: "outcome"}
	BuildTime  = Metric{Name: "atelier_build_seconds_total", Help: "Duration of builds of projects, in seconds."}
	Sandboxes  = Metric{Name: "atelier_sandboxes", Help: "Commands, servers and other tasks that run in a sandbox or wait for one, by kind.", Label: "kind", Level: true}
	// DataRequests and FunctionRuns are of visitors to sites and previews.
	DataRequests = Metric{Name: "atelier_data_requests_total", Help: "Requests of visitors for the data of applications, by outcome.", Label: "outcome"}
	FunctionRuns = Metric{Name: "atelier_function_requests_total", Help: "Requests of visitors to functions of applications, by outcome.", Label: "outcome"}
	DroppedCalls = Metric{Name: "atelier_backend_log_dropped_total", Help: "Requests and runs of functions that are not in the logs of backends, because too many came at once or they could not be stored."}
	Mails        = Metric{Name: "atelier_mails_total", Help: "Attempts to send a mail, by outcome.", Label: "outcome"}
	Deliveries   = Metric{Name: "atelier_webhook_deliveries_total", Help: "Attempts to deliver an event to a webhook, by outcome.", Label: "outcome"}
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

// Add counts n for a word of the metric's label. n is only negative if the metric is a
// level; 0 shows a series without any count yet.
func (t *Tally) Add(metric Metric, word string, n float64) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.values[series{metric, word}] += n
}

// Enter raises the level of a metric by one for a word of its label, and returns the
// function that lowers it again; calling that twice does nothing more.
func (t *Tally) Enter(metric Metric, word string) (leave func()) {
	t.Add(metric, word, 1)
	return sync.OnceFunc(func() { t.Add(metric, word, -1) })
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

// Gauge is a value that is read on demand. Read is called from any goroutine and returns
// within a second, NaN if the value is unknown.
type Gauge struct {
	Name, Help string
	// Label and Word distinguish gauges of one name; Label is "" for a single one.
	Label, Word string
	Read        func() float64
}
