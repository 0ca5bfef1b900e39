package observe

import (
	"crypto/subtle"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
)

// Metrics counts the API's answers, by route and never by path, so that the number of
// series is bounded.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	inFlight prometheus.Gauge
}

// NewMetrics returns the metrics of a service: the API's own, those of tally and gauges,
// and Go's process metrics.
func NewMetrics(tally *telemetry.Tally, gauges []telemetry.Gauge, version string) *Metrics {
	service := tallyCollector{tally, gauges, version}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "atelier_http_requests_total", Help: "Requests answered, by route and status.",
		}, []string{"method", "route", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "atelier_http_request_duration_seconds", Help: "Time until a request was answered, by route.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60},
		}, []string{"method", "route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{Name: "atelier_http_requests_in_flight", Help: "Requests that are being answered."}),
	}
	m.registry.MustRegister(m.requests, m.took, m.inFlight, service,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *Metrics) observe(r *rest.Request, status int, took time.Duration) {
	method := methodLabel(r.Method)
	m.requests.WithLabelValues(method, r.Route(), strconv.Itoa(status)).Inc()
	m.took.WithLabelValues(method, r.Route()).Observe(took.Seconds())
}

// methodLabel keeps clients from creating series.
func methodLabel(method string) string {
	for _, known := range rest.RoutableMethods {
		if method == known {
			return method
		}
	}
	return "other"
}

// Scrape answers with the metrics, to this machine and to bearers of the token.
func Scrape(m *Metrics, token string) rest.Handler {
	answer := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
	return func(w http.ResponseWriter, r *rest.Request) error {
		given := []byte(r.Header.Get("Authorization"))
		bearer := token != "" && subtle.ConstantTimeCompare(given, []byte("Bearer "+token)) == 1
		if !bearer && !rest.IsLocal(r.Request) {
			return core.Errorf(core.CodeForbidden, "metrics require a request from this machine or the bearer token METRICS_TOKEN")
		}
		answer.ServeHTTP(w, r.Request)
		return nil
	}
}
