package versions_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/vcs"
)

// contents are all listed files.
func (f *fixture) contents() map[string]string {
	f.t.Helper()
	listing, err := f.pipeline.List(f.t.Context(), f.project)
	f.must(err)
	all := map[string]string{}
	for _, entry := range listing.Entries {
		all[entry.Path.String()] = f.content(entry.Path.String())
	}
	return all
}

// messages are those of all versions, the newest first.
func (f *fixture) messages() string {
	f.t.Helper()
	var messages []string
	for _, version := range f.log() {
		messages = append(messages, version.Author.Name+": "+version.Message)
	}
	return strings.Join(messages, ", ")
}

func TestRestoreMakesANewVersionAndLosesNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1", "d/b": "1", "keep": "k"})
	first := f.log()[0].ID
	f.commit(person, "Second", map[string]string{"a": "2", "d/b": "-", "new": "n"})
	f.edit(map[string]string{"a": "3", "by/hand": "mine"})
	made, changed, err := f.service.Restore(t.Context(), f.ann, f.project, first)
	f.must(err)
	if !changed || made.Author != (core.Author{Kind: core.AuthorUser, Name: "ann"}) || made.Message != "Restore: First" || made.FilesChanged != 4 {
		t.Errorf("got %+v, %t, want Ann's version of four files", made, changed)
	}
	if got := f.contents(); !maps.Equal(got, map[string]string{"a": "1", "d/b": "1", "keep": "k"}) {
		t.Errorf("got %v, want the first version's files", got)
	}
	if got := f.messages(); got != "ann: Restore: First, Bob: Edited by hand, Bob: Second, Bob: First" {
		t.Errorf("got %s, want the edits in a version of their own", got)
	}
	_, _, err = f.service.Restore(t.Context(), f.ann, f.project, f.log()[1].ID)
	f.must(err)
	if got := f.contents(); !maps.Equal(got, map[string]string{"a": "3", "by/hand": "mine", "keep": "k", "new": "n"}) {
		t.Errorf("got %v, want the edits back", got)
	}
}

func TestRestoreOfThePresentMakesNoVersion(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	latest := f.log()[0]
	got, changed, err := f.service.Restore(t.Context(), f.ann, f.project, latest.ID)
	if err != nil || changed || got != latest || len(f.log()) != 1 {
		t.Errorf("got %+v, %t, %v, want the latest version again", got, changed, err)
	}
	f.edit(map[string]string{"a": "2"})
	f.edit(map[string]string{"a": "1"})
	if got, changed, err := f.service.Restore(t.Context(), f.ann, f.project, latest.ID); err != nil || changed || got != latest {
		t.Errorf("got %+v, %t, %v, want the latest version again", got, changed, err)
	}
}

func TestRestorePutsFilesAndDirectoriesInEachOthersPlace(t *testing.T) {
	f, dir := onDisk(t)
	first := f.commit(person, "First", map[string]string{"x": "file", "d/e/f": "deep", "dist/out.js": "built"})
	f.commit(person, "Second", map[string]string{"x": "-", "d/e/f": "-", "dist/out.js": "-"})
	f.commit(person, "Third", map[string]string{"x/y/z": "deep", "d": "file"})
	made, _, err := f.service.Restore(t.Context(), f.ann, f.project, first.ID)
	f.must(err)
	if got, want := stock(t, dir, "", "rev-parse", made.ID+"^{tree}"), stock(t, dir, "", "rev-parse", first.ID+"^{tree}"); got != want {
		t.Errorf("got the tree %s, want %s", got, want)
	}
	if got := f.contents(); !maps.Equal(got, map[string]string{"x": "file", "d/e/f": "deep"}) || f.content("dist/out.js") != "built" {
		t.Errorf("got %v, want the first version's files", got)
	}
	if changed := stock(t, dir, "", "status", "--porcelain"); changed != "" {
		t.Errorf("git sees %q, want nothing", changed)
	}
}

