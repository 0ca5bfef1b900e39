package observe

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/atelierhq/atelier/core/telemetry"
)

// tallyCollector exports the service's own counters to Prometheus.
type tallyCollector struct {
	tally   *telemetry.Tally
	gauges  []telemetry.Gauge
	version string
}

var _ prometheus.Collector = tallyCollector{}

// Describe implements prometheus.Collector. The set of series is not known in advance, so it
// sends none.
func (tallyCollector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c tallyCollector) Collect(into chan<- prometheus.Metric) {
	built := prometheus.NewDesc("atelier_build_info", "The program's version and that of Go; the value is 1.", []string{"version", "goversion"}, nil)
	into <- prometheus.MustNewConstMetric(built, prometheus.GaugeValue, 1, c.version, runtime.Version())
	for _, gauge := range c.gauges {
		into <- labelled(prometheus.GaugeValue, telemetry.Metric{Name: gauge.Name, Help: gauge.Help, Label: gauge.Label}, gauge.Word, gauge.Read())
	}
	for _, sample := range c.tally.Samples() {
		kind := prometheus.CounterValue
		if sample.Metric.Level {
			kind = prometheus.GaugeValue
		}
		into <- labelled(kind, sample.Metric, sample.Word, sample.Value)
	}
}

// labelled is a value of a metric, with the value of its label if it has one.
func labelled(kind prometheus.ValueType, metric telemetry.Metric, word string, value float64) prometheus.Metric {
	if metric.Label == "" {
		return prometheus.MustNewConstMetric(prometheus.NewDesc(metric.Name, metric.Help, nil, nil), kind, value)
	}
	return prometheus.MustNewConstMetric(prometheus.NewDesc(metric.Name, metric.Help, []string{metric.Label}, nil), kind, value, word)
}
