package local

import (
	"log/slog"

	"github.com/atelierhq/atelier/adapters/otlp"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/ports/tracing"
)

// openTracer sends traces if a collector is named. The App closes the tracer.
func openTracer(s settings.Settings, parts Parts, log *slog.Logger) tracing.Tracer {
	switch {
	case parts.Tracer != nil:
		return parts.Tracer
	case s.Traces.Endpoint == nil:
		return tracing.Off{}
	}
	return otlp.New(otlp.Config{
		Endpoint: s.Traces.Endpoint, Headers: s.Traces.Headers, Service: s.Traces.Service, Version: s.Version, Ratio: s.Traces.Ratio, Log: log,
	})
}
