package projects_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestCreateMakesAWholeProject(t *testing.T) {
	f := newFixture(t)
	folder := f.addFolder(f.workspace)
	view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{
		Name: "  My Shop!  ", Template: ptr("todo-app"), FolderID: &folder, Prompt: ptr("Build a shop"),
	})
	f.must(err)
	if view.Slug != "my-shop" || view.Name != "My Shop!" || *view.Template != "todo-app" || *view.FolderID != folder ||
		view.Visibility != core.VisibilityWorkspace || view.URL != nil || view.DeletedAt != nil || view.CreatedAt != core.At(f.now) {
		t.Errorf("got %+v", view)
	}
	listing, err := f.pipeline.List(f.ctx, view.ID)
	f.must(err)
	if !slices.ContainsFunc(listing.Entries, func(e core.FileEntry) bool { return e.Path.String() == "src/App.tsx" }) {
		t.Errorf("got the files %v, want the template's", listing.Entries)
	}
	versions, err := f.service.Versions(f.ctx, f.member, view.ID, "", 10)
	f.must(err)
	if len(versions) != 1 || versions[0].FilesChanged != len(listing.Entries) || versions[0].Author.Name != "bob" {
		t.Errorf("got the versions %+v, want one of all files by bob", versions)
	}
	chats, err := f.tables().Chats.List(f.ctx, view.ID)
	f.must(err)
	if len(chats) != 1 || !chats[0].IsDefault || chats[0].Mode != core.ModeBuild || chats[0].Title != "New chat" || !chats[0].Running {
		t.Errorf("got the chats %+v, want one default chat with a run", chats)
	}
	run, err := f.tables().Runs.Busy(f.ctx, chats[0].ID)
	f.must(err)
	if run.Status != core.RunQueued || !run.Detached || run.Text != "Build a shop" || run.UserID != f.member.UserID ||
		run.ProjectID != view.ID || run.WorkspaceID != f.workspace || f.wakes != 1 {
		t.Errorf("got the run %+v after %d wakes, want one queued run", run, f.wakes)
	}
}

func TestCreateWithoutAPromptQueuesNothing(t *testing.T) {
	f := newFixture(t)
	for _, prompt := range []*string{nil, ptr(" \n")} {
		view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop", Prompt: prompt})
		f.must(err)
		chats, err := f.tables().Chats.List(f.ctx, view.ID)
		f.must(err)
		if len(chats) != 1 || chats[0].Running || f.wakes != 0 || *view.Template != projects.DefaultTemplate {
			t.Errorf("got %+v after %d wakes, want a chat without a run", chats, f.wakes)
		}
	}
}

func TestCreateRefusesWhatIsOutOfBounds(t *testing.T) {
	f := newFixture(t)
	elsewhere := f.addFolder(f.addWorkspace(nil))
	tests := map[string]projects.Draft{
		"no name":                      {},
		"blank name":                   {Name: " \t"},
		"long name":                    {Name: strings.Repeat("x", core.MaxProjectNameChars+1)},
		"control character":            {Name: "a\x00b"},
		"unknown template":             {Name: "Shop", Template: ptr("none")},
		"template that is a path":      {Name: "Shop", Template: ptr("../blank")},
		"unknown folder":               {Name: "Shop", FolderID: ptr(core.NewID())},
		"malformed folder":             {Name: "Shop", FolderID: ptr(core.ID("x"))},
		"folder of another workspace":  {Name: "Shop", FolderID: &elsewhere},
		"prompt that is too long":      {Name: "Shop", Prompt: ptr(strings.Repeat("x", core.MaxPromptChars+1))},
		"prompt with a NUL":            {Name: "Shop", Prompt: ptr("a\x00")},
		"prompt that is no valid text": {Name: "Shop", Prompt: ptr("\xff")},
	}
	for name, draft := range tests {
		if _, err := f.service.Create(f.ctx, f.member, f.workspace, draft); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want validation_failed", name, err)
		}
	}
	f.wantTrees(0)
}

func TestCreateIsForMembers(t *testing.T) {
	f := newFixture(t)
	_, err := f.service.Create(f.ctx, f.stranger, f.workspace, projects.Draft{Name: "Shop"})
	f.wantCode(err, core.CodeNotFound)
	reader := core.Actor{UserID: f.member.UserID, Token: true, Scopes: []core.Scope{core.ScopeProjectsRead}}
	_, err = f.service.Create(f.ctx, reader, f.workspace, projects.Draft{Name: "Shop"})
	f.wantCode(err, core.CodeInsufficientScope)
	f.wantTrees(0)
}