func TestRestoreTakesNothingAwayThatIsInNoVersion(t *testing.T) {
	f, dir := onDisk(t)
	first := f.commit(person, "First", map[string]string{"x": "file", "dist/out.js": "built"})
	f.commit(person, "Second", map[string]string{"x": "-", "dist/out.js": "-"})
	f.commit(person, "Third", map[string]string{"x/y": "deep"})
	inTheWay := map[string]string{"dist": "dist", "x/node_modules/p.js": "x"}
	for name, blocked := range inTheWay {
		path := filepath.Join(dir, name)
		f.must(os.RemoveAll(filepath.Join(dir, "dist")), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte("made by a tool"), 0o644))
		_, _, err := f.service.Restore(t.Context(), f.ann, f.project, first.ID)
		if !core.IsCode(err, core.CodeConflict) || !strings.Contains(err.Error(), blocked) {
			t.Errorf("%s: got %v, want a conflict that names %s", name, err, blocked)
		}
		if got := f.contents(); !maps.Equal(got, map[string]string{"x/y": "deep"}) || len(f.log()) != 3 {
			t.Errorf("%s: got %v and %s, want nothing changed", name, got, f.messages())
		}
		f.must(os.RemoveAll(path))
	}
	_, _, err := f.service.Restore(t.Context(), f.ann, f.project, first.ID)
	f.must(err)
}

func TestWhatWentPastTheServiceIsKeptByRestore(t *testing.T) {
	f, dir := onDisk(t)
	first := f.commit(person, "First", map[string]string{"a": "1", "b": "1"})
	f.commit(person, "Second", map[string]string{"a": "2"})
	f.must(os.WriteFile(filepath.Join(dir, "a"), []byte("by a shell"), 0o755), os.Remove(filepath.Join(dir, "b")))
	_, _, err := f.service.Restore(t.Context(), f.ann, f.project, first.ID)
	f.must(err)
	if got := f.contents(); !maps.Equal(got, map[string]string{"a": "1", "b": "1"}) {
		t.Errorf("got %v, want the first version's files", got)
	}
	if kept := stock(t, dir, "", "show", "HEAD^:a"); kept != "by a shell" {
		t.Errorf("got %q in the version before, want what the shell wrote", kept)
	}
}

func TestAnyVersionOfARandomHistoryIsRestoredAsItWas(t *testing.T) {
	f, dir := onDisk(t)
	random := rand.New(rand.NewPCG(3, 5))
	held := map[string]string{}
	made := []core.Version{f.commit(person, "First", map[string]string{"first": "1"})}
	trees := map[string]map[string]string{made[0].ID: f.contents()}
	for i := range 25 {
		_, version, err := f.pipeline.ApplyAndCommit(t.Context(), f.project, randomChanges(random, held), vcs.Commit{Message: fmt.Sprint("step ", i), Author: person})
		f.must(err)
		if version != nil {
			made = append(made, *version)
			trees[version.ID] = f.contents()
		}
	}
	for range 15 {
		wanted := made[random.IntN(len(made))]
		got, _, err := f.service.Restore(t.Context(), f.ann, f.project, wanted.ID)
		f.must(err)
		if have, want := stock(t, dir, "", "rev-parse", got.ID+"^{tree}"), stock(t, dir, "", "rev-parse", wanted.ID+"^{tree}"); have != want {
			t.Fatalf("%s: got another tree: %s", wanted.Message, stock(t, dir, "", "diff", wanted.ID, got.ID))
		}
		if contents := f.contents(); !maps.Equal(contents, trees[wanted.ID]) {
			t.Fatalf("%s: got the files %v, want %v", wanted.Message, slices.Sorted(maps.Keys(contents)), slices.Sorted(maps.Keys(trees[wanted.ID])))
		}
		if changed := stock(t, dir, "", "status", "--porcelain"); changed != "" {
			t.Errorf("git sees %q, want nothing", changed)
		}
	}
}

