package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// writeJSON answers with body as JSON.
func writeJSON(w http.ResponseWriter, status int, body any) error {
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

// writeItems answers 200 with a whole list.
func writeItems[T any](w http.ResponseWriter, items []T) error {
	return writeJSON(w, http.StatusOK, map[string]any{"items": notNull(items)})
}

// writePage answers 200 with part of a list. next is "" at its end.
func writePage[T any](w http.ResponseWriter, items []T, next string) error {
	var cursor *string
	if next != "" {
		cursor = &next
	}
	return writeJSON(w, http.StatusOK, map[string]any{"items": notNull(items), "nextCursor": cursor})
}

// notNull makes an empty list of a nil one, which JSON would write as null.
func notNull[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// writeNothing answers 204.
func writeNothing(w http.ResponseWriter) error {
	w.WriteHeader(http.StatusNoContent)
	return nil
}