func TestParallelCreatesOfOneNameAllGetASlugOfTheirOwn(t *testing.T) {
	for _, name := range []string{"Shop", strings.Repeat("x", 80)} {
		f := newFixture(t)
		const n = 16
		slugs := make([]string, n)
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() {
				view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: name})
				if err != nil {
					t.Error(err)
				}
				slugs[i] = view.Slug
			})
		}
		group.Wait()
		var want []string
		for i := range n {
			want = append(want, core.NumberedSlug(core.Slugify(name), i+1))
		}
		slices.Sort(slugs)
		slices.Sort(want)
		if !slices.Equal(slugs, want) {
			t.Errorf("got %q, want %q", slugs, want)
		}
		f.wantTrees(n)
	}
}

// conflictingStore makes the first transactions fail as PostgreSQL does when another
// one took the slug.
type conflictingStore struct {
	storage.Store
	failures int
	err      error
}

func (c *conflictingStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return c.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := do(ctx, tables); err != nil {
			return err
		}
		if c.failures--; c.failures >= 0 {
			return c.err
		}
		return nil
	})
}

func TestCreateTriesTheNextSlugWhenItLosesTheRace(t *testing.T) {
	f := newFixture(t)
	f.deps.Store = &conflictingStore{Store: f.deps.Store, failures: 3, err: core.Errorf(core.CodeConflict, "slug in use")}
	view, err := projects.NewService(f.deps).Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop"})
	f.must(err)
	if view.Slug != "shop-4" {
		t.Errorf("got %q, want the fourth choice", view.Slug)
	}
}

func TestCreateThatCannotBeRecordedLeavesNothing(t *testing.T) {
	f := newFixture(t)
	broken := errors.New("database gone")
	f.deps.Store = &conflictingStore{Store: f.deps.Store, failures: 1, err: broken}
	_, err := projects.NewService(f.deps).Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop", Prompt: ptr("x")})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the store's error", err)
	}
	f.wantTrees(0)
	views, err := f.service.List(f.ctx, f.member, projects.Filter{}, core.Page{Limit: 10})
	f.must(err)
	if len(views) != 0 || f.wakes != 0 {
		t.Errorf("got %d projects and %d wakes, want none", len(views), f.wakes)
	}
}

func TestTemplatesAreForCallersWithTheScope(t *testing.T) {
	f := newFixture(t)
	templates, err := f.service.Templates(f.stranger)
	f.must(err)
	if len(templates) < 2 {
		t.Errorf("got %v, want the templates", templates)
	}
	_, err = f.service.Templates(core.Actor{UserID: f.member.UserID, Token: true, Scopes: []core.Scope{core.ScopeChat}})
	f.wantCode(err, core.CodeInsufficientScope)
}

func TestSweepTakesOnlyWhatACrashedCreationLeft(t *testing.T) {
	f := newFixture(t)
	kept := f.create("Kept")
	unrecorded := func(write bool, commit bool) core.ID {
		view := f.create(fmt.Sprintf("Gone %t %t", write, commit))
		if write {
			_, err := f.pipeline.Apply(f.ctx, view.ID, core.Author{}, []core.FileChange{{Op: core.OpWrite, Path: core.MustPath("mine"), Content: []byte("x")}}, nil)
			f.must(err)
		}
		if commit {
			_, _, err := f.pipeline.Commit(f.ctx, view.ID, commitOf("Mine"))
			f.must(err)
		}
		f.must(f.tables().Projects.Delete(f.ctx, view.ID))
		return view.ID
	}
	pristine := unrecorded(false, false)
	unrecorded(true, false)
	unrecorded(true, true)
	empty := core.NewID()
	f.must(f.trees.Create(f.ctx, empty))

	swept, err := f.service.Sweep(f.ctx)
	f.must(err)
	if len(swept) != 0 {
		t.Errorf("got %q swept at once, want none", swept)
	}
	f.now = f.now.Add(2 * 3600e9)
	swept, err = f.service.Sweep(f.ctx)
	f.must(err)
	want := []core.ID{pristine, empty}
	slices.Sort(want)
	if !slices.Equal(swept, want) {
		t.Errorf("got %q swept, want the untouched one and the empty one: %q", swept, want)
	}
	f.wantTrees(3)
	if _, err := f.service.Get(f.ctx, f.member, kept.ID); err != nil {
		t.Errorf("the recorded project: %v", err)
	}
}
