package commands_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/commands"
)

func TestCommandsAreExpanded(t *testing.T) {
	tables := memory.NewStore().Tables()
	space := core.Workspace{ID: core.NewID(), Name: "x"}
	if err := tables.Workspaces.Create(t.Context(), space); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"review": "Review $ARGUMENTS, and only $ARGUMENTS.", "ship": "Make it ready."} {
		if err := tables.Commands.Create(t.Context(), core.Command{ID: core.NewID(), WorkspaceID: space.ID, Name: name, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]commands.Expansion{
		"hello":              {Prompt: "hello"},
		"/about is broken":   {Prompt: "/about is broken"},
		"/plan a shop":       {Name: "plan", Prompt: "a shop", Mode: core.ModePlan},
		"/review $1 & <b>":   {Name: "review", Prompt: "Review $1 & <b>, and only $1 & <b>."},
		"/review":            {Name: "review", Prompt: "Review , and only ."},
		"/ship":              {Name: "ship", Prompt: "Make it ready."},
		"/ship\n\nby Friday": {Name: "ship", Prompt: "Make it ready.\n\nby Friday"},
		"/review $ARGUMENTS": {Name: "review", Prompt: "Review $ARGUMENTS, and only $ARGUMENTS."},
	} {
		if got, err := commands.Expand(t.Context(), tables, space.ID, text); err != nil || got != want {
			t.Errorf("%q: got %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"/plan", "/plan \n", "/review " + strings.Repeat("é", core.MaxMessageChars/2)} {
		if _, err := commands.Expand(t.Context(), tables, space.ID, text); !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "text ") {
			t.Errorf("%.20s: got %v, want text refused", text, err)
		}
	}
	// The commands of another workspace do not exist here.
	if got, err := commands.Expand(t.Context(), tables, core.NewID(), "/ship"); err != nil || got.Name != "" {
		t.Errorf("got %+v, %v, want a mere text", got, err)
	}
}
