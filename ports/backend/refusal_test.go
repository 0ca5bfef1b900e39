package backend_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// TestRefusalsHaveTheServicesCode: beside the members that PocketBase's client reads.
func TestRefusalsHaveTheServicesCode(t *testing.T) {
	for status, code := range map[int]core.Code{
		http.StatusBadRequest: core.CodeInvalidRequest, http.StatusNotFound: core.CodeNotFound, http.StatusRequestEntityTooLarge: core.CodePayloadTooLarge,
		http.StatusTooManyRequests: core.CodeRateLimited, http.StatusServiceUnavailable: core.CodeUnavailable, http.StatusInternalServerError: core.CodeInternal,
	} {
		w := httptest.NewRecorder()
		backend.Refuse(w, status, "No.")
		var refusal struct {
			Status  int             `json:"status"`
			Message string          `json:"message"`
			Data    *map[string]any `json:"data"`
			Error   core.Code       `json:"error"`
		}
		err := json.Unmarshal(w.Body.Bytes(), &refusal)
		if err != nil || w.Code != status || w.Header().Get("Content-Type") != "application/json" || refusal.Status != status || refusal.Message != "No." || refusal.Data == nil || refusal.Error != code {
			t.Errorf("got %d %s, %v, want %d with %s", w.Code, w.Body, err, status, code)
		}
	}
}
