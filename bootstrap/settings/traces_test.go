package settings

import (
	"maps"
	"strings"
	"testing"
)

func TestTracesAreOffByDefault(t *testing.T) {
	s, err := Read(env(nil))
	if err != nil || s.Traces.Endpoint != nil || s.Traces.Service != "atelier" || s.Traces.Ratio != 1 {
		t.Errorf("got %+v, %v, want no collector", s.Traces, err)
	}
}

func TestSettingsOfTracesAreRead(t *testing.T) {
	for _, address := range []string{"http://collector.example:4318", "http://collector.example:4318/"} {
		s, err := Read(env(map[string]string{
			"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%20b%2Cc=d, x-team = one ,",
			"OTEL_SERVICE_NAME": "shop", "OTEL_TRACES_SAMPLER_ARG": "0.25",
		}))
		if err != nil {
			t.Fatal(err)
		}
		got := s.Traces
		if got.Endpoint.String() != "http://collector.example:4318/v1/traces" || got.Service != "shop" || got.Ratio != 0.25 {
			t.Errorf("%s: got %+v", address, got)
		}
		if want := map[string]string{"api-key": "a b,c=d", "x-team": "one"}; !maps.Equal(got.Headers, want) {
			t.Errorf("got the headers %v, want %v", got.Headers, want)
		}
	}
	s, err := Read(env(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example/otlp"}))
	if err != nil || s.Traces.Endpoint.String() != "https://collector.example/otlp/v1/traces" {
		t.Errorf("got %v, %v, want the path kept", s.Traces.Endpoint, err)
	}
}

func TestBadSettingsOfTracesStopTheStartAndShowNoSecret(t *testing.T) {
	for name, values := range map[string][]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": {"hunter2", "collector:4318", "grpc://collector/hunter2", "http://ada:hunter2@collector", "http://collector?key=hunter2", "http://collector#hunter2", "http://"},
		"OTEL_EXPORTER_OTLP_HEADERS":  {"hunter2", "=hunter2", "a b=hunter2", "key=hunter2%0a", "key=hunter2%zz", "key=hunter2%00"},
		"OTEL_TRACES_SAMPLER_ARG":     {"-0.1", "1.1", "NaN", "half", "Inf"},
	} {
		for _, value := range values {
			_, err := Read(env(map[string]string{name: value}))
			if err == nil || !strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s=%q: got %v, want one line that names it and shows no secret", name, value, err)
			}
		}
	}
}
