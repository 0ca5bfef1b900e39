package rest

import (
	"encoding/json"
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// WriteJSON answers with body as JSON.
func WriteJSON(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return core.Wrap(core.CodeInternal, err, "the answer cannot be written as JSON")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// A client that is gone is no failure of the handler.
	_, _ = w.Write(append(text, '\n'))
	return nil
}

// WriteItems answers 200 with a complete list.
func WriteItems[T any](w http.ResponseWriter, items []T) error {
	return WriteJSON(w, http.StatusOK, map[string]any{"items": EmptyIfNil(items)})
}

// WritePage answers 200 with a page of a list. next is "" on the last page.
func WritePage[T any](w http.ResponseWriter, items []T, next string) error {
	var cursor *string
	if next != "" {
		cursor = &next
	}
	return WriteJSON(w, http.StatusOK, map[string]any{"items": EmptyIfNil(items), "nextCursor": cursor})
}

// EmptyIfNil turns a nil list, which JSON would encode as null, into an empty one.
func EmptyIfNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// WriteNothing answers 204.
func WriteNothing(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
