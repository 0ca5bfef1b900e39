package projects_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/vcs"
)

func commitOf(message string) vcs.Commit {
	return vcs.Commit{Message: message, Author: core.Author{Kind: core.AuthorUser, Name: "Bob"}}
}

func TestChangeSetsWhatIsPresentOnly(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	folder := f.addFolder(f.workspace)
	f.now = f.now.Add(time.Minute)
	changed, err := f.service.Change(f.ctx, f.member, view.ID, projects.Patch{
		Name: given(" Store "), Description: given("Sells things"), FolderID: given(folder), Visibility: given("private"), Slug: given("store"),
	})
	f.must(err)
	if changed.Name != "Store" || *changed.Description != "Sells things" || *changed.FolderID != folder ||
		changed.Visibility != core.VisibilityPrivate || changed.Slug != "store" || changed.UpdatedAt != core.At(f.now) {
		t.Errorf("got %+v, want all five changed", changed)
	}
	f.now = f.now.Add(time.Minute)
	cleared, err := f.service.Change(f.ctx, f.member, view.ID, projects.Patch{Description: null[string](), FolderID: null[core.ID]()})
	f.must(err)
	if cleared.Description != nil || cleared.FolderID != nil || cleared.Name != "Store" || cleared.Slug != "store" {
		t.Errorf("got %+v, want two fields cleared and the rest as it was", cleared)
	}
	at := f.now
	f.now = f.now.Add(time.Minute)
	same, err := f.service.Change(f.ctx, f.member, view.ID, projects.Patch{})
	f.must(err)
	if same.UpdatedAt != core.At(at) {
		t.Errorf("an empty patch moved updatedAt to %v", same.UpdatedAt)
	}
}

