package versions_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/ports/vcs"
)

func TestVersionsHaveNamesAndStars(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	first := f.log()[0].ID
	f.commit(person, "Second", map[string]string{"a": "2"})
	second := f.log()[0].ID
	mark := func(version string, change versions.MarkChange) versions.Entry {
		t.Helper()
		got, err := f.service.Mark(t.Context(), f.ann, f.project, version, change)
		f.must(err)
		return got
	}
	if got := mark(first, versions.MarkChange{Name: new(" Launch ")}); got.Name != "Launch" || got.Starred || got.ID != first {
		t.Errorf("got %+v, want the first version with its name", got)
	}
	if got := mark(first, versions.MarkChange{Starred: new(true)}); got.Name != "Launch" || !got.Starred {
		t.Errorf("got %+v, want the name to stay", got)
	}
	mark(second, versions.MarkChange{Starred: new(true)})
	marked, err := f.service.Marked(t.Context(), f.ann, f.project)
	f.must(err)
	if len(marked) != 2 {
		t.Errorf("got %+v, want both versions", marked)
	}
	mark(second, versions.MarkChange{Starred: new(false)})
	mark(first, versions.MarkChange{Name: new("")})
	marked, err = f.service.Marked(t.Context(), f.ann, f.project)
	f.must(err)
	if len(marked) != 1 || marked[0].ID != first || marked[0].Name != "" || !marked[0].Starred {
		t.Errorf("got %+v, want the first version with its star", marked)
	}
	for name, c := range map[string]struct {
		by      core.Actor
		version string
		change  versions.MarkChange
		code    core.Code
	}{
		"a stranger":           {f.stranger, first, versions.MarkChange{Starred: new(true)}, core.CodeNotFound},
		"no such version":      {f.ann, strings.Repeat("0", 40), versions.MarkChange{Starred: new(true)}, core.CodeNotFound},
		"a long name":          {f.ann, first, versions.MarkChange{Name: new(strings.Repeat("x", core.MaxVersionName+1))}, core.CodeValidationFailed},
		"a name of only space": {f.ann, first, versions.MarkChange{Name: new(" ")}, core.CodeValidationFailed},
	} {
		if _, err := f.service.Mark(t.Context(), c.by, f.project, c.version, c.change); !core.IsCode(err, c.code) {
			t.Errorf("%s: got %v, want %s", name, err, c.code)
		}
	}
}

func TestMarksAreBounded(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	for i := range core.MaxVersionMarks {
		f.must(f.store.Tables().VersionMarks.Put(t.Context(), core.VersionMark{ProjectID: f.project, Version: fmt.Sprint(i), Starred: true}))
	}
	if _, err := f.service.Mark(t.Context(), f.ann, f.project, f.log()[0].ID, versions.MarkChange{Starred: new(true)}); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("got %v, want a conflict", err)
	}
}

func TestAnyTwoVersionsAreCompared(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1\n", "b": "1\n"})
	for _, content := range []string{"2\n", "3\n"} {
		f.commit(person, "More", map[string]string{"a": content})
	}
	log := f.log()
	for _, c := range []struct{ from, to, want string }{
		{log[2].ID, log[0].ID, "-1\n+3\n"},
		{log[0].ID, log[2].ID, "-3\n+1\n"},
		{log[1].ID, log[1].ID, ""},
	} {
		got, err := f.service.Compare(t.Context(), f.ann, f.project, c.from, c.to)
		f.must(err)
		if got.ID != c.to || !strings.HasSuffix(got.Patch, c.want) || c.want != "" && len(got.Files) != 1 || c.want == "" && got.Patch != "" {
			t.Errorf("got %+v, want the patch to end with %q", got, c.want)
		}
	}
	for _, c := range [][2]string{{strings.Repeat("0", 40), log[0].ID}, {log[0].ID, strings.Repeat("0", 40)}} {
		if _, err := f.service.Compare(t.Context(), f.ann, f.project, c[0], c[1]); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("got %v, want no such version", err)
		}
	}
	if _, err := f.service.Compare(t.Context(), f.stranger, f.project, log[1].ID, log[0].ID); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v for a stranger, want no such project", err)
	}
}

// TestReadersDoNotLearnWhatIsDeployed: deployments are the members'.
func TestReadersDoNotLearnWhatIsDeployed(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	version, deployment := f.log()[0].ID, core.NewID()
	f.must(f.store.Tables().Deployments.Create(t.Context(), core.Deployment{ID: deployment, ProjectID: f.project, Slug: "shop", VersionID: version, Status: core.DeploymentLive, By: f.ann.UserID}))
	_, err := f.store.Tables().Projects.Update(t.Context(), f.project, func(project *core.Project) error {
		project.Visibility, project.DeploymentID = core.VisibilityPublic, &deployment
		return nil
	})
	f.must(err)
	program := core.Actor{UserID: f.ann.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsRead}}
	for name, c := range map[string]struct {
		by   core.Actor
		live bool
	}{"a member": {f.ann, true}, "a reader": {f.stranger, false}, "a token that sees no deployments": {program, false}} {
		shown, err := f.service.Show(t.Context(), c.by, f.project, version)
		if f.must(err); shown.Live != c.live {
			t.Errorf("%s: got live %v, want %v", name, shown.Live, c.live)
		}
	}
}

// TestOnlyWhoSeesTheChatsIsToldOfThem covers every list of versions, and what a clone has.
func TestOnlyWhoSeesTheChatsIsToldOfThem(t *testing.T) {
	f, dir := onDisk(t)
	_, err := f.pipeline.Apply(t.Context(), f.project, agent, changesTo(map[string]string{"a": "2"}), nil)
	f.must(err)
	made, _, err := f.pipeline.Commit(t.Context(), f.project, vcs.Commit{Message: "By the agent", Author: agent, ChatID: &f.chat.ID})
	f.must(err)
	_, err = f.service.Mark(t.Context(), f.ann, f.project, made.ID, versions.MarkChange{Starred: new(true)})
	f.must(err)
	_, err = f.store.Tables().Projects.Update(t.Context(), f.project, func(p *core.Project) error { p.Visibility = core.VisibilityPublic; return nil })
	f.must(err)
	program := core.Actor{UserID: f.ann.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsRead}}
	for who, c := range map[string]struct {
		by   core.Actor
		told bool
	}{"a member": {f.ann, true}, "a member's token": {program, true}, "a reader": {f.stranger, false}} {
		listed, err := f.service.Describe(t.Context(), c.by, f.project, f.log())
		f.must(err)
		marked, err := f.service.Marked(t.Context(), c.by, f.project)
		f.must(err)
		detail, err := f.service.Show(t.Context(), c.by, f.project, made.ID)
		f.must(err)
		for what, shown := range map[string]versions.Entry{"the list": listed[0], "the marked ones": marked[0], "the version": detail.Entry} {
			if told := shown.ChatID != nil && *shown.ChatID == f.chat.ID; told != c.told || !c.told && shown.ChatID != nil {
				t.Errorf("%s in %s: got the chat %v, want it told: %v", who, what, shown.ChatID, c.told)
			}
		}
	}
	if raw := stock(t, dir, "", "log", "--format=raw"); strings.Contains(raw, string(f.chat.ID)) || !strings.Contains(raw, "Chat: "+string(core.MarkOf(f.chat.ID))) {
		t.Errorf("got %s in the repository, want the chat's mark in the place of its id", raw)
	}
}
