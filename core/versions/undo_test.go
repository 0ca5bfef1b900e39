package versions_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// fixture is a project of a workspace, in memory.
type fixture struct {
	t        *testing.T
	store    storage.Store
	ports    files.Deps
	pipeline *files.Pipeline
	service  *versions.Service
	project  core.ID
	chat     core.Chat
	ann      core.Actor
	stranger core.Actor
}

var (
	agent  = core.Author{Kind: core.AuthorAgent, Name: "Atelier"}
	person = core.Author{Kind: core.AuthorUser, Name: "Bob"}
)

func newFixture(t *testing.T, sources map[string]string) *fixture {
	t.Helper()
	trees, store := memory.NewTrees(), memory.NewStore()
	f := &fixture{t: t, store: store, project: core.NewID(), ann: core.Actor{UserID: core.NewID()}, stranger: core.Actor{UserID: core.NewID()}}
	f.ports = files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: memory.NewBus(), Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(),
		Search: memory.NewSearch(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	f.pipeline, f.service = f.process()
	tree := fstest.MapFS{}
	for name, content := range sources {
		tree[name] = &fstest.MapFile{Data: []byte(content)}
	}
	rows, err := f.pipeline.Create(t.Context(), f.project, tree, vcs.Commit{Message: "First", Author: person})
	workspace := core.NewID()
	f.chat = core.Chat{ID: core.NewID(), ProjectID: f.project, Title: "Talk", Mode: core.ModeBuild}
	f.must(err, store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		err := errors.Join(
			tables.Users.Create(ctx, core.User{ID: f.ann.UserID, Email: "ann@example.com"}),
			tables.Users.Create(ctx, core.User{ID: f.stranger.UserID, Email: "stranger@example.com"}),
			tables.Workspaces.Create(ctx, core.Workspace{ID: workspace, Name: "Team", Slug: "team"}),
			tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: workspace, UserID: f.ann.UserID, Role: core.RoleMember}),
			tables.Projects.Create(ctx, core.Project{ID: f.project, WorkspaceID: workspace, Slug: "shop", Name: "Shop", Visibility: core.VisibilityWorkspace, CreatedBy: f.ann.UserID}),
		)
		_, applied := tables.Files.Apply(ctx, f.project, storage.FileDelta{Put: rows})
		return errors.Join(err, applied, tables.Chats.Create(ctx, f.chat))
	}))
	return f
}

// process makes one of several processes that work on the same projects.
func (f *fixture) process() (*files.Pipeline, *versions.Service) {
	pipeline := files.NewPipeline(f.ports)
	return pipeline, versions.New(versions.Deps{
		Gate: access.NewGate(f.store), Store: f.store, History: pipeline.History, Committer: pipeline.Committer, Bus: f.ports.Bus, Now: f.ports.Now, Log: f.ports.Log,
	})
}

func (f *fixture) must(errs ...error) {
	f.t.Helper()
	if err := errors.Join(errs...); err != nil {
		f.t.Fatal(err)
	}
}

// changesTo are the writes and deletions that give files the wanted contents; "-"
// means no file.
func changesTo(states map[string]string) []core.FileChange {
	var changes []core.FileChange
	for name, content := range states {
		change := core.FileChange{Op: core.OpWrite, Path: core.MustPath(name), Content: []byte(content)}
		if content == "-" {
			change = core.FileChange{Op: core.OpDelete, Path: core.MustPath(name)}
		}
		changes = append(changes, change)
	}
	return changes
}

// commit makes a version of changes.
func (f *fixture) commit(by core.Author, message string, states map[string]string) core.Version {
	f.t.Helper()
	_, version, err := f.pipeline.ApplyAndCommit(f.t.Context(), f.project, changesTo(states), vcs.Commit{Message: message, Author: by})
	if err != nil || version == nil {
		f.t.Fatalf("got %v, %v, want a version", version, err)
	}
	return *version
}

// edit changes files as a person does, without a version.
func (f *fixture) edit(states map[string]string) {
	f.t.Helper()
	if len(states) == 0 {
		return
	}
	results, err := f.pipeline.Apply(f.t.Context(), f.project, person, changesTo(states), nil)
	f.must(err)
	for _, result := range results {
		f.must(result.Err)
	}
}

// content returns a file's content, "-" for none.
func (f *fixture) content(name string) string {
	f.t.Helper()
	open, err := f.pipeline.Open(f.t.Context(), core.FileAt{Project: f.project, Path: core.MustPath(name)})
	if core.IsCode(err, core.CodeNotFound) {
		return "-"
	}
	f.must(err)
	defer open.Close()
	content := make([]byte, open.Entry.Size)
	_, err = open.Read(content)
	if open.Entry.Size > 0 {
		f.must(err)
	}
	return string(content)
}

