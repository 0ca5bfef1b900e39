package projects_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
)

// share makes a template of a project in the fixture's workspace.
func (f *fixture) share(by core.Actor, project core.ID, alter ...func(*projects.SharedDraft)) projects.SharedTemplate {
	f.t.Helper()
	draft := projects.SharedDraft{ProjectID: project, Name: "Starter"}
	for _, alter := range alter {
		alter(&draft)
	}
	shared, err := f.service.Gallery.Share(f.ctx, by, f.workspace, draft)
	f.must(err)
	return shared
}

// remix makes a project from a template.
func (f *fixture) remix(by core.Actor, workspace, template core.ID) projects.View {
	f.t.Helper()
	view, err := f.service.Create(f.ctx, by, workspace, projects.Draft{Name: "Remix", Template: ptr(string(template))})
	f.must(err)
	return view
}

// content returns a file of a project, "" without one.
func (f *fixture) content(project core.ID, path string) string {
	f.t.Helper()
	file, err := f.pipeline.Open(f.ctx, core.FileAt{Project: project, Path: core.MustPath(path)})
	if core.IsCode(err, core.CodeNotFound) {
		return ""
	}
	f.must(err)
	defer file.Close()
	var content bytes.Buffer
	_, err = content.ReadFrom(file)
	f.must(err)
	return content.String()
}

func TestARemixHasTheFilesOfItsTemplateAndNoHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	source := f.create("Shop")
	f.save(source.ID, "a.txt", "first")
	f.save(source.ID, "a.txt", "second")
	f.write(source.ID, "b.txt", "not in a version")
	f.write(source.ID, ".env", "KEY=secret")
	f.write(source.ID, core.BackendSeedPath, `{}`)
	f.must(f.tables().Thumbnails.Put(f.ctx, core.Thumbnail{ProjectID: source.ID, PNG: []byte("png"), TakenAt: 1}))

	plain := f.share(f.member, source.ID)
	seeded := f.share(f.member, source.ID, func(d *projects.SharedDraft) { d.WithSeed = true })
	f.save(source.ID, "a.txt", "later")
	f.must(f.service.Purge(f.ctx, f.owner, source.ID))

	made := f.remix(f.owner, f.workspace, plain.ID)
	got := []string{f.content(made.ID, "a.txt"), f.content(made.ID, "b.txt"), f.content(made.ID, ".env"), f.content(made.ID, core.BackendSeedPath)}
	if want := []string{"second", "not in a version", "", ""}; !slices.Equal(got, want) {
		t.Errorf("got the files %q, want %q", got, want)
	}
	if versions := f.versions(made.ID); len(versions) != 1 || versions[0].Message != "Create the project from the template Starter" {
		t.Errorf("got the versions %+v, want one that names the template", versions)
	}
	if made.Template != nil || made.Visibility != core.VisibilityWorkspace || made.ThumbnailURL != nil {
		t.Errorf("got %+v, want a new project without a built-in template", made.Project)
	}
	if got := f.content(f.remix(f.owner, f.workspace, seeded.ID).ID, core.BackendSeedPath); got != `{}` {
		t.Errorf("got the seed %q, want the project's", got)
	}
	_, picture, err := f.service.Gallery.Picture(f.ctx, f.owner, f.workspace, plain.ID)
	if f.must(err); string(picture) != "png" {
		t.Errorf("got the picture %q, want the project's", picture)
	}
	if list := f.gallery(f.owner); len(list) != 2 || list[0].ProjectID != nil || list[0].Author != "bob" {
		t.Errorf("got %+v, want both templates without their project", list)
	}
}

// gallery returns the templates of the fixture's workspace.
func (f *fixture) gallery(by core.Actor) []projects.SharedTemplate {
	f.t.Helper()
	list, err := f.service.Gallery.List(f.ctx, by, f.workspace)
	f.must(err)
	return list
}

func TestATemplateKeepsItsFilesUntilSomebodyTakesThemAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	source := f.create("Shop")
	f.save(source.ID, "a.txt", "old")
	shared := f.share(f.member, source.ID)
	f.save(source.ID, "a.txt", "new")
	f.must(f.tables().Thumbnails.Put(f.ctx, core.Thumbnail{ProjectID: source.ID, PNG: []byte("png"), TakenAt: 1}))
	if got := f.content(f.remix(f.member, f.workspace, shared.ID).ID, "a.txt"); got != "old" {
		t.Fatalf("got %q before, want the file as it was shared", got)
	}
	f.now = f.now.Add(time.Hour)
	retaken, err := f.service.Gallery.Retake(f.ctx, f.member, f.workspace, shared.ID)
	f.must(err)
	if retaken.TakenAt == shared.TakenAt || retaken.ThumbnailURL == shared.ThumbnailURL || retaken.CreatedAt != shared.CreatedAt {
		t.Errorf("got %+v after %+v, want another time and picture", retaken, shared)
	}
	if got := f.content(f.remix(f.member, f.workspace, shared.ID).ID, "a.txt"); got != "new" {
		t.Errorf("got %q after, want the file as it is", got)
	}
}