func TestWhileTheAgentIsAtWorkNothingIsRestored(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	first := f.log()[0].ID
	f.edit(map[string]string{"a": "2"})
	run := core.Run{ID: core.NewID(), ChatID: f.chat.ID, ProjectID: f.project, Status: core.RunQueued}
	f.must(f.store.Tables().Runs.Create(t.Context(), run))
	if _, _, err := f.service.Restore(t.Context(), f.ann, f.project, first); !core.IsCode(err, core.CodeChatBusy) {
		t.Errorf("got %v, want chat_busy", err)
	}
	if f.content("a") != "2" || len(f.log()) != 1 {
		t.Errorf("got %q and %s, want nothing changed", f.content("a"), f.messages())
	}
}

func TestSaveMakesAVersionOfWhatIsStaged(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	if _, err := f.service.Save(t.Context(), f.ann, f.project, "Nothing"); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("nothing staged: got %v, want conflict", err)
	}
	f.edit(map[string]string{"a": "2", "b": "1"})
	made, err := f.service.Save(t.Context(), f.ann, f.project, " A point\n\nto come back to ")
	f.must(err)
	want := core.Version{ID: made.ID, Message: "A point\n\nto come back to", Author: core.Author{Kind: core.AuthorUser, Name: "ann"}, CreatedAt: made.CreatedAt, FilesChanged: 2}
	if !reflect.DeepEqual(made, want) {
		t.Errorf("got %+v, want %+v", made, want)
	}
	if _, err := f.service.Save(t.Context(), f.stranger, f.project, "x"); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("a stranger: got %v, want not_found", err)
	}
}

func TestSaveBoundsItsMessage(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	f.edit(map[string]string{"a": "2"})
	for _, message := range []string{"", " \n\t", strings.Repeat("é", files.MaxMessageChars+1), "a\x00b", "\xff"} {
		if _, err := f.service.Save(t.Context(), f.ann, f.project, message); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%.20q: got %v, want validation_failed", message, err)
		}
	}
	_, err := f.service.Save(t.Context(), f.ann, f.project, strings.Repeat("é", files.MaxMessageChars))
	f.must(err)
}

func TestSaveLeavesWhatARunChangedToTheRun(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	run := core.Run{
		ID: core.NewID(), ChatID: f.chat.ID, ProjectID: f.project, Status: core.RunRunning,
		Changed: []core.ProjectPath{core.MustPath("run")}, Intent: &core.Intent{Op: core.OpRename, Path: "from", To: "to"},
	}
	f.must(f.store.Tables().Runs.Create(t.Context(), run))
	f.edit(map[string]string{"run/x": "r", "to": "r", "mine": "m"})
	made, err := f.service.Save(t.Context(), f.ann, f.project, "Mine")
	f.must(err)
	detail, err := f.service.Show(t.Context(), f.ann, f.project, made.ID)
	if err != nil || len(detail.Files) != 1 || detail.Files[0].Path.String() != "mine" {
		t.Errorf("got %+v, %v, want the person's file alone", detail.Files, err)
	}
	if _, err := f.service.Save(context.WithoutCancel(t.Context()), f.ann, f.project, "Again"); !core.IsCode(err, core.CodeConflict) {
		t.Errorf("again: got %v, want conflict", err)
	}
}

func TestStockGitShowsWhoMadeAVersion(t *testing.T) {
	f, dir := onDisk(t)
	f.commit(person, "First", map[string]string{"a": "1"})
	_, err := f.pipeline.Apply(t.Context(), f.project, agent, changesTo(map[string]string{"a": "2"}), nil)
	f.must(err)
	_, _, err = f.pipeline.Commit(t.Context(), f.project, vcs.Commit{Message: "By the agent", Author: agent, ChatID: &f.chat.ID})
	f.must(err)
	f.edit(map[string]string{"a": "3"})
	_, err = f.service.Save(t.Context(), f.ann, f.project, "By hand")
	f.must(err)
	got := stock(t, dir, "", "log", "--format=%an <%ae> %s|%(trailers:key=Authored-By,valueonly,separator=)|%(trailers:key=Chat,valueonly,separator=)")
	want := "ann <user@atelier.invalid> By hand|user|\nAtelier <agent@atelier.invalid> By the agent|agent|" + string(core.MarkOf(f.chat.ID)) + "\nBob <user@atelier.invalid> First|user|"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