func (f *fixture) log() []core.Version {
	f.t.Helper()
	log, err := f.pipeline.Versions(f.t.Context(), f.project, "", 50)
	f.must(err)
	return log
}

const lines = "1\n2\n3\n4\n5\n6\n"

func TestUndoOfOneFile(t *testing.T) {
	const binary = "\x00\x01"
	tests := []struct {
		name string
		// before the run, by the run, and by a person since; "-" is no file.
		before, run, since string
		// want is the file after the undo; conflict is the text of the conflict.
		want, conflict string
	}{
		{"changed", lines, "1\nX\n3\n4\n5\n6\n", "", lines, ""},
		{"changed, and elsewhere since", lines, "1\nX\n3\n4\n5\n6\n", "1\nX\n3\n4\nY\n6\n", "1\n2\n3\n4\nY\n6\n", ""},
		{"changed, and there since", lines, "1\nX\n3\n4\n5\n6\n", "1\nY\n3\n4\n5\n6\n", "", "f line 2"},
		{"changed, and there since in two places", lines, "X\n2\n3\n4\n5\nX\n", "Y\n2\n3\n4\n5\nY\n", "", "f lines 1, 6"},
		{"changed, and partly undone by hand", lines, "X\n2\n3\n4\n5\nX\n", "1\n2\n3\n4\n5\nX\n", lines, ""},
		{"changed, and wholly undone by hand with more", lines, "X\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nY\n6\n", "", "nothing is left"},
		{"changed, and deleted since", lines, "X\n", "-", "", "f has been deleted since"},
		{"changed with CRLF", "1\r\n2\r\n3\r\n4", "1\r\nX\r\n3\r\n4", "1\r\nX\r\n3\r\n5", "1\r\n2\r\n3\r\n5", ""},
		{"emptied", lines, "", "", lines, ""},
		{"made", "-", lines, "", "-", ""},
		{"made, and edited since", "-", lines, lines + "7\n", "", "f was made by this version and has been edited since"},
		{"made, and deleted since", "-", lines, "-", "", "nothing is left"},
		{"deleted", lines, "-", "", lines, ""},
		{"deleted, and back since", lines, "-", lines, "", "nothing is left"},
		{"deleted, and another since", lines, "-", "x", "", "f was deleted by this version, and something else now has its path"},
		{"binary changed", binary, binary + "2", "", binary, ""},
		{"binary changed, and since", binary, binary + "2", binary + "3", "", "f is not text and has been changed since"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sources := map[string]string{"other": "x"}
			if test.before != "-" {
				sources["f"] = test.before
			}
			f := newFixture(t, sources)
			run := f.commit(agent, "Change it", map[string]string{"f": test.run})
			if test.since != "" {
				f.edit(map[string]string{"f": test.since})
			}
			now := f.content("f")
			made, err := f.service.Undo(t.Context(), f.ann, f.project, run.ID)
			if test.conflict != "" {
				if !core.IsCode(err, core.CodeConflict) || !strings.Contains(err.Error(), test.conflict) || f.content("f") != now || len(f.log()) != 2 {
					t.Errorf("got %v and the file %q, want a conflict that says %q, and nothing changed", err, f.content("f"), test.conflict)
				}
				return
			}
			if err != nil || f.content("f") != test.want || made.Message != "Undo: Change it" || made.Author != (core.Author{Kind: core.AuthorUser, Name: "ann"}) || made.FilesChanged != 1 {
				t.Errorf("got %+v, %v and the file %q, want %q", made, err, f.content("f"), test.want)
			}
		})
	}
}

func TestUndoTellsAllConflictsAtOnceAndChangesNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"a": lines, "b": lines, "c": lines})
	run := f.commit(agent, "Change them", map[string]string{"a": "X\n", "b": "X\n", "c": "X\n", "d/e": "made"})
	f.edit(map[string]string{"a": "Y\n", "c": "-", "d/e": "edited"})
	_, err := f.service.Undo(t.Context(), f.ann, f.project, run.ID)
	want := "conflict: later edits conflict, so nothing was changed: a line 1; c has been deleted since; d/e was made by this version and has been edited since"
	if !core.IsCode(err, core.CodeConflict) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := f.content("b"); got != "X\n" || len(f.log()) != 2 {
		t.Errorf("got b as %q and %d versions, want nothing changed", got, len(f.log()))
	}
}

