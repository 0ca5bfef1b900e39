package aitest

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// RunWindows checks the clauses of ai.WindowReporter that hold whatever a server tells. open returns one that
// reaches its server through the client.
func RunWindows(t *testing.T, open func(client *http.Client) (ai.Provider, error)) {
	reporter := func(t *testing.T, vendor *Recorder) ai.WindowReporter {
		provider, err := open(vendor.Client())
		if err != nil {
			t.Fatal(err)
		}
		reporter, is := provider.(ai.WindowReporter)
		if !is {
			t.Fatalf("got %T, want an ai.WindowReporter", provider)
		}
		return reporter
	}
	t.Run("a refusal is a failure", func(t *testing.T) {
		vendor := &Recorder{Answer: func(string, string) (int, string) {
			return http.StatusUnauthorized, `{"error":"the key ` + Key + ` is wrong"}`
		}}
		told, err := reporter(t, vendor).Window(t.Context(), "m")
		if found := failure(t, err); !found.Refused || told != (ai.Window{}) {
			t.Errorf("got %+v, %v, want nothing told, and the key refused", told, err)
		}
	})
	t.Run("the end of the context ends it", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		vendor := &Recorder{Answer: func(string, string) (int, string) {
			cancel()
			return http.StatusOK, `{}`
		}}
		if _, err := reporter(t, vendor).Window(ctx, "m"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the context's end", err)
		}
	})
	t.Run("a server that tells nothing", func(t *testing.T) {
		vendor := &Recorder{Answer: func(string, string) (int, string) { return http.StatusOK, `{}` }}
		told, err := reporter(t, vendor).Window(t.Context(), "m")
		if told.Observed = false; err != nil && !core.IsCode(err, core.CodeModelUnavailable) || told != (ai.Window{}) {
			t.Errorf("got %+v, %v, want nothing known", told, err)
		}
	})
}
