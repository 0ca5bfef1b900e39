// Package fakes tests against the whole of Atelier in memory: no disk, no network.
package fakes

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
)

func TestSignUp(t *testing.T) {
	app, release, err := inmemory.New(t.Context(), inmemory.Settings(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	defer app.Close(t.Context())
	server := httptest.NewServer(app)
	defer server.Close()
	body := `{"email": "ada@example.com", "password": "correct horse battery"}`
	answer, err := http.Post(server.URL+"/auth/signup", "application/json", strings.NewReader(body))
	if err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("got %v, %v, want a new account", answer, err)
	}
}
