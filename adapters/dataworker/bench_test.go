package dataworker_test

import (
	"testing"
	"time"
)

// BenchmarkKilled measures how long the slowest client is refused after the worker was killed.
func BenchmarkKilled(b *testing.B) {
	n := newNotes(b)
	n.get("/api/collections/notes/records")
	var slowest time.Duration
	for b.Loop() {
		n.engine.Kill()
		began := time.Now()
		n.get("/api/collections/notes/records")
		slowest = max(slowest, time.Since(began))
	}
	b.ReportMetric(float64(slowest.Milliseconds()), "ms-slowest")
}