func TestUndoListsABoundedNumberOfConflicts(t *testing.T) {
	f := newFixture(t, map[string]string{"x": "x"})
	made, edited := map[string]string{}, map[string]string{}
	for i := range 30 {
		name := "made/" + strings.Repeat("f", i+1)
		made[name], edited[name] = "1", "2"
	}
	run := f.commit(agent, "Make them", made)
	f.edit(edited)
	_, err := f.service.Undo(t.Context(), f.ann, f.project, run.ID)
	if !core.IsCode(err, core.CodeConflict) || strings.Count(err.Error(), "edited since") != 20 || !strings.HasSuffix(err.Error(), "; and 10 more") {
		t.Errorf("got %v, want 20 of the conflicts and how many more", err)
	}
}

func TestUndoLeavesWhatStandsInAFoldersPlaceAlone(t *testing.T) {
	f := newFixture(t, map[string]string{"dir/f": "f", "x": "x"})
	run := f.commit(agent, "Delete it", map[string]string{"dir/f": "-"})
	f.edit(map[string]string{"dir": "-"})
	f.edit(map[string]string{"dir": "a file"})
	_, err := f.service.Undo(t.Context(), f.ann, f.project, run.ID)
	if !core.IsCode(err, core.CodeConflict) || f.content("dir") != "a file" {
		t.Errorf("got %v and %q, want a conflict and the file as it is", err, f.content("dir"))
	}
}

func TestWhatIsStagedBecomesAVersionOfItsOwnFirst(t *testing.T) {
	f := newFixture(t, map[string]string{"a": lines, "b": "b"})
	run := f.commit(agent, "Change it", map[string]string{"a": "X\n2\n3\n4\n5\n6\n"})
	f.edit(map[string]string{"a": "X\n2\n3\n4\n5\nY\n", "b": "by hand"})
	if _, err := f.service.Undo(t.Context(), f.ann, f.project, run.ID); err != nil {
		t.Fatal(err)
	}
	log := f.log()
	if len(log) != 4 || log[1].Message != files.HandEdits || log[1].Author != person || log[1].FilesChanged != 2 || log[0].FilesChanged != 1 {
		t.Errorf("got %+v, want the undoing, and Bob's edits in a version before it", log)
	}
}

func TestUndoOfAnUndoneRunCanBeRepeatedForTheNext(t *testing.T) {
	f := newFixture(t, map[string]string{"a": lines})
	first := f.commit(agent, "First", map[string]string{"a": "X\n2\n3\n4\n5\n6\n"})
	second := f.commit(agent, strings.Repeat("long ", 500), map[string]string{"a": "X\n2\n3\n4\n5\nX\n"})
	for _, version := range []core.Version{first, second} {
		made, err := f.service.Undo(t.Context(), f.ann, f.project, version.ID)
		if err != nil || len(made.Message) > files.MaxMessageChars {
			t.Fatalf("got %+v, %v, want it undone", made, err)
		}
	}
	if got := f.content("a"); got != lines {
		t.Errorf("got %q, want it as it was", got)
	}
}

func TestUndoIsRefused(t *testing.T) {
	f := newFixture(t, map[string]string{"a": lines})
	mine := f.commit(person, "By hand", map[string]string{"a": "P\n"})
	run := f.commit(agent, "Change it", map[string]string{"a": "X\n"})
	undo := func(by core.Actor, version string) core.Code {
		_, err := f.service.Undo(t.Context(), by, f.project, version)
		return core.CodeOf(err)
	}
	for name, c := range map[string]struct {
		by      core.Actor
		version string
		want    core.Code
	}{
		"a stranger":         {f.stranger, run.ID, core.CodeNotFound},
		"a token for less":   {core.Actor{UserID: f.ann.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsRead}}, run.ID, core.CodeInsufficientScope},
		"an unknown version": {f.ann, strings.Repeat("0", 40), core.CodeNotFound},
		"a person's version": {f.ann, mine.ID, core.CodeConflict},
	} {
		if got := undo(c.by, c.version); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	work := core.Run{ID: core.NewID(), ChatID: f.chat.ID, ProjectID: f.project, UserID: f.ann.UserID, Status: core.RunQueued}
	f.must(f.store.Tables().Runs.Create(t.Context(), work))
	if got := undo(f.ann, run.ID); got != core.CodeChatBusy {
		t.Errorf("while a run waits: got %q, want %q", got, core.CodeChatBusy)
	}
	_, err := f.store.Tables().Runs.Update(t.Context(), work.ID, func(r *core.Run) error {
		r.Status = core.RunEnded
		return nil
	})
	f.must(err)
	if got := undo(f.ann, run.ID); got != "" || f.content("a") != "P\n" {
		t.Errorf("afterwards: got %q and %q, want it undone", got, f.content("a"))
	}
}
