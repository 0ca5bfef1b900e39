package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// offered returns the names of the tools that the model was told of.
func offered(request ai.Request) []string {
	var names []string
	for _, tool := range request.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestAModeOfTheWorkspaceHasJustItsToolsAndItsPrompt(t *testing.T) {
	s := newScene()
	s.mode = "review"
	s.defined = &core.Mode{Name: "review", Prompt: "Look for mistakes.", Tools: []string{"search_files", "write_file"}}
	s.model.Call("read_file", `{"path":"src/App.tsx"}`)
	s.model.Call("write_file", `{"path":"NOTES.md","content":"none"}`)
	s.model.Say("done")
	s.run(t.Context())
	if text, failed := s.given(t, 0); !failed || !strings.Contains(text, `not allowed in the mode "review"`) || !strings.Contains(text, "search_files, write_file") {
		t.Errorf("got %q, %v, want the tool refused and the others named", text, failed)
	}
	if text, failed := s.given(t, 1); failed || s.project.files["NOTES.md"] != "none" {
		t.Errorf("got %q, %v, want the file written", text, failed)
	}
	request := s.model.Requests()[0]
	if got := offered(request); !slices.Equal(got, []string{"search_files", "write_file"}) {
		t.Errorf("got the tools %v, want the mode's", got)
	}
	if !strings.Contains(request.System, "Mode: review.") || !strings.Contains(request.System, "Look for mistakes.") {
		t.Errorf("got the system prompt %q, want the mode's prompt in it", request.System)
	}
}

func TestAModeOfTheWorkspaceMayHaveNoTools(t *testing.T) {
	s := newScene()
	s.mode, s.defined = "talk", &core.Mode{Name: "talk", Prompt: "Talk."}
	s.model.Call("read_file", `{"path":"src/App.tsx"}`)
	s.model.Say("done")
	s.run(t.Context())
	if text, failed := s.given(t, 0); !failed || !strings.Contains(text, "the tools here are none") {
		t.Errorf("got %q, %v, want the tool refused", text, failed)
	}
	if got := offered(s.model.Requests()[0]); len(got) != 0 {
		t.Errorf("got the tools %v, want none", got)
	}
}

func TestAModeThatIsAMereWordHasAllTools(t *testing.T) {
	s := seeing(t, "")
	see := s.alter
	s.alter = func(task *agent.Task) {
		see(task)
		task.Web, task.Brush, task.Connectors = listedWeb{}, &agent.Brush{}, &office{}
	}
	s.mode = "pirate"
	s.project.files[core.BackendSchemaPath] = "{}"
	s.model.Say("Arr.")
	s.run(t.Context())
	request := s.model.Requests()[0]
	if got := offered(request); !slices.Equal(got, tools.Names()) {
		t.Errorf("got the tools %v, want all", got)
	}
	if !strings.Contains(request.System, "Mode, chosen by the person: pirate") {
		t.Errorf("got the system prompt %q, want the word in it", request.System)
	}
}
