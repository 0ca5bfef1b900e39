package aitest

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Refusal is how a provider reports an answer with an HTTP status that refuses, for
// adapters that speak no HTTP.
func Refusal(status int) *ai.Failure {
	err := core.Errorf(core.CodeModelUnavailable, "refused with %d", status)
	err.RetryAfter = 7 * time.Second
	cause := map[int]core.ModelFailure{
		http.StatusUnauthorized: core.FailureKey, http.StatusPaymentRequired: core.FailureCredit, http.StatusTooManyRequests: core.FailureRate,
	}[status]
	if status >= http.StatusInternalServerError {
		cause = core.FailureProvider
	}
	temporary := cause == core.FailureRate || cause == core.FailureProvider
	return &ai.Failure{Err: err, Temporary: temporary, Refused: cause == core.FailureKey, Cause: cause}
}

func reportsRefusals(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	for _, row := range []struct {
		status    int
		temporary bool
		cause     core.ModelFailure
	}{
		{http.StatusBadRequest, false, ""}, {http.StatusUnauthorized, false, core.FailureKey}, {http.StatusForbidden, false, ""},
		{http.StatusNotFound, false, ""}, {http.StatusTooManyRequests, true, core.FailureRate}, {http.StatusInternalServerError, true, core.FailureProvider},
		{http.StatusBadGateway, true, core.FailureProvider}, {http.StatusServiceUnavailable, true, core.FailureProvider},
		{http.StatusPaymentRequired, false, core.FailureCredit},
	} {
		t.Run(http.StatusText(row.status), func(t *testing.T) {
			text := "the key " + Key + " is odd: " + strings.Repeat("x", 1000)
			upstream := open(t, Script{End: Refuses, Status: row.status, RetryAfter: "7", Text: text})
			chunks, usage, err := listen(t.Context(), upstream.Provider)
			failure := failure(t, err)
			if failure.Temporary != row.temporary || failure.Empty {
				t.Errorf("got temporary %v, empty %v, want %v, false", failure.Temporary, failure.Empty, row.temporary)
			}
			if want := row.status == http.StatusUnauthorized; failure.Refused != want {
				t.Errorf("the key is refused: got %v, want %v", failure.Refused, want)
			}
			if failure.Cause != row.cause {
				t.Errorf("cause: got %q, want %q", failure.Cause, row.cause)
			}
			if failure.Err.RetryAfter != 7*time.Second {
				t.Errorf("retry after: got %v, want 7s", failure.Err.RetryAfter)
			}
			if len(chunks) > 0 || usage != (core.Usage{}) {
				t.Errorf("got %d chunks and usage %+v, want none", len(chunks), usage)
			}
			if upstream.Requests() != 1 {
				t.Errorf("requests: got %d, want 1", upstream.Requests())
			}
		})
	}
}

// failure checks what every failure has in common.
func failure(t *testing.T, err error) *ai.Failure {
	t.Helper()
	var failure *ai.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("error: got %v, want an *ai.Failure", err)
	}
	if !core.IsCode(err, core.CodeModelUnavailable) {
		t.Errorf("code: got %s, want %s", core.CodeOf(err), core.CodeModelUnavailable)
	}
	if message := failure.Err.Message; message == "" || len([]rune(message)) > 500 || strings.Contains(message, "\n") {
		t.Errorf("message: got %q, want one short line", message)
	}
	if strings.Contains(err.Error(), Key) {
		t.Errorf("error: got %q, which holds the key", err)
	}
	return failure
}

func reportsBreaks(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	for name, said := range map[string][]ai.Chunk{"after a text": {{Text: "one"}}, "before any": nil} {
		t.Run(name, func(t *testing.T) {
			upstream := open(t, Script{Chunks: said, End: Broken})
			chunks, usage, err := listen(t.Context(), upstream.Provider)
			if failure := failure(t, err); !failure.Temporary || failure.Empty {
				t.Errorf("got temporary %v, empty %v, want true, false", failure.Temporary, failure.Empty)
			}
			if len(chunks) != len(said) || usage.InputTokens <= 0 {
				t.Errorf("got %d chunks and usage %+v, want %d and what was used so far", len(chunks), usage, len(said))
			}
			if upstream.Requests() != 1 {
				t.Errorf("requests: got %d, want 1", upstream.Requests())
			}
		})
	}
}

func reportsComplaints(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	text := "the runner of " + Key + " stopped"
	upstream := open(t, Script{Chunks: []ai.Chunk{{Text: "one"}}, End: Complains, Text: text})
	chunks, _, err := listen(t.Context(), upstream.Provider)
	if failure := failure(t, err); !failure.Temporary || failure.Empty {
		t.Errorf("got temporary %v, empty %v, want true, false", failure.Temporary, failure.Empty)
	}
	if len(chunks) != 1 || upstream.Requests() != 1 {
		t.Errorf("got %d chunks and %d requests, want 1 and 1", len(chunks), upstream.Requests())
	}
}

func reportsEmptiness(t *testing.T, open func(t *testing.T, script Script) Upstream) {
	for name, said := range map[string][]ai.Chunk{"nothing at all": nil, "only reasoning": {{Reasoning: "Hm."}}} {
		t.Run(name, func(t *testing.T) {
			upstream := open(t, Script{Chunks: said, Usage: core.Usage{InputTokens: 5, OutputTokens: 1}})
			_, usage, err := listen(t.Context(), upstream.Provider)
			if failure := failure(t, err); !failure.Empty {
				t.Error("empty: got false, want true")
			}
			if usage.InputTokens != 5 {
				t.Errorf("usage: got %+v, want what the vendor counted", usage)
			}
			if upstream.Requests() != 1 {
				t.Errorf("requests: got %d, want 1", upstream.Requests())
			}
		})
	}
}