// TestPlacesForArchivesAreGivenBack does everything more often than there are places, and fails.
func TestPlacesForArchivesAreGivenBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	shared := f.share(f.member, f.create("Shop").ID)
	broken := f.share(f.member, *shared.ProjectID)
	f.must(f.tables().SharedTemplates.PutContent(f.ctx, broken.ID, core.SharedContent{Archive: []byte("no archive")}))
	for range 6 {
		f.remix(f.member, f.workspace, shared.ID)
		_, err := f.service.Gallery.Retake(f.ctx, f.member, f.workspace, shared.ID)
		f.must(err)
		_, err = f.service.Create(f.ctx, f.member, f.workspace, projects.Draft{Name: "Broken", Template: ptr(string(broken.ID))})
		f.wantCode(err, core.CodeValidationFailed)
	}
}

func TestOnlyMembersSeeAndUseATemplate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	shared := f.share(f.member, f.create("Shop").ID)
	elsewhere := f.addWorkspace(map[core.ID]core.Role{f.stranger.UserID: core.RoleOwner, f.member.UserID: core.RoleMember})
	gallery := f.service.Gallery
	id := string(shared.ID)
	for _, workspace := range []core.ID{f.workspace, elsewhere} {
		_, err := gallery.Change(f.ctx, f.stranger, workspace, shared.ID, projects.TemplateChange{Name: ptr("Mine")})
		f.wantCode(err, core.CodeNotFound)
		_, err = gallery.Retake(f.ctx, f.stranger, workspace, shared.ID)
		f.wantCode(err, core.CodeNotFound)
		f.wantCode(gallery.Delete(f.ctx, f.stranger, workspace, shared.ID), core.CodeNotFound)
		_, _, err = gallery.Picture(f.ctx, f.stranger, workspace, shared.ID)
		f.wantCode(err, core.CodeNotFound)
	}
	_, err := gallery.List(f.ctx, f.stranger, f.workspace)
	f.wantCode(err, core.CodeNotFound)
	_, err = gallery.Share(f.ctx, f.stranger, elsewhere, projects.SharedDraft{ProjectID: *shared.ProjectID, Name: "Stolen"})
	f.wantCode(err, core.CodeNotFound)
	_, err = gallery.Share(f.ctx, f.member, elsewhere, projects.SharedDraft{ProjectID: *shared.ProjectID, Name: "Astray"})
	f.wantCode(err, core.CodeNotFound)

	_, foreign := f.service.Create(f.ctx, f.stranger, elsewhere, projects.Draft{Name: "Stolen", Template: &id})
	f.wantCode(foreign, core.CodeValidationFailed)
	unknown := string(core.NewID())
	_, missing := f.service.Create(f.ctx, f.stranger, elsewhere, projects.Draft{Name: "Stolen", Template: &unknown})
	if got, want := strings.ReplaceAll(foreign.Error(), id, ""), strings.ReplaceAll(missing.Error(), unknown, ""); got != want {
		t.Errorf("got %q for a foreign template, want %q as for one that is not there", got, want)
	}
	if made := f.remix(f.member, elsewhere, shared.ID); made.WorkspaceID != elsewhere {
		t.Errorf("got a project in %s, want it in %s", made.WorkspaceID, elsewhere)
	}
	f.must(f.tables().Members.Remove(f.ctx, f.workspace, f.member.UserID))
	_, err = f.service.Create(f.ctx, f.member, elsewhere, projects.Draft{Name: "Left", Template: &id})
	f.wantCode(err, core.CodeValidationFailed)
}

func TestAPrivateProjectIsSharedByThoseWhoSeeIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	source := f.create("Secret")
	_, err := f.service.Change(f.ctx, f.member, source.ID, projects.Patch{Visibility: given("private")})
	f.must(err)
	other := f.addUser("kim@example.com")
	f.must(f.tables().Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: f.workspace, UserID: other.UserID, Role: core.RoleMember}))
	_, err = f.service.Gallery.Share(f.ctx, other, f.workspace, projects.SharedDraft{ProjectID: source.ID, Name: "Leak"})
	f.wantCode(err, core.CodeNotFound)
	f.share(f.member, source.ID)
	f.share(f.owner, source.ID)
}

