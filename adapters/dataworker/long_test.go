package dataworker_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/backend"
)

// TestALongAnswerIsWhole lists more records than are buffered.
func TestALongAnswerIsWhole(t *testing.T) {
	n := newNotes(t)
	text := strings.Repeat("x", 4000)
	var records []json.RawMessage
	for range 500 {
		records = append(records, json.RawMessage(fmt.Sprintf(`{"text":%q}`, text)))
	}
	if _, err := n.engine.Insert(t.Context(), n.place, "notes", backend.Insertion{Records: records}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w := n.serve(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/collections/notes/records?perPage=500", nil))
		var page struct{ Items []struct{ Text string } }
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != http.StatusOK {
			t.Fatalf("got %d, %v with %d bytes", w.Code, err, w.Body.Len())
		}
		if len(page.Items) != len(records) || page.Items[499].Text != text || w.Body.Len() < 1<<20 {
			t.Errorf("got %d records in %d bytes, want all", len(page.Items), w.Body.Len())
		}
	}
}
