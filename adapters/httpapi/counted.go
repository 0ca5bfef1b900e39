package httpapi

import (
	"runtime"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/atelierhq/atelier/core/telemetry"
)

// counted gives Prometheus what the service counts of itself.
type counted struct {
	tally   *telemetry.Tally
	gauges  []telemetry.Gauge
	version string
}

var _ prometheus.Collector = counted{}

// Describe implements prometheus.Collector. Which series there are is known when they are.
func (counted) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (c counted) Collect(into chan<- prometheus.Metric) {
	built := prometheus.NewDesc("atelier_build_info", "The program's version and that of Go; the value is 1.", []string{"version", "goversion"}, nil)
	into <- prometheus.MustNewConstMetric(built, prometheus.GaugeValue, 1, c.version, runtime.Version())
	for _, gauge := range c.gauges {
		into <- prometheus.MustNewConstMetric(prometheus.NewDesc(gauge.Name, gauge.Help, nil, nil), prometheus.GaugeValue, gauge.Read())
	}
	for _, sample := range c.tally.Samples() {
		if sample.Metric.Label == "" {
			into <- prometheus.MustNewConstMetric(prometheus.NewDesc(sample.Metric.Name, sample.Metric.Help, nil, nil), prometheus.CounterValue, sample.Value)
			continue
		}
		described := prometheus.NewDesc(sample.Metric.Name, sample.Metric.Help, []string{sample.Metric.Label}, nil)
		into <- prometheus.MustNewConstMetric(described, prometheus.CounterValue, sample.Value, sample.Word)
	}
}