func TestChangeRefusesWhatIsOutOfBounds(t *testing.T) {
	f := newFixture(t)
	f.create("Taken")
	view := f.create("Shop")
	elsewhere := f.addFolder(f.addWorkspace(nil))
	tests := map[string]struct {
		patch projects.Patch
		want  core.Code
	}{
		"null name":            {projects.Patch{Name: null[string]()}, core.CodeInvalidRequest},
		"null visibility":      {projects.Patch{Visibility: null[string]()}, core.CodeInvalidRequest},
		"null slug":            {projects.Patch{Slug: null[string]()}, core.CodeInvalidRequest},
		"blank name":           {projects.Patch{Name: given(" ")}, core.CodeValidationFailed},
		"long description":     {projects.Patch{Description: given(strings.Repeat("x", 2001))}, core.CodeValidationFailed},
		"unknown visibility":   {projects.Patch{Visibility: given("secret")}, core.CodeValidationFailed},
		"slug with a space":    {projects.Patch{Slug: given("a b")}, core.CodeValidationFailed},
		"slug in use":          {projects.Patch{Slug: given("taken")}, core.CodeConflict},
		"folder elsewhere":     {projects.Patch{FolderID: given(elsewhere)}, core.CodeValidationFailed},
		"good and bad at once": {projects.Patch{Name: given("Other"), Slug: given("-")}, core.CodeValidationFailed},
	}
	for name, test := range tests {
		if _, err := f.service.Change(f.ctx, f.member, view.ID, test.patch); !core.IsCode(err, test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
	after, err := f.service.Get(f.ctx, f.member, view.ID)
	f.must(err)
	if after.Project.Name != view.Name || after.Slug != view.Slug || after.UpdatedAt != view.UpdatedAt {
		t.Errorf("got %+v, want the project as it was", after)
	}
}

func TestEveryCallAsksTheGate(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	calls := map[string]func(by core.Actor) error{
		"get":      func(by core.Actor) error { _, err := f.service.Get(f.ctx, by, view.ID); return err },
		"versions": func(by core.Actor) error { _, err := f.service.Versions(f.ctx, by, view.ID, "", 1); return err },
		"change": func(by core.Actor) error {
			_, err := f.service.Change(f.ctx, by, view.ID, projects.Patch{})
			return err
		},
		"delete":  func(by core.Actor) error { return f.service.Delete(f.ctx, by, view.ID) },
		"purge":   func(by core.Actor) error { return f.service.Purge(f.ctx, by, view.ID) },
		"restore": func(by core.Actor) error { _, err := f.service.Restore(f.ctx, by, view.ID); return err },
	}
	for name, call := range calls {
		if err := call(f.stranger); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s by a stranger: got %v, want not found", name, err)
		}
		if name == "purge" {
			f.wantCode(call(f.member), core.CodeForbidden)
		}
	}
	_, err := f.service.Change(f.ctx, f.member, view.ID, projects.Patch{Visibility: given("public")})
	f.must(err)
	for name, call := range calls {
		want := core.CodeForbidden
		if name == "get" || name == "versions" {
			want = ""
		}
		if err := call(f.stranger); core.CodeOf(err) != want {
			t.Errorf("%s of a public project by a stranger: got %v, want %q", name, err, want)
		}
	}
}

func TestFollowersLearnOfAChangedProject(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	notices, err := f.deps.Bus.Follow(f.ctx, view.ID)
	f.must(err)
	_, err = f.service.Change(f.ctx, f.member, view.ID, projects.Patch{Name: given("Store")})
	f.must(err)
	if got := <-notices; got.Kind != core.NoticeProject || got.ProjectID != view.ID {
		t.Errorf("got %+v, want a notice of the project", got)
	}
}

func TestDeleteHidesAndRestoreBringsBack(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	_, err := f.tables().Projects.Update(f.ctx, view.ID, func(p *core.Project) error { p.PublishedSlug = ptr("shop"); return nil })
	f.must(err)
	live, err := f.service.Get(f.ctx, f.member, view.ID)
	f.must(err)
	if live.URL == nil || *live.URL != "http://shop.example.net" {
		t.Errorf("got the address %v, want that of the site", live.URL)
	}
	f.must(f.service.Delete(f.ctx, f.member, view.ID))
	_, err = f.service.Get(f.ctx, f.member, view.ID)
	f.wantCode(err, core.CodeNotFound)
	f.wantCode(f.service.Delete(f.ctx, f.member, view.ID), core.CodeNotFound)
	f.wantListed(projects.Filter{})
	f.wantListed(projects.Filter{Deleted: true}, view.ID)
	deleted, err := f.service.List(f.ctx, f.member, projects.Filter{Deleted: true}, core.Page{Limit: 1})
	f.must(err)
	if deleted[0].URL != nil || deleted[0].DeletedAt == nil {
		t.Errorf("got %+v, want no address while deleted", deleted[0])
	}
	restored, err := f.service.Restore(f.ctx, f.member, view.ID)
	f.must(err)
	if restored.DeletedAt != nil || restored.URL == nil {
		t.Errorf("got %+v, want it live again", restored)
	}
	again, err := f.service.Restore(f.ctx, f.member, view.ID)
	f.must(err)
	if again.UpdatedAt != restored.UpdatedAt {
		t.Error("restoring what is not deleted changed it")
	}
	f.wantListed(projects.Filter{}, view.ID)
	f.wantTrees(1)
}

func TestALiveSiteHasItsOwnersNameWhereOneIsActive(t *testing.T) {
	for address, want := range map[string]string{"http://shop.example.net": "http://shop.example.com", "http://shop.localhost:8080/": "http://shop.example.com:8080/"} {
		place := projects.Address(func(string) string { return address })
		if got := place.Of(core.Project{PublishedSlug: ptr("shop"), CustomDomain: ptr("shop.example.com")}); got == nil || *got != want {
			t.Errorf("got %v, want %s", got, want)
		}
		if got := place.Of(core.Project{PublishedSlug: ptr("shop")}); got == nil || *got != address {
			t.Errorf("got %v, want %s", got, address)
		}
		if got := place.Of(core.Project{CustomDomain: ptr("shop.example.com")}); got != nil {
			t.Errorf("got %s, want no address without a site", *got)
		}
	}
	f := newFixture(t)
	project := f.create("Shop")
	_, err := f.tables().Projects.Update(f.ctx, project.ID, func(p *core.Project) error {
		p.PublishedSlug, p.CustomDomain = ptr("shop"), ptr("shop.example.com")
		return nil
	})
	f.must(err)
	if got, err := f.service.Get(f.ctx, f.member, project.ID); err != nil || got.URL == nil || *got.URL != "http://shop.example.com" {
		t.Errorf("got %v, %v, want the owner's name", got.URL, err)
	}
}

func TestDeletingAndRestoringAreInTheLog(t *testing.T) {
	f := newFixture(t)
	project := f.create("Shop")
	for range 2 {
		f.must(f.service.Delete(f.ctx, f.member, project.ID))
		_, err := f.service.Restore(f.ctx, f.member, project.ID)
		f.must(err)
	}
	f.must(f.service.Purge(f.ctx, f.owner, project.ID))
	entries, err := f.deps.Audit.List(f.ctx, f.owner, f.workspace, core.Page{Limit: 9})
	f.must(err)
	var got []core.AuditAction
	for _, entry := range entries {
		got = append(got, entry.Action)
	}
	want := []core.AuditAction{
		core.AuditProjectPurged, core.AuditProjectDeleted, core.AuditProjectRestored, core.AuditProjectDeleted,
		core.AuditProjectRestored, core.AuditProjectDeleted,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func (f *fixture) wantListed(filter projects.Filter, want ...core.ID) {
	f.t.Helper()
	views, err := f.service.List(f.ctx, f.member, filter, core.Page{Limit: 100})
	f.must(err)
	got := map[core.ID]bool{}
	for _, view := range views {
		got[view.ID] = true
	}
	for _, id := range want {
		if !got[id] {
			f.t.Errorf("%+v: %s is not listed", filter, id)
		}
	}
	if len(views) != len(want) {
		f.t.Errorf("%+v: got %d projects, want %d", filter, len(views), len(want))
	}
}

func TestListFilters(t *testing.T) {
	f := newFixture(t)
	folder := f.addFolder(f.workspace)
	other := f.addWorkspace(map[core.ID]core.Role{f.member.UserID: core.RoleMember})
	shop := f.create("Shop of tea")
	inFolder, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Blog", FolderID: &folder})
	f.must(err)
	elsewhere, err := f.service.Create(f.ctx, f.member, other, projects.Draft{Name: "Teapot"})
	f.must(err)
	private, err := f.service.Create(f.ctx, f.owner, f.workspace, projects.Draft{Name: "Secret tea"})
	f.must(err)
	_, err = f.service.Change(f.ctx, f.owner, private.ID, projects.Patch{Visibility: given("private")})
	f.must(err)

	f.wantListed(projects.Filter{}, shop.ID, inFolder.ID, elsewhere.ID)
	f.wantListed(projects.Filter{Workspace: other}, elsewhere.ID)
	f.wantListed(projects.Filter{Folder: folder}, inFolder.ID)
	f.wantListed(projects.Filter{RootOnly: true}, shop.ID, elsewhere.ID)
	f.wantListed(projects.Filter{Query: "tea"}, shop.ID, elsewhere.ID)
	f.wantListed(projects.Filter{Visibility: core.VisibilityPrivate})
	_, err = f.service.List(f.ctx, f.stranger, projects.Filter{Workspace: f.workspace}, core.Page{Limit: 1})
	f.wantCode(err, core.CodeNotFound)
	views, err := f.service.List(f.ctx, f.stranger, projects.Filter{}, core.Page{Limit: 1})
	f.must(err)
	if len(views) != 0 {
		t.Errorf("a stranger sees %d projects, want none", len(views))
	}
}

func TestPurgeLeavesNothing(t *testing.T) {
	f := newFixture(t)
	view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop", Prompt: ptr("Build")})
	f.must(err)
	deployment := core.Deployment{ID: core.NewID(), ProjectID: view.ID, Status: core.DeploymentLive, By: f.member.UserID}
	f.must(f.tables().Deployments.Create(f.ctx, deployment))
	f.must(f.deps.Sites.Put(f.ctx, deployment.ID, []sites.File{{Path: "index.html"}}))
	f.must(f.service.Delete(f.ctx, f.member, view.ID))
	f.must(f.service.Purge(f.ctx, f.owner, view.ID))
	_, err = f.tables().Projects.ByID(f.ctx, view.ID)
	f.wantCode(err, core.CodeNotFound)
	_, err = f.deps.Sites.List(f.ctx, deployment.ID)
	f.wantCode(err, core.CodeNotFound)
	f.wantTrees(0)
	again := f.create("Shop")
	if again.Slug != "shop" {
		t.Errorf("got the slug %q, want the old one free again", again.Slug)
	}
}

func TestPurgeThatWasCutShortCanBeDoneAgain(t *testing.T) {
	f := newFixture(t)
	view := f.create("Shop")
	f.trees.SetMissing(true)
	f.wantCode(f.service.Purge(f.ctx, f.owner, view.ID), core.CodeUnavailable)
	f.trees.SetMissing(false)
	f.wantListed(projects.Filter{Deleted: true}, view.ID)
	f.must(f.trees.Remove(f.ctx, view.ID))
	_, err := f.service.Restore(f.ctx, f.member, view.ID)
	f.wantCode(err, core.CodeNotFound)
	f.must(f.service.Purge(f.ctx, f.owner, view.ID))
	f.wantListed(projects.Filter{Deleted: true})
}

func TestDeleteStopsTheRuns(t *testing.T) {
	f := newFixture(t)
	view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop", Prompt: ptr("Build")})
	f.must(err)
	notices, err := f.deps.Bus.Follow(f.ctx, view.ID)
	f.must(err)
	f.must(f.service.Delete(f.ctx, f.member, view.ID))
	chats, err := f.tables().Chats.List(f.ctx, view.ID)
	f.must(err)
	run, err := f.tables().Runs.Busy(f.ctx, chats[0].ID)
	f.must(err)
	if !run.StopRequested {
		t.Error("the run was not asked to stop")
	}
	if got := []core.NoticeKind{(<-notices).Kind, (<-notices).Kind}; got[0] != core.NoticeProject || got[1] != core.NoticeRunStop {
		t.Errorf("got the notices %q, want the project's and the run's", got)
	}
}
