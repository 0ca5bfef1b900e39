package commands_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/commands"
)

// panel is a workspace with people in every role, and its commands.
type panel struct {
	*commands.Service
	log                          *audit.Log
	workspace                    core.ID
	owner, admin, member, nobody core.Actor
}

func newPanel(t *testing.T) *panel {
	t.Helper()
	store := memory.NewStore()
	log := audit.New(audit.Deps{Store: store, Gate: access.NewGate(store), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	p := &panel{Service: commands.New(store, log, time.Now), log: log, workspace: core.NewID()}
	tables := store.Tables()
	must(t, tables.Workspaces.Create(t.Context(), core.Workspace{ID: p.workspace, Name: "Team", Slug: "team"}))
	for role, actor := range map[core.Role]*core.Actor{core.RoleOwner: &p.owner, core.RoleAdmin: &p.admin, core.RoleMember: &p.member, "": &p.nobody} {
		user := core.User{ID: core.NewID(), Email: string(role) + "@example.com"}
		must(t, tables.Users.Create(t.Context(), user))
		*actor = core.Actor{UserID: user.ID}
		if role != "" {
			must(t, tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: p.workspace, UserID: user.ID, Role: role}))
		}
	}
	return p
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCode(t *testing.T, what string, err error, want core.Code) {
	t.Helper()
	if got := core.CodeOf(err); got != want {
		t.Errorf("%s: got %v, want code %q", what, err, want)
	}
}

func input(name, text string) commands.Input { return commands.Input{Name: &name, Text: &text} }

func TestCommandsAreMadeChangedListedAndDeleted(t *testing.T) {
	p := newPanel(t)
	made, err := p.Create(t.Context(), p.admin, p.workspace, input("review", "Review $ARGUMENTS."))
	if err != nil || made.Name != "review" || *made.Text != "Review $ARGUMENTS." || made.BuiltIn {
		t.Fatalf("got %+v, %v", made, err)
	}
	description := " Looks for mistakes "
	changed, err := p.Update(t.Context(), p.admin, p.workspace, "review", commands.Input{Description: &description})
	if err != nil || changed.Description != "Looks for mistakes" || *changed.Text != *made.Text {
		t.Fatalf("got %+v, %v, want the description changed alone", changed, err)
	}
	listed, err := p.List(t.Context(), p.member, p.workspace)
	var names []string
	for _, command := range listed {
		names = append(names, fmt.Sprint(command.Name, " ", command.BuiltIn, " ", command.Text == nil))
	}
	if got := strings.Join(names, ", "); err != nil || got != "check true true, fix true true, plan true true, review false false" {
		t.Errorf("got %s, %v, want the built-in ones and then the workspace's", got, err)
	}
	must(t, p.Delete(t.Context(), p.admin, p.workspace, "review"))
	wantCode(t, "deletes again", p.Delete(t.Context(), p.admin, p.workspace, "review"), core.CodeNotFound)
	entries, err := p.log.List(t.Context(), p.owner, p.workspace, core.Page{Limit: 10})
	if err != nil || len(entries) != 3 || entries[0].Target != "command: /review deleted" || entries[2].Target != "command: /review made" {
		t.Errorf("got %+v, %v, want every change in the log", entries, err)
	}
}

func TestCommandsAreForAdminsToChange(t *testing.T) {
	p := newPanel(t)
	for name, test := range map[string]struct {
		by          core.Actor
		read, write core.Code
	}{
		"owner":  {p.owner, "", ""},
		"admin":  {p.admin, "", ""},
		"member": {p.member, "", core.CodeForbidden},
		"nobody": {p.nobody, core.CodeNotFound, core.CodeNotFound},
	} {
		_, err := p.Create(t.Context(), test.by, p.workspace, input(name, "x"))
		wantCode(t, name+" creates", err, test.write)
		_, err = p.List(t.Context(), test.by, p.workspace)
		wantCode(t, name+" lists", err, test.read)
		if test.write != "" {
			_, err = p.Update(t.Context(), test.by, p.workspace, "x", input("x", "y"))
			wantCode(t, name+" changes", err, test.write)
			wantCode(t, name+" deletes", p.Delete(t.Context(), test.by, p.workspace, "x"), test.write)
		}
	}
}

func TestCommandsAreBounded(t *testing.T) {
	p := newPanel(t)
	_, err := p.Create(t.Context(), p.admin, p.workspace, input("taken", "x"))
	must(t, err)
	long := func(n int) string { return strings.Repeat("é", n) }
	described := func(description string) commands.Input {
		in := input("described", "x")
		in.Description = &description
		return in
	}
	for what, test := range map[string]struct {
		input commands.Input
		want  core.Code
	}{
		"no name":              {commands.Input{Text: new(string)}, core.CodeValidationFailed},
		"no text":              {commands.Input{Name: new(string)}, core.CodeValidationFailed},
		"an empty name":        {input("", "x"), core.CodeValidationFailed},
		"a name with capitals": {input("Review", "x"), core.CodeValidationFailed},
		"a name with a slash":  {input("a/b", "x"), core.CodeValidationFailed},
		"a long name":          {input(strings.Repeat("a", core.MaxCommandChars+1), "x"), core.CodeValidationFailed},
		"the longest name":     {input(strings.Repeat("a", core.MaxCommandChars), "x"), ""},
		"fix":                  {input("fix", "x"), core.CodeConflict},
		"a taken name":         {input("taken", "x"), core.CodeConflict},
		"an empty text":        {input("a", " \n"), core.CodeValidationFailed},
		"a long text":          {input("b", long(core.MaxCommandTextChars+1)), core.CodeValidationFailed},
		"the longest text":     {input("c", long(core.MaxCommandTextChars)), ""},
		"a text with NUL":      {input("d", "a\x00b"), core.CodeValidationFailed},
		"a long description":   {described(long(core.MaxCommandDescriptionChars + 1)), core.CodeValidationFailed},
		"two lines":            {described("a\nb"), core.CodeValidationFailed},
		"a description":        {described(long(core.MaxCommandDescriptionChars)), ""},
	} {
		_, err := p.Create(t.Context(), p.admin, p.workspace, test.input)
		wantCode(t, what, err, test.want)
	}
	_, err = p.Update(t.Context(), p.admin, p.workspace, "c", input("taken", "x"))
	wantCode(t, "renames to a taken name", err, core.CodeConflict)
	_, err = p.Update(t.Context(), p.admin, p.workspace, "unknown", input("z", "x"))
	wantCode(t, "changes what is not there", err, core.CodeNotFound)
	for i := len([]string{"taken", "longest", "c", "described"}); i < commands.MaxCommands; i++ {
		_, err := p.Create(t.Context(), p.admin, p.workspace, input(fmt.Sprint("c", i), "x"))
		must(t, err)
	}
	_, err = p.Create(t.Context(), p.admin, p.workspace, input("toomany", "x"))
	wantCode(t, "one too many", err, core.CodeConflict)
}
