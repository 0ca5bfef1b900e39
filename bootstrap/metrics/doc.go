// Package metrics counts what operators watch: decorators of use cases and ports add to a
// telemetry.Tally, and gauges read what the process holds when the metrics are requested.
package metrics
