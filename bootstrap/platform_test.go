package bootstrap

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// TestACheckOfTheSettingsLoadsNoModel: to tell that a model is there, a server need not put it into its memory.
func TestACheckOfTheSettingsLoadsNoModel(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m"}]}`)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion"]}`)
	})
	mux.HandleFunc("GET /api/ps", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"models":[]}`) })
	mux.HandleFunc("POST /api/chat", func(http.ResponseWriter, *http.Request) { t.Error("got a model loaded") })
	server := httptest.NewServer(mux)
	defer server.Close()
	conf := settings.Settings{AI: models.Platform{Kind: core.ProviderOllama, Model: "m", BaseURL: server.URL}}
	choice, listed, err := PlatformModels(t.Context(), conf, NewVendors(memory.NewGuard(), nil))
	if err != nil || choice.Model != "m" || len(listed) != 1 {
		t.Errorf("got %q of %v, %v, want the model", choice.Model, listed, err)
	}
}
