package inmemory_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/ai"
)

// Tests of programs that use Atelier run the whole of it on fakes: nothing is written to
// the disk, and no network is reached.
func ExampleNew() {
	app, release, err := inmemory.New(context.Background(), inmemory.Settings(), slog.New(slog.DiscardHandler))
	if err != nil {
		panic(err)
	}
	defer release()
	defer app.Close(context.Background())
	if err := app.Start(context.Background()); err != nil {
		panic(err)
	}
	server := httptest.NewServer(app)
	defer server.Close()

	answer, err := http.Post(server.URL+"/auth/signup", "application/json", strings.NewReader(`{"email":"ada@example.com","password":"long enough"}`))
	if err != nil {
		panic(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	// Output: 201 Created
}

// politeModel is a model of one's own: here one that only says good day.
type politeModel struct{}

func (politeModel) Kinds() []core.ProviderKind { return []core.ProviderKind{core.ProviderDemo} }

func (politeModel) Open(ai.Settings) (ai.Provider, error) { return politeModel{}, nil }

func (politeModel) Generate(_ context.Context, _ ai.Request, emit func(ai.Chunk) error) (core.Usage, error) {
	return core.Usage{InputTokens: 1, OutputTokens: 2}, emit(ai.Chunk{Text: "Good day."})
}

func (politeModel) Models(context.Context) ([]core.Model, error) {
	return []core.Model{{ID: "butler"}}, nil
}

// Every workspace chooses its AI provider. A kind of provider is an adapter of one port,
// which a program can replace by its own. The use cases are called without HTTP.
func ExampleNewWith() {
	ctx := context.Background()
	builder := memory.NewBuilder()
	packages := memory.NewPackages()
	defer packages.Close()
	app, err := inmemory.NewWith(ctx, inmemory.Settings(), slog.New(slog.DiscardHandler), inmemory.Parts{
		Models: politeModel{}, Templates: memory.NewTemplates(), Packages: packages, Builder: builder, Syntax: builder,
	})
	if err != nil {
		panic(err)
	}
	defer app.Close(ctx)

	session, home, err := app.Accounts.SignUp(ctx, core.Actor{}, accounts.NewAccount{Email: "ada@example.com", Password: "long enough"})
	if err != nil {
		panic(err)
	}
	ada := core.Actor{UserID: session.User.ID}
	project, err := app.Projects.Create(ctx, ada, home.Workspace.ID, projects.Draft{Name: "Shop"})
	if err != nil {
		panic(err)
	}
	chats, err := app.Chats.List(ctx, ada, project.ID)
	if err != nil {
		panic(err)
	}
	err = app.Runs.Send(ctx, ada, project.ID, chat.Message{ChatID: chats[0].ID, Text: "Hello"}, func(event core.Event) error {
		if said, is := event.Payload.(core.AssistantMessage); is {
			fmt.Println(said.Text)
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
	// Output: Good day.
}
