// Command provider brings a kind of AI provider that workspaces can choose.
package main

import (
	"context"
	"log"
	"net/http"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

type echo struct{}

func (echo) Generate(_ context.Context, req ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	return core.Usage{}, emit(ai.Chunk{Text: "You said: " + req.Messages[len(req.Messages)-1].Text})
}

func (echo) Models(context.Context) ([]core.Model, error) { return []core.Model{{ID: "echo-1"}}, nil }

func main() {
	parts := local.Parts{Kinds: map[core.ProviderKind]bootstrap.OpenProvider{
		"echo": func(ai.Settings) (ai.Provider, error) { return echo{}, nil },
	}}
	atelier, err := local.Host{Parts: parts}.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer atelier.Close(context.Background())
	log.Print(http.ListenAndServe("localhost:8080", atelier))
}