func TestWhoSharedATemplateAndAdminsChangeIt(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	other := f.addUser("kim@example.com")
	f.must(f.tables().Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: f.workspace, UserID: other.UserID, Role: core.RoleMember}))
	shared := f.share(f.member, f.create("Shop").ID)
	gallery := f.service.Gallery
	_, err := gallery.Change(f.ctx, other, f.workspace, shared.ID, projects.TemplateChange{Name: ptr("Mine")})
	f.wantCode(err, core.CodeForbidden)
	_, err = gallery.Retake(f.ctx, other, f.workspace, shared.ID)
	f.wantCode(err, core.CodeForbidden)
	f.wantCode(gallery.Delete(f.ctx, other, f.workspace, shared.ID), core.CodeForbidden)
	for _, by := range []core.Actor{f.member, f.owner} {
		name := "Shop of " + string(by.UserID)
		changed, err := gallery.Change(f.ctx, by, f.workspace, shared.ID, projects.TemplateChange{Name: &name, Description: ptr(" New ")})
		f.must(err)
		if changed.Name != name || changed.Description != "New" || changed.CreatedBy != f.member.UserID {
			t.Errorf("got %+v, want another name and description", changed)
		}
		for _, wrong := range []projects.TemplateChange{{Name: ptr(" ")}, {Name: ptr(strings.Repeat("x", 81))}, {Description: ptr(strings.Repeat("x", 501))}} {
			_, err := gallery.Change(f.ctx, by, f.workspace, shared.ID, wrong)
			f.wantCode(err, core.CodeValidationFailed)
		}
		_, err = gallery.Retake(f.ctx, by, f.workspace, shared.ID)
		f.must(err)
	}
	f.must(gallery.Delete(f.ctx, f.owner, f.workspace, shared.ID))
	if list := f.gallery(f.member); len(list) != 0 {
		t.Errorf("got %+v, want no template", list)
	}
	entries, err := f.tables().Audit.List(f.ctx, f.workspace, core.Page{Limit: 10})
	f.must(err)
	var done []core.AuditAction
	for _, entry := range entries {
		done = append(done, entry.Action)
	}
	want := []core.AuditAction{
		core.AuditTemplateDeleted, core.AuditTemplateUpdated, core.AuditTemplateUpdated, core.AuditTemplateUpdated, core.AuditTemplateUpdated, core.AuditTemplateShared,
	}
	slices.Sort(done)
	if slices.Sort(want); !slices.Equal(done, want) {
		t.Errorf("got the entries %q, want %q", done, want)
	}
}

func TestATemplateOfAProjectThatIsGoneOrElsewhereStaysAsItIs(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	gone, moved, deleted := f.create("Gone"), f.create("Moved"), f.create("Deleted")
	elsewhere := f.addWorkspace(map[core.ID]core.Role{f.owner.UserID: core.RoleOwner})
	var shared []projects.SharedTemplate
	for _, source := range []projects.View{gone, moved, deleted} {
		shared = append(shared, f.share(f.owner, source.ID))
	}
	f.must(f.service.Purge(f.ctx, f.owner, gone.ID))
	_, err := f.service.Transfer(f.ctx, f.owner, moved.ID, elsewhere)
	f.must(err)
	f.must(f.service.Delete(f.ctx, f.owner, deleted.ID))
	for _, template := range shared {
		_, err := f.service.Gallery.Retake(f.ctx, f.owner, f.workspace, template.ID)
		f.wantCode(err, core.CodeNotFound)
		f.remix(f.owner, f.workspace, template.ID)
	}
}

func TestAProjectThatDoesNotFitIsNotShared(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	source := f.create("Large")
	noise := make([]byte, 1<<20)
	random := rand.NewChaCha8([32]byte{})
	for i := range core.MaxSharedTemplateBytes>>20 + 1 {
		_, _ = random.Read(noise)
		f.write(source.ID, fmt.Sprintf("%d.bin", i), string(noise))
	}
	_, err := f.service.Gallery.Share(f.ctx, f.member, f.workspace, projects.SharedDraft{ProjectID: source.ID, Name: "Large"})
	f.wantCode(err, core.CodePayloadTooLarge)
	small := f.create("Small")
	for range core.MaxSharedTemplates {
		f.share(f.member, small.ID)
	}
	_, err = f.service.Gallery.Share(f.ctx, f.member, f.workspace, projects.SharedDraft{ProjectID: small.ID, Name: "One more"})
	f.wantCode(err, core.CodeConflict)
}

// busyStore has somebody change a project whenever its files are read.
type busyStore struct {
	storage.Store
	files busyFiles
}

func (b busyStore) Tables() storage.Tables {
	tables := b.Store.Tables()
	tables.Files = b.files
	return tables
}

type busyFiles struct {
	storage.Files
	// changes is how often the state still differs from the last.
	changes *int64
}

func (b busyFiles) State(ctx context.Context, project core.ID) (storage.FileState, error) {
	state, err := b.Files.State(ctx, project)
	if *b.changes > 0 {
		*b.changes--
	}
	state.Revision -= *b.changes
	return state, err
}

func TestATemplateShowsItsProjectAtOneMoment(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	source := f.create("Busy")
	deps, changes := f.deps, int64(3)
	deps.Store = busyStore{f.deps.Store, busyFiles{f.tables().Files, &changes}}
	gallery := projects.NewService(deps).Gallery
	draft := projects.SharedDraft{ProjectID: source.ID, Name: "Busy"}
	_, err := gallery.Share(f.ctx, f.member, f.workspace, draft)
	f.must(err)
	changes = 1000
	_, err = gallery.Share(f.ctx, f.member, f.workspace, draft)
	f.wantCode(err, core.CodeConflict)
}
