package chat_test

import (
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// inMode puts the room's chat into a mode; if tools are given, the workspace
// defines the mode with them.
func (r *room) inMode(name string, tools []string, model *string) {
	r.t.Helper()
	_, err := r.service.Update(r.t.Context(), r.member, r.project.ID, r.chat.ID, chat.Changes{Mode: &name})
	must(r.t, err)
	if tools != nil {
		mode := core.Mode{ID: core.NewID(), WorkspaceID: r.project.WorkspaceID, Name: name, Prompt: "Look.", Tools: tools, Model: model}
		must(r.t, r.store.Tables().Modes.Create(r.t.Context(), mode))
	}
}

func TestAChatInAModeOfTheWorkspaceHasItsToolsAndItsModel(t *testing.T) {
	r := newRoom(t)
	model := "small"
	r.inMode("review", []string{"read_file"}, &model)
	r.model.Call("write_file", `{"path":"a","content":"x"}`).Say("done")
	_, err := r.send("go")
	must(t, err)
	r.checkLog("user.message tool.call session.usage_info tool.error assistant.message_delta session.usage_info assistant.message session.task_complete")
	if tools := r.model.Requests()[0].Tools; len(tools) != 1 || tools[0].Name != "read_file" {
		t.Errorf("got %+v, want the mode's tool alone", tools)
	}
	r.model.Say("done")
	message := chat.Message{ChatID: r.chat.ID, Text: "go", Model: "large"}
	must(t, r.service.Send(t.Context(), r.member, r.project.ID, message, newRecorder().emit))
	if want := []string{"small", "large"}; !slices.Equal(r.wanted, want) {
		t.Errorf("got the models %v, want %v: the mode's unless the message names one", r.wanted, want)
	}
}

func TestAWordThatIsNoModeOfTheWorkspaceHasTheToolsOfBuild(t *testing.T) {
	r := newRoom(t)
	r.inMode("pirate", nil, nil)
	r.model.Call("write_file", `{"path":"a","content":"x"}`).Say("done")
	_, err := r.send("go")
	must(t, err)
	if len(r.projects.commits) != 1 || !slices.Equal(r.wanted, []string{""}) {
		t.Errorf("got %d commits and the models %v, want the file written by whatever the workspace uses", len(r.projects.commits), r.wanted)
	}
}

// TestAModeOfAnotherWorkspaceIsAMereWord keeps the modes of workspaces apart.
func TestAModeOfAnotherWorkspaceIsAMereWord(t *testing.T) {
	r := newRoom(t)
	other := core.NewWorkspace("other", false, nil, 1)
	must(t, r.store.Tables().Workspaces.Create(t.Context(), other))
	must(t, r.store.Tables().Modes.Create(t.Context(), core.Mode{ID: core.NewID(), WorkspaceID: other.ID, Name: "review", Prompt: "x"}))
	r.inMode("review", nil, nil)
	r.model.Say("done")
	_, err := r.send("go")
	must(t, err)
	if tools := r.model.Requests()[0].Tools; len(tools) < 5 {
		t.Errorf("got %d tools, want those of build", len(tools))
	}
}

// TestHowMuchAModelThinks: as the message says, else as its mode, else much for a first build that a hosted
// model makes. A model that cannot think is not asked.
func TestHowMuchAModelThinks(t *testing.T) {
	low := core.ThinkingLow
	for name, row := range map[string]struct {
		kind          core.ProviderKind
		said          core.Thinking
		mode          string
		first, cannot bool
		want          core.Thinking
	}{
		"nothing said":            {kind: core.ProviderOpenAI},
		"the message":             {kind: core.ProviderOpenAI, said: core.ThinkingOff, mode: "careful", first: true, want: core.ThinkingOff},
		"its mode":                {kind: core.ProviderOpenAI, mode: "careful", want: low},
		"a first build":           {kind: core.ProviderAnthropic, first: true, want: core.ThinkingHigh},
		"a plan of a first build": {kind: core.ProviderAnthropic, mode: core.ModePlan, first: true},
		"the house's processors":  {kind: core.ProviderOllama, first: true},
		"a model that cannot":     {kind: core.ProviderOpenAI, said: core.ThinkingHigh, cannot: true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			r.projects.untouched = row.first
			must(t, r.store.Tables().Modes.Create(t.Context(), core.Mode{ID: core.NewID(), WorkspaceID: r.project.WorkspaceID, Name: "careful", Prompt: "Look.", Tools: []string{"read_file"}, Thinking: &low}))
			if row.mode != "" {
				r.inMode(row.mode, nil, nil)
			}
			r.chosen = &chat.Choice{Provider: r.model, Model: "m", Kind: row.kind, Capabilities: core.ProviderCapabilities{Abilities: core.Abilities{Thinking: !row.cannot, Tools: true}}}
			r.model.Say("done")
			must(t, r.service.Send(t.Context(), r.member, r.project.ID, chat.Message{ChatID: r.chat.ID, Text: "go", Thinking: row.said}, newRecorder().emit))
			if got := r.model.Requests()[0].Thinking; got != row.want {
				t.Errorf("got %q, want %q", got, row.want)
			}
		})
	}
}
