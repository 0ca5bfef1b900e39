package quickjs_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/ports/functions"
)

// BenchmarkCold measures a call, which always has a fresh isolate.
func BenchmarkCold(b *testing.B) {
	script, err := os.ReadFile("testdata/stripe.js")
	if err != nil {
		b.Fatal(err)
	}
	r := runner(b, quickjs.DefaultLimits())
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		answer(b, r, functions.Call{Code: script, Secrets: map[string]string{"STRIPE_WEBHOOK_SECRET": "s"}})
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds()), "p99-µs")
}

// BenchmarkMemory measures the memory of waiting isolates.
func BenchmarkMemory(b *testing.B) {
	const isolates = 100
	r := runner(b, quickjs.DefaultLimits())
	for b.Loop() {
		host := &countingHost{waiting: make(chan struct{}), release: make(chan struct{})}
		before := resident(b)
		ended := make(chan error, isolates)
		for range isolates {
			go func() {
				_, err := r.Run(b.Context(), functions.Call{
					Code: []byte(`exports.default = () => fetch("https://example.com/")`), Request: functions.Request{Method: "GET", URL: "https://shop.example.com/"},
				}, host)
				ended <- err
			}()
		}
		for range isolates {
			<-host.waiting
		}
		b.ReportMetric(float64(resident(b)-before)/isolates, "B/isolate")
		close(host.release)
		for range isolates {
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
		}
	}
}
