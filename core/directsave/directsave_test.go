package directsave_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/directsave"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/markup"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// fixture is a project with index.html and a.css, its owner and a stranger.
type fixture struct {
	t               *testing.T
	pipeline        *files.Pipeline
	service         *directsave.Service
	project         core.ID
	owner, stranger core.Actor
}

const limit = 1 << 10

func newFixture(t *testing.T) *fixture {
	t.Helper()
	store, trees := memory.NewStore(), memory.NewTrees()
	f := &fixture{t: t, project: core.NewID(), owner: core.Actor{UserID: core.NewID()}, stranger: core.Actor{UserID: core.NewID()}}
	f.pipeline = files.NewPipeline(files.Deps{
		Exclusive: true,
		Trees:     trees, Repositories: memory.NewRepositories(trees), Store: store, Bus: memory.NewBus(), Unsaved: memory.NewUnsaved(), Locks: memory.NewLocks(),
		Search: memory.NewSearch(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	workspace := core.NewID()
	rows, err := f.pipeline.Create(t.Context(), f.project, fstest.MapFS{
		"index.html": {Data: []byte("<h1>Old</h1>\n")}, "a.css": {Data: []byte("a { color: red }\n")}, "a.txt": {Data: []byte("a")},
		"three.html": {Data: []byte("<p class=\"tw-p-4 -tw-ml-2\"></p>\n")}, "tailwind.config.js": {Data: []byte("module.exports = { prefix: 'tw-' }")},
	}, vcs.Commit{Message: "First", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}})
	f.must(err)
	f.must(store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		for _, user := range []core.Actor{f.owner, f.stranger} {
			f.must(tables.Users.Create(ctx, core.User{ID: user.UserID, Email: string(user.UserID) + "@example.com"}))
		}
		f.must(tables.Workspaces.Create(ctx, core.Workspace{ID: workspace, Name: "Team", Slug: "team"}))
		f.must(tables.Workspaces.PutMember(ctx, core.Membership{WorkspaceID: workspace, UserID: f.owner.UserID, Role: core.RoleOwner}))
		f.must(tables.Projects.Create(ctx, core.Project{ID: f.project, WorkspaceID: workspace, Slug: "shop", Visibility: core.VisibilityPublic, CreatedBy: f.owner.UserID}))
		_, err := tables.Files.Apply(ctx, f.project, storage.FileDelta{Put: rows})
		return err
	}))
	f.service = directsave.New(directsave.Deps{Gate: access.NewGate(store), Writer: f.pipeline.Writer, Patcher: memory.NewPatcher(), Sources: f.pipeline, MaxFileBytes: limit})
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) save(path string, patches ...directsave.Patch) (directsave.SaveResult, error) {
	return f.service.Save(f.t.Context(), f.owner, core.FileAt{Project: f.project, Path: core.MustPath(path)}, patches)
}

func (f *fixture) read(path string) string {
	f.t.Helper()
	file, err := f.pipeline.Open(f.t.Context(), core.FileAt{Project: f.project, Path: core.MustPath(path)})
	f.must(err)
	defer file.Close()
	content, err := io.ReadAll(file)
	f.must(err)
	return string(content)
}

var newTitle = directsave.Patch{Selector: "h1", Property: "textContent", Value: "New"}

func TestASaveIsWrittenListedAndTold(t *testing.T) {
	f := newFixture(t)
	saved, err := f.save("index.html", newTitle, directsave.Patch{Selector: "h1", Property: "color", Value: "red"})
	f.must(err)
	const want = "<h1 style=\"color: red\">New</h1>\n"
	if got := f.read("index.html"); got != want || saved.File.ETag != files.ETag([]byte(want)) || saved.Applied != 2 || saved.File.Path.String() != "index.html" {
		t.Errorf("got %q, %+v", got, saved)
	}
	if want := "--- a/index.html\n+++ b/index.html\n@@ -1,1 +1,1 @@\n-<h1>Old</h1>\n+" + want; saved.Diff != want {
		t.Errorf("got %q, want %q", saved.Diff, want)
	}
	listing, err := f.pipeline.List(t.Context(), f.project)
	f.must(err)
	for _, entry := range listing.Entries {
		if entry.Path == saved.File.Path && entry.ETag != saved.File.ETag {
			t.Errorf("listed: got %+v, want %+v", entry, saved.File)
		}
	}
}

func TestASaveThatChangesNothingWritesNothing(t *testing.T) {
	f := newFixture(t)
	first, err := f.save("index.html", newTitle)
	f.must(err)
	again, err := f.save("index.html", newTitle)
	f.must(err)
	if again.Diff != "" || again.Applied != 1 || again.File != first.File {
		t.Errorf("got %+v, want the file as it is: %+v", again, first.File)
	}
}

