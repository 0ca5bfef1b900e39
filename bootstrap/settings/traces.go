package settings

import (
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Traces says where traces go. The variables are those of OpenTelemetry.
type Traces struct {
	// Endpoint is the collector's address of traces; nil sends none.
	Endpoint *url.URL
	// Headers are sent to it; they may hold a key.
	Headers map[string]string
	Service string
	// Ratio is the part of traces that is recorded, from 0 to 1.
	Ratio float64
}

// tracesPath is where a collector takes traces, below its address.
const tracesPath = "/v1/traces"

func readTraces(r *reader) Traces {
	read := Traces{Service: r.text("OTEL_SERVICE_NAME", "atelier", isNotEmpty, "a name"), Headers: map[string]string{}, Ratio: 1}
	if got := r.env("OTEL_TRACES_SAMPLER_ARG"); got != "" {
		ratio, err := strconv.ParseFloat(got, 64)
		if err != nil || !(ratio >= 0 && ratio <= 1) {
			r.fail("OTEL_TRACES_SAMPLER_ARG", got, "the part of traces to record, from 0 to 1")
		}
		read.Ratio = ratio
	}
	for pair := range strings.SplitSeq(r.env("OTEL_EXPORTER_OTLP_HEADERS"), ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, escaped, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(escaped))
		if !found || err != nil || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			r.fail("OTEL_EXPORTER_OTLP_HEADERS", "", "headers such as api-key=secret, separated by commas and escaped as in URLs")
			continue
		}
		read.Headers[name] = value
	}
	if got := r.env("OTEL_EXPORTER_OTLP_ENDPOINT"); got != "" {
		parsed, err := url.Parse(got)
		if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
			// The address is not shown: what makes it wrong may be a key.
			r.fail("OTEL_EXPORTER_OTLP_ENDPOINT", "", "an http or https URL without user information, query or fragment")
			return read
		}
		read.Endpoint = parsed.JoinPath(tracesPath)
	}
	return read
}
