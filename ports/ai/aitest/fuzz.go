package aitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
)

// Fuzz plays arbitrary data as a vendor's stream and checks what holds for every
// stream. Each chunk has one field, each call has a unique id and JSON for
// arguments, and no more text is emitted than was sent. The usage is not negative,
// and an error is an *ai.Failure.
func Fuzz(t *testing.T, open func(client *http.Client) (ai.Provider, error), data []byte) {
	canned := CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader { return bytes.NewReader(data) }}
	provider, err := open(canned.Client())
	if err != nil {
		t.Fatal(err)
	}
	said, ids := 0, map[string]bool{}
	usage, err := provider.Generate(t.Context(), conversation(), func(chunk ai.Chunk) error {
		if fields := fields(chunk); fields != 1 {
			t.Errorf("chunk %+v: got %d fields set, want 1", chunk, fields)
		}
		said += len(chunk.Text) + len(chunk.Reasoning)
		if chunk.Call == nil {
			return nil
		}
		if chunk.Call.ID == "" || ids[chunk.Call.ID] || !json.Valid(chunk.Call.Args) {
			t.Errorf("call %+v: want an id of its own and arguments that are JSON", chunk.Call)
		}
		ids[chunk.Call.ID] = true
		return nil
	})
	// An invalid byte may become the three of the replacement character.
	if said > 3*len(data) {
		t.Errorf("said %d bytes of %d", said, len(data))
	}
	if usage.InputTokens < 0 || usage.OutputTokens < 0 {
		t.Errorf("usage: got %+v, want none below 0", usage)
	}
	var failure *ai.Failure
	if err != nil && !errors.As(err, &failure) {
		t.Errorf("error: got %v, want an *ai.Failure", err)
	}
}
