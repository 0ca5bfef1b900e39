package projects_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// inTrash is a fixture that keeps deleted projects for 30 days.
func inTrash(t *testing.T) *fixture {
	f := newFixture(t)
	f.deps.Retention = projects.Retention(30 * 24 * time.Hour)
	f.service = projects.NewService(f.deps)
	return f
}

func (f *fixture) delete(project core.ID) {
	f.t.Helper()
	f.must(f.service.Delete(f.ctx, f.member, project))
}

func (f *fixture) wantGone(project core.ID, gone bool) {
	f.t.Helper()
	if _, err := f.tables().Projects.ByID(f.ctx, project); core.IsCode(err, core.CodeNotFound) != gone {
		f.t.Errorf("%s: got %v, want it gone: %t", project, err, gone)
	}
}

func TestTheTrashExpires(t *testing.T) {
	f := inTrash(t)
	old, young, kept, restored := f.create("Old"), f.create("Young"), f.create("Kept"), f.create("Restored")
	f.delete(old.ID)
	f.delete(restored.ID)
	listed, err := f.service.List(f.ctx, f.member, projects.Filter{Deleted: true}, core.Page{Limit: 9})
	f.must(err)
	if at := listed[0].PurgeAt; at == nil || *at != listed[0].DeletedAt.Add(30*24*time.Hour) || kept.PurgeAt != nil {
		t.Errorf("got %v, want it to say when it goes", at)
	}
	f.now = f.now.Add(29 * 24 * time.Hour)
	f.delete(young.ID)
	f.must(f.service.PurgeExpired(f.ctx))
	f.wantGone(old.ID, false)
	_, err = f.service.Restore(f.ctx, f.member, restored.ID)
	f.must(err)
	f.now = f.now.Add(25 * time.Hour)
	f.must(f.service.PurgeExpired(f.ctx))
	f.wantGone(old.ID, true)
	for _, id := range []core.ID{young.ID, kept.ID, restored.ID} {
		f.wantGone(id, false)
	}
	f.wantTrees(3)
	entries, err := f.deps.Audit.List(f.ctx, f.owner, f.workspace, core.Page{Limit: 1})
	f.must(err)
	if entries[0].Action != core.AuditProjectPurged || entries[0].Actor != nil || entries[0].Target != "Old" {
		t.Errorf("got %+v, want that the service purged it", entries[0])
	}
}

func TestWithoutARetentionTheTrashStays(t *testing.T) {
	f := newFixture(t)
	project := f.create("Old")
	f.delete(project.ID)
	f.now = f.now.Add(1000 * 24 * time.Hour)
	f.must(f.service.PurgeExpired(f.ctx))
	f.wantGone(project.ID, false)
}

func TestTheTrashExpiresInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := inTrash(t)
		f.deps.Now = time.Now
		f.service = projects.NewService(f.deps)
		project := f.create("Old")
		f.delete(project.ID)
		f.service.Start()
		synctest.Wait()
		f.wantGone(project.ID, false)
		time.Sleep(31 * 24 * time.Hour)
		synctest.Wait()
		f.wantGone(project.ID, true)
		f.must(f.service.Close(context.Background()))
	})
}

// TestAForsakenWorkspaceGoesWithItsLastProject is about people who delete their accounts.
func TestAForsakenWorkspaceGoesWithItsLastProject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t)
		first, second := f.create("First"), f.create("Second")
		f.service.Start()
		synctest.Wait()
		condemn := func(id core.ID) {
			_, err := f.tables().Projects.Update(f.ctx, id, func(project *core.Project) error {
				project.Purging, project.DeletedAt = true, ptr(core.At(f.now))
				return nil
			})
			f.must(err)
			f.service.WakePurge()
			synctest.Wait()
			f.wantGone(id, true)
		}
		f.must(f.tables().Members.Remove(f.ctx, f.workspace, f.member.UserID))
		condemn(first.ID)
		_, err := f.tables().Workspaces.ByID(f.ctx, f.workspace)
		f.wantCode(err, "")
		f.must(f.tables().Members.Remove(f.ctx, f.workspace, f.owner.UserID))
		condemn(second.ID)
		_, err = f.tables().Workspaces.ByID(f.ctx, f.workspace)
		f.wantCode(err, core.CodeNotFound)
		f.wantTrees(0)
		f.must(f.service.Close(context.Background()))
	})
}

// TestAWorkspaceWithMembersOutlivesItsProjects holds that an empty workspace stays theirs.
func TestAWorkspaceWithMembersOutlivesItsProjects(t *testing.T) {
	f := newFixture(t)
	f.must(f.service.Purge(f.ctx, f.owner, f.create("Only").ID))
	_, err := f.tables().Workspaces.ByID(f.ctx, f.workspace)
	f.wantCode(err, "")
}

func TestAnOwnerEmptiesTheTrash(t *testing.T) {
	f := inTrash(t)
	first, second, kept := f.create("First"), f.create("Second"), f.create("Kept")
	f.delete(first.ID)
	f.delete(second.ID)
	f.wantCode(f.service.EmptyTrash(f.ctx, f.member, f.workspace), core.CodeForbidden)
	f.wantCode(f.service.EmptyTrash(f.ctx, f.stranger, f.workspace), core.CodeNotFound)
	f.wantGone(first.ID, false)
	f.must(f.service.EmptyTrash(f.ctx, f.owner, f.workspace))
	f.wantGone(first.ID, true)
	f.wantGone(second.ID, true)
	f.wantGone(kept.ID, false)
	f.must(f.service.EmptyTrash(f.ctx, f.owner, f.workspace))
}

func TestAStrangerSeesThePublicProjectsOfAWorkspace(t *testing.T) {
	f := newFixture(t)
	f.create("Hidden")
	shown := f.create("Shown")
	of := projects.Filter{Workspace: f.workspace}
	_, err := f.service.List(f.ctx, f.stranger, of, core.Page{Limit: 9})
	f.wantCode(err, core.CodeNotFound)
	_, err = f.service.Change(f.ctx, f.member, shown.ID, projects.Patch{Visibility: given("public")})
	f.must(err)
	for _, filter := range []projects.Filter{of, {Public: true}, {Public: true, Workspace: f.workspace}} {
		found, err := f.service.List(f.ctx, f.stranger, filter, core.Page{Limit: 9})
		if err != nil || len(found) != 1 || found[0].ID != shown.ID {
			t.Errorf("%+v: got %v, %v, want the public one", filter, found, err)
		}
	}
	of.Deleted = true
	if found, err := f.service.List(f.ctx, f.stranger, of, core.Page{Limit: 9}); err != nil || len(found) != 0 {
		t.Errorf("got %v, %v, want nothing of the trash", found, err)
	}
	token := f.stranger
	token.Token, token.Scopes = true, []core.Scope{core.ScopeChat}
	_, err = f.service.List(f.ctx, token, projects.Filter{Workspace: f.workspace}, core.Page{Limit: 9})
	f.wantCode(err, core.CodeInsufficientScope)
}

func TestAProjectBeginsWithAVisibility(t *testing.T) {
	f := newFixture(t)
	for asked, want := range map[string]core.Visibility{"private": core.VisibilityPrivate, "workspace": core.VisibilityWorkspace, "public": core.VisibilityPublic} {
		view, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop", Visibility: &asked})
		if err != nil || view.Visibility != want {
			t.Errorf("%s: got %s, %v", asked, view.Visibility, err)
		}
	}
	_, err := f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Shop", Visibility: ptr("secret")})
	f.wantCode(err, core.CodeValidationFailed)
}
