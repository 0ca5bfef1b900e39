package local_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// quiet is a service for the examples, in a folder that goes with it.
func quiet(host local.Host) (service *local.Service, end func()) {
	dir, err := os.MkdirTemp("", "atelier-")
	if err != nil {
		panic(err)
	}
	host.Log = slog.New(slog.DiscardHandler)
	host.Settings = map[string]string{"DATA_DIR": dir, "PREPARE": "off", "APP_URL": "http://atelier.example"}
	service, err = host.Open(context.Background())
	if err != nil {
		panic(err)
	}
	return service, func() {
		_ = service.Close(context.Background())
		_ = os.RemoveAll(dir)
	}
}

// Another program mounts the whole service on its own server: studio, API, previews and
// sites, distinguished by host. Do not mount it below an http.ServeMux, which redirects
// paths that the file API answers itself.
func ExampleHost() {
	service, end := quiet(local.Host{})
	defer end()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "www.example" {
			fmt.Fprint(w, "another page")
			return
		}
		service.ServeHTTP(w, r)
	})
	for _, address := range []string{"http://atelier.example/readyz", "http://www.example/"} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, address, nil))
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	// Output:
	// 200 {"status":"ok"}
	// 200 another page
}

// One line replaces an adapter: here mails go to a mailbox in memory.
func ExampleParts() {
	mailbox := memory.NewMailbox()
	service, end := quiet(local.Host{Parts: local.Parts{Mail: mailbox}})
	defer end()
	fmt.Println(service.Mail == mailbox)
	// Output: true
}

// echo is a kind of AI provider of the host's own.
type echo struct{}

func (echo) Models(context.Context) ([]core.Model, error) { return []core.Model{{ID: "echo-1"}}, nil }

func (echo) Generate(_ context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	return core.Usage{}, emit(ai.Chunk{Text: "You said: " + req.Messages[len(req.Messages)-1].Text})
}

// Workspaces choose among the kinds of AI providers, a host's own included.
func ExampleParts_kinds() {
	service, end := quiet(local.Host{Parts: local.Parts{Kinds: map[core.ProviderKind]bootstrap.OpenProvider{
		"echo": func(ai.Settings) (ai.Provider, error) { return echo{}, nil },
	}}})
	defer end()
	fmt.Println(service.Providers.Factory.Kinds())
	// Output: [anthropic demo echo ollama openai responses]
}
