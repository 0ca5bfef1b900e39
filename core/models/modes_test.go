package models_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/core/models"
)

// panel is a workspace with people in every role, and its modes.
type panel struct {
	*models.Modes
	workspace                    core.ID
	names                        map[core.ID]string
	owner, admin, member, nobody core.Actor
}

func newPanel(t *testing.T) *panel {
	t.Helper()
	store := memory.NewStore()
	p := &panel{Modes: models.NewModes(store, time.Now), workspace: core.NewID(), names: map[core.ID]string{}}
	tables := store.Tables()
	must(t, tables.Workspaces.Create(t.Context(), core.Workspace{ID: p.workspace, Name: "Team", Slug: "team"}))
	for role, actor := range map[core.Role]*core.Actor{core.RoleOwner: &p.owner, core.RoleAdmin: &p.admin, core.RoleMember: &p.member, "": &p.nobody} {
		user := core.User{ID: core.NewID(), Email: string(role) + "@example.com"}
		must(t, tables.Users.Create(t.Context(), user))
		*actor, p.names[user.ID] = core.Actor{UserID: user.ID}, user.Email
		if role != "" {
			must(t, tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: p.workspace, UserID: user.ID, Role: role}))
		}
	}
	return p
}

func wantCode(t *testing.T, what string, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Errorf("%s: got %v, want code %q", what, err, want)
	}
}

func modeInput(name, prompt string, tools ...string) models.ModeInput {
	tools = append([]string{}, tools...)
	return models.ModeInput{Name: &name, Prompt: &prompt, Tools: &tools}
}

func TestModesAreMadeChangedAndDeleted(t *testing.T) {
	p := newPanel(t)
	model := "small"
	named := &model
	input := modeInput(" Review ", "Look for mistakes.\nBe kind.", "read_file", "search_files")
	input.Model = &named
	high := "high"
	thinks := &high
	input.Thinking = &thinks
	mode, err := p.Create(t.Context(), p.admin, p.workspace, input)
	if err != nil || mode.Name != "Review" || *mode.Model != "small" || *mode.Thinking != core.ThinkingHigh || !slices.Equal(mode.Tools, []string{"read_file", "search_files"}) {
		t.Fatalf("got %+v, %v", mode, err)
	}
	var none *string
	tools := []string{}
	changed, err := p.Update(t.Context(), p.admin, p.workspace, "Review", models.ModeInput{Tools: &tools, Model: &none})
	if err != nil || changed.Model != nil || changed.Tools == nil || len(changed.Tools) != 0 || changed.Prompt != mode.Prompt {
		t.Fatalf("got %+v, %v, want only tools and model changed", changed, err)
	}
	if modes, err := p.List(t.Context(), p.member, p.workspace); err != nil || len(modes) != 1 {
		t.Fatalf("got %+v, %v, want the mode listed", modes, err)
	}
	if *changed.Thinking != core.ThinkingHigh {
		t.Errorf("got %q, want the thinking left as it was", *changed.Thinking)
	}
	if changed, err = p.Update(t.Context(), p.admin, p.workspace, "Review", models.ModeInput{Thinking: &none}); err != nil || changed.Thinking != nil {
		t.Errorf("got %+v, %v, want the thinking left to the model", changed, err)
	}
	wrong := "hard"
	thinks = &wrong
	_, err = p.Update(t.Context(), p.admin, p.workspace, "Review", models.ModeInput{Thinking: &thinks})
	wantCode(t, "thinks hard", err, core.CodeValidationFailed)
	must(t, p.Delete(t.Context(), p.admin, p.workspace, "Review"))
	wantCode(t, "deletes again", p.Delete(t.Context(), p.admin, p.workspace, "Review"), core.CodeNotFound)
}