func TestClassesAreWrittenAsTheProjectDoes(t *testing.T) {
	f := newFixture(t)
	saved, err := f.save("three.html", directsave.Patch{Selector: "p", Property: "padding", Value: "2rem", As: markup.AsClass, Dialect: markup.Dialect{Prefix: "x"}})
	if want := "+<p class=\"tw-p-[2rem] -tw-ml-2\"></p>"; err != nil || !strings.Contains(saved.Diff, want) {
		t.Errorf("got %q, %v, want %s in it", saved.Diff, err, want)
	}
}

func TestATryReportsEachPatchAndChangesNothing(t *testing.T) {
	f := newFixture(t)
	at := core.FileAt{Project: f.project, Path: core.MustPath("index.html")}
	outcomes, err := f.service.Try(t.Context(), f.owner, at, []directsave.Patch{newTitle, {Selector: "h2", Property: "title"}, {Selector: "h1", Property: "onclick", Value: "x"}})
	f.must(err)
	if len(outcomes) != 3 || outcomes[0].Error != "" || outcomes[1].Error != core.CodeSelectorNotFound || outcomes[2].Error != core.CodeValidationFailed || outcomes[1].Message.String() == "" {
		t.Errorf("got %+v", outcomes)
	}
	if got := f.read("index.html"); got != "<h1>Old</h1>\n" {
		t.Errorf("got %q, want the file as it was", got)
	}
	many := make([]directsave.Patch, directsave.MaxTried+1)
	for i := range many {
		many[i] = newTitle
	}
	if _, err := f.service.Try(t.Context(), f.owner, at, many); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v for too many", err)
	}
	if _, err := f.service.Try(t.Context(), f.stranger, at, many[:1]); !core.IsCode(err, core.CodeForbidden) {
		t.Errorf("got %v for a stranger", err)
	}
}

func TestSavesAreRefused(t *testing.T) {
	f := newFixture(t)
	long := func(n int) string { return strings.Repeat("ä", n) }
	many := make([]directsave.Patch, directsave.MaxPatches+1)
	for i := range many {
		many[i] = newTitle
	}
	for _, c := range []struct {
		path    string
		patches []directsave.Patch
		want    core.Code
	}{
		{"index.html", nil, core.CodeValidationFailed},
		{"index.html", many, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{{Selector: "h1", Property: "title", Value: long(directsave.MaxValueChars + 1)}}, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{{Selector: long(directsave.MaxSelectorChars + 1), Property: "title"}}, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{{Selector: "h1", Property: long(directsave.MaxPropertyChars + 1)}}, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{{Selector: "", Property: "title"}}, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{{Selector: "h1", Property: ""}}, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{{Selector: "h1", Property: "title", Value: "a\x00"}}, core.CodeValidationFailed},
		{"index.html", []directsave.Patch{newTitle, {Selector: "h2", Property: "title"}}, core.CodeSelectorNotFound},
		{"index.html", []directsave.Patch{{Selector: "h1", Property: "title", Value: long(limit)}}, core.CodePayloadTooLarge},
		{"missing.html", []directsave.Patch{newTitle}, core.CodeNotFound},
		{"a.txt", []directsave.Patch{newTitle}, core.CodeUnsupportedFile},
	} {
		if _, err := f.save(c.path, c.patches...); core.CodeOf(err) != c.want {
			t.Errorf("%s, %.80v: got %v, want %s", c.path, c.patches, err, c.want)
		}
	}
	if _, err := f.save("index.html", many[:directsave.MaxPatches]...); err != nil {
		t.Errorf("got %v for as many patches as there may be", err)
	}
}

func TestAReaderOfAPublicProjectMayNotSave(t *testing.T) {
	f := newFixture(t)
	_, err := f.service.Save(t.Context(), f.stranger, core.FileAt{Project: f.project, Path: core.MustPath("index.html")}, []directsave.Patch{newTitle})
	if !core.IsCode(err, core.CodeForbidden) || f.read("index.html") != "<h1>Old</h1>\n" {
		t.Errorf("got %v, want %s", err, core.CodeForbidden)
	}
}

func TestSavesAtTheSameTimeLoseNothing(t *testing.T) {
	f := newFixture(t)
	properties := []string{"top", "left", "right", "bottom"}
	var group sync.WaitGroup
	for _, property := range properties {
		group.Go(func() {
			if _, err := f.save("a.css", directsave.Patch{Selector: "a", Property: property, Value: "1px"}); err != nil {
				t.Errorf("%s: %v", property, err)
			}
		})
	}
	group.Wait()
	for _, property := range properties {
		if got := f.read("a.css"); !strings.Contains(got, property+": 1px") {
			t.Errorf("got %q without %s", got, property)
		}
	}
}
