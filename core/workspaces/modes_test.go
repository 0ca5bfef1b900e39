package workspaces_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/workspaces"
)

func modeInput(name, prompt string, tools ...string) workspaces.ModeInput {
	tools = append([]string{}, tools...)
	return workspaces.ModeInput{Name: &name, Prompt: &prompt, Tools: &tools}
}

func TestModesAreMadeChangedAndDeleted(t *testing.T) {
	c := newCrew(t)
	model := "small"
	named := &model
	input := modeInput(" Review ", "Look for mistakes.\nBe kind.", "read_file", "search_files")
	input.Model = &named
	mode, err := c.modes.Create(t.Context(), c.admin, c.workspace.ID, input)
	if err != nil || mode.Name != "Review" || *mode.Model != "small" || !slices.Equal(mode.Tools, []string{"read_file", "search_files"}) {
		t.Fatalf("got %+v, %v", mode, err)
	}
	var none *string
	tools := []string{}
	changed, err := c.modes.Update(t.Context(), c.admin, c.workspace.ID, "Review", workspaces.ModeInput{Tools: &tools, Model: &none})
	if err != nil || changed.Model != nil || changed.Tools == nil || len(changed.Tools) != 0 || changed.Prompt != mode.Prompt {
		t.Fatalf("got %+v, %v, want only tools and model changed", changed, err)
	}
	if modes, err := c.modes.List(t.Context(), c.member, c.workspace.ID); err != nil || len(modes) != 1 {
		t.Fatalf("got %+v, %v, want the mode listed", modes, err)
	}
	c.must(c.modes.Delete(t.Context(), c.admin, c.workspace.ID, "Review"))
	wantSpaceCode(t, "deletes again", c.modes.Delete(t.Context(), c.admin, c.workspace.ID, "Review"), core.CodeNotFound)
}

func TestModesAreForAdminsToChange(t *testing.T) {
	c := newCrew(t)
	for _, test := range []struct {
		by          core.Actor
		read, write core.Code
	}{
		{c.owner, "", ""},
		{c.admin, "", ""},
		{c.member, "", core.CodeForbidden},
		{c.nobody, core.CodeNotFound, core.CodeNotFound},
	} {
		who := c.nameOf(test.by)
		_, err := c.modes.Create(t.Context(), test.by, c.workspace.ID, modeInput(who, "x"))
		wantSpaceCode(t, who+" creates", err, test.write)
		_, err = c.modes.List(t.Context(), test.by, c.workspace.ID)
		wantSpaceCode(t, who+" lists", err, test.read)
		_, err = c.modes.Update(t.Context(), test.by, c.workspace.ID, "owner@example.com", modeInput("owner@example.com", "y"))
		wantSpaceCode(t, who+" changes", err, test.write)
	}
	wantSpaceCode(t, "a member deletes", c.modes.Delete(t.Context(), c.member, c.workspace.ID, "owner@example.com"), core.CodeForbidden)
}

func TestModesAreBounded(t *testing.T) {
	c := newCrew(t)
	_, err := c.modes.Create(t.Context(), c.admin, c.workspace.ID, modeInput("taken", "x"))
	c.must(err)
	long := func(n int) string { return strings.Repeat("é", n) }
	withModel := modeInput("m", "x")
	model := long(workspaces.MaxModelChars + 1)
	named := &model
	withModel.Model = &named
	for what, test := range map[string]struct {
		input workspaces.ModeInput
		want  core.Code
	}{
		"no name":              {workspaces.ModeInput{Prompt: new(string)}, core.CodeValidationFailed},
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
		"every tool":           {modeInput("h", "x", agent.ToolNames()...), ""},
		"no tool":              {modeInput("i", "x"), ""},
		"a model that is long": {withModel, core.CodeValidationFailed},
	} {
		_, err := c.modes.Create(t.Context(), c.admin, c.workspace.ID, test.input)
		wantSpaceCode(t, what, err, test.want)
	}
	_, err = c.modes.Update(t.Context(), c.admin, c.workspace.ID, "c", modeInput("taken", "x"))
	wantSpaceCode(t, "renames to a taken name", err, core.CodeConflict)
	_, err = c.modes.Update(t.Context(), c.admin, c.workspace.ID, "c", modeInput("build", "x"))
	wantSpaceCode(t, "renames to a built-in name", err, core.CodeConflict)
	_, err = c.modes.Update(t.Context(), c.admin, c.workspace.ID, "unknown", modeInput("z", "x"))
	wantSpaceCode(t, "changes what is not there", err, core.CodeNotFound)
}

func TestAWorkspaceHasABoundedNumberOfModes(t *testing.T) {
	c := newCrew(t)
	for i := range workspaces.MaxModes {
		_, err := c.modes.Create(t.Context(), c.admin, c.workspace.ID, modeInput(fmt.Sprint("mode ", i), "x"))
		c.must(err)
	}
	_, err := c.modes.Create(t.Context(), c.admin, c.workspace.ID, modeInput("one too many", "x"))
	wantSpaceCode(t, "one too many", err, core.CodeConflict)
}