func TestModesAreForAdminsToChange(t *testing.T) {
	p := newPanel(t)
	for _, test := range []struct {
		by          core.Actor
		read, write core.Code
	}{
		{p.owner, "", ""},
		{p.admin, "", ""},
		{p.member, "", core.CodeForbidden},
		{p.nobody, core.CodeNotFound, core.CodeNotFound},
	} {
		who := p.names[test.by.UserID]
		_, err := p.Create(t.Context(), test.by, p.workspace, modeInput(who, "x"))
		wantCode(t, who+" creates", err, test.write)
		_, err = p.List(t.Context(), test.by, p.workspace)
		wantCode(t, who+" lists", err, test.read)
		_, err = p.Update(t.Context(), test.by, p.workspace, "owner@example.com", modeInput("owner@example.com", "y"))
		wantCode(t, who+" changes", err, test.write)
	}
	wantCode(t, "a member deletes", p.Delete(t.Context(), p.member, p.workspace, "owner@example.com"), core.CodeForbidden)
}

func TestModesAreBounded(t *testing.T) {
	p := newPanel(t)
	_, err := p.Create(t.Context(), p.admin, p.workspace, modeInput("taken", "x"))
	must(t, err)
	long := func(n int) string { return strings.Repeat("é", n) }
	withModel := modeInput("m", "x")
	model := long(models.MaxModelChars + 1)
	named := &model
	withModel.Model = &named
	for what, test := range map[string]struct {
		input models.ModeInput
		want  core.Code
	}{
		"no name":              {models.ModeInput{Prompt: new(string)}, core.CodeValidationFailed},
		"an empty name":        {modeInput("", "x"), core.CodeValidationFailed},
		"a long name":          {modeInput(long(core.MaxModeChars+1), "x"), core.CodeValidationFailed},
		"the longest name":     {modeInput(long(core.MaxModeChars), "x"), ""},
		"a name of dots":       {modeInput("..", "x"), core.CodeValidationFailed},
		"build":                {modeInput("build", "x"), core.CodeConflict},
		"plan":                 {modeInput(" plan ", "x"), core.CodeConflict},
		"chat":                 {modeInput("chat", "x"), core.CodeConflict},
		"a taken name":         {modeInput("taken", "x"), core.CodeConflict},
		"an empty prompt":      {modeInput("a", " \n"), core.CodeValidationFailed},
		"a long prompt":        {modeInput("b", long(core.MaxModePromptChars+1)), core.CodeValidationFailed},
		"the longest prompt":   {modeInput("c", long(core.MaxModePromptChars)), ""},
		"a prompt with NUL":    {modeInput("d", "a\x00b"), core.CodeValidationFailed},
		"a prompt of no text":  {modeInput("e", "\xff"), core.CodeValidationFailed},
		"a tool twice":         {modeInput("f", "x", "read_file", "read_file"), core.CodeValidationFailed},
		"a tool of nobody's":   {modeInput("g", "x", "format_disk"), core.CodeValidationFailed},
		"every tool":           {modeInput("h", "x", tools.Names()...), ""},
		"no tool":              {modeInput("i", "x"), ""},
		"a model that is long": {withModel, core.CodeValidationFailed},
	} {
		_, err := p.Create(t.Context(), p.admin, p.workspace, test.input)
		wantCode(t, what, err, test.want)
	}
	_, err = p.Update(t.Context(), p.admin, p.workspace, "c", modeInput("taken", "x"))
	wantCode(t, "renames to a taken name", err, core.CodeConflict)
	_, err = p.Update(t.Context(), p.admin, p.workspace, "c", modeInput("build", "x"))
	wantCode(t, "renames to a built-in name", err, core.CodeConflict)
	_, err = p.Update(t.Context(), p.admin, p.workspace, "unknown", modeInput("z", "x"))
	wantCode(t, "changes what is not there", err, core.CodeNotFound)
}

func TestAWorkspaceHasABoundedNumberOfModes(t *testing.T) {
	p := newPanel(t)
	for i := range models.MaxModes {
		_, err := p.Create(t.Context(), p.admin, p.workspace, modeInput(fmt.Sprint("mode ", i), "x"))
		must(t, err)
	}
	_, err := p.Create(t.Context(), p.admin, p.workspace, modeInput("one too many", "x"))
	wantCode(t, "one too many", err, core.CodeConflict)
}
