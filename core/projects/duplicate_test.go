package projects_test

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
)

// someone is the author of the tests' changes.
var someone = core.Author{Kind: core.AuthorUser, Name: "Ann"}

func writing(path, content string) []core.FileChange {
	return []core.FileChange{{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)}}
}

// write changes a file without a version.
func (f *fixture) write(project core.ID, path, content string) {
	f.t.Helper()
	results, err := f.pipeline.Apply(f.ctx, project, someone, writing(path, content), nil)
	f.must(err)
	f.must(results[0].Err)
}

// save changes a file and makes a version of it.
func (f *fixture) save(project core.ID, path, content string) {
	f.t.Helper()
	_, _, err := f.pipeline.ApplyAndCommit(f.ctx, project, writing(path, content), vcs.Commit{Message: "Save " + path, Author: someone})
	f.must(err)
}

func (f *fixture) versions(project core.ID) []core.Version {
	f.t.Helper()
	found, err := f.pipeline.Versions(f.ctx, project, "", 100)
	f.must(err)
	return found
}

func (f *fixture) duplicate(by core.Actor, id core.ID, draft projects.DuplicateDraft) projects.View {
	f.t.Helper()
	view, err := f.service.Duplicate(f.ctx, by, id, draft)
	f.must(err)
	return view
}

// chatsOf are a project's chats.
func (f *fixture) chatsOf(project core.ID) []core.Chat {
	f.t.Helper()
	chats, err := f.tables().Chats.List(f.ctx, project)
	f.must(err)
	return chats
}

func (f *fixture) eventsOf(chat core.ID) []core.Event {
	f.t.Helper()
	events, err := f.tables().Events.Read(f.ctx, chat, storage.EventRange{Limit: 1000})
	f.must(err)
	return events
}

func TestADuplicateHasFilesVersionsAndChats(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	f.save(source.ID, "a.txt", "1")
	f.save(source.ID, "d/b.txt", "2")
	f.write(source.ID, "staged.txt", "3")
	chat := f.chatsOf(source.ID)[0]
	plan := core.Plan{Steps: []core.PlanStep{{Title: "x", Files: []string{}}}, RawText: "x"}
	_, err := f.tables().Chats.Update(f.ctx, chat.ID, func(c *core.Chat) error {
		c.Title, c.Plan, c.Summary = "Talk", &plan, &core.Summary{Through: 1, Text: "s"}
		return nil
	})
	f.must(err)
	_, err = f.tables().Events.Append(f.ctx, chat.ID, 7, []core.Payload{core.UserMessage{Text: "hi", Attachments: []core.Attachment{}, By: f.member.UserID}, core.TaskComplete{Reason: core.ReasonDone}})
	f.must(err)
	f.must(f.tables().Chats.Create(f.ctx, core.Chat{ID: core.NewID(), ProjectID: source.ID, Title: "Second", Mode: "custom", CreatedAt: chat.CreatedAt + 1}))

	f.now = f.now.Add(time.Minute)
	made := f.duplicate(f.member, source.ID, projects.DuplicateDraft{})
	want := source.Project
	want.ID, want.Name, want.Slug, want.CreatedAt, want.UpdatedAt = made.ID, "Shop copy", "shop-copy", core.At(f.now), core.At(f.now)
	if made.ID == source.ID || !reflect.DeepEqual(made.Project, want) || made.URL != nil {
		t.Errorf("got %+v, want %+v", made, want)
	}
	if got := f.versions(made.ID); !reflect.DeepEqual(got, f.versions(source.ID)) || len(got) != 3 {
		t.Errorf("got %+v, want the source's three versions", got)
	}
	from, err := f.pipeline.List(f.ctx, source.ID)
	f.must(err)
	to, err := f.pipeline.List(f.ctx, made.ID)
	f.must(err)
	if !reflect.DeepEqual(from.Entries, to.Entries) {
		t.Errorf("got %+v, want the files %+v", to.Entries, from.Entries)
	}
	_, changed, err := f.pipeline.Commit(f.ctx, made.ID, vcs.Commit{Message: "Staged", Author: someone})
	if err != nil || !changed {
		t.Errorf("got %t, %v, want what was staged to be staged in the copy", changed, err)
	}
	chats := f.chatsOf(made.ID)
	if len(chats) != 2 || chats[0].ID == chat.ID || chats[0].Title != "Talk" || !reflect.DeepEqual(chats[0].Plan, &plan) || chats[0].Summary == nil || !chats[0].IsDefault || chats[1].Title != "Second" || chats[1].Mode != "custom" {
		t.Errorf("got %+v, want copies of both chats", chats)
	}
	if got := f.eventsOf(chats[0].ID); !reflect.DeepEqual(got, f.eventsOf(chat.ID)) {
		t.Errorf("got %+v, want the source's events", got)
	}
}

func TestACopiedRunThatIsUnderWayHasEnded(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	chat := f.chatsOf(source.ID)[0]
	image := core.NewID()
	run := core.Run{ID: core.NewID(), ChatID: chat.ID, ProjectID: source.ID, WorkspaceID: f.workspace, Status: core.RunRunning, Spent: 5, CreditHeld: 2, LeaseUntil: core.At(f.now.Add(time.Hour))}
	f.must(f.tables().Runs.Create(f.ctx, run))
	f.must(f.tables().Attachments.Create(f.ctx, run.ID, image, core.Image{MediaType: "image/png", Data: []byte("png")}))
	shown := core.UserMessage{Text: "hi", Attachments: []core.Attachment{{Type: core.AttachmentImage, ID: image, MediaType: "image/png", Size: 3}}, By: f.member.UserID}
	_, err := f.tables().Events.Append(f.ctx, chat.ID, 7, []core.Payload{shown, core.MessageDelta{Delta: "well"}})
	f.must(err)

	made := f.duplicate(f.member, source.ID, projects.DuplicateDraft{})
	copied := f.chatsOf(made.ID)[0]
	if copied.Running {
		t.Error("got a running chat, want one that waits for nobody")
	}
	events := f.eventsOf(copied.ID)
	if len(events) != 3 || events[2].Seq != 3 || !events[2].Ends() || events[2].Payload.(core.SessionError).Error != core.CodeInterrupted {
		t.Fatalf("got %+v, want an end", events)
	}
	attached := events[0].Payload.(core.UserMessage).Attachments[0]
	if attached.ID == image || attached.Size != 3 {
		t.Errorf("got %+v, want the image under another id", attached)
	}
	f.must(f.tables().Projects.Delete(f.ctx, source.ID))
	got, err := f.tables().Attachments.ByID(f.ctx, attached.ID)
	if err != nil || string(got.Data) != "png" {
		t.Errorf("got %+v, %v, want the image to outlive its first project", got, err)
	}
	if lapsed, err := f.tables().Runs.Lapsed(f.ctx, core.At(f.now.Add(100*time.Hour))); err != nil || len(lapsed) != 0 {
		t.Errorf("got %+v, %v, want no run under way", lapsed, err)
	}
	again := f.duplicate(f.member, made.ID, projects.DuplicateDraft{})
	if events := f.eventsOf(f.chatsOf(again.ID)[0].ID); len(events) != 3 {
		t.Errorf("got %d events in the copy of the copy, want the 3 as they are", len(events))
	}
}

func TestAReaderOfAPublicProjectGetsFilesAndAChatOfTheirOwn(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	chat := f.chatsOf(source.ID)[0]
	_, err := f.tables().Events.Append(f.ctx, chat.ID, 7, []core.Payload{core.UserMessage{Text: "secret"}, core.TaskComplete{}})
	f.must(err)
	_, err = f.tables().Environment.Put(f.ctx, core.Variable{ProjectID: source.ID, Key: "SECRET", SealedValue: []byte("x")})
	f.must(err)
	home := core.NewID()
	f.must(f.tables().Workspaces.Create(f.ctx, core.Workspace{ID: home, Name: "Eve", Slug: "eve", Personal: true}))
	f.must(f.tables().Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: home, UserID: f.stranger.UserID, Role: core.RoleOwner}))
	_, err = f.service.Duplicate(f.ctx, f.stranger, source.ID, projects.DuplicateDraft{})
	f.wantCode(err, core.CodeNotFound)
	_, err = f.service.Change(f.ctx, f.member, source.ID, projects.Patch{Visibility: given("public")})
	f.must(err)
	_, err = f.service.Duplicate(f.ctx, f.stranger, source.ID, projects.DuplicateDraft{WorkspaceID: &f.workspace})
	f.wantCode(err, core.CodeNotFound)
	f.wantTrees(1)
	made := f.duplicate(f.stranger, source.ID, projects.DuplicateDraft{})
	if made.WorkspaceID != home || made.Visibility != core.VisibilityWorkspace || made.FolderID != nil {
		t.Errorf("got %+v, want it in the reader's own workspace", made)
	}
	chats := f.chatsOf(made.ID)
	if len(chats) != 1 || !chats[0].IsDefault || len(f.eventsOf(chats[0].ID)) != 0 {
		t.Errorf("got %+v, want one fresh chat", chats)
	}
	if got := f.versions(made.ID); !reflect.DeepEqual(got, f.versions(source.ID)) {
		t.Errorf("got %+v, want the source's versions", got)
	}
	if kept, err := f.tables().Environment.List(f.ctx, made.ID); err != nil || len(kept) != 0 {
		t.Errorf("got %v, %v, want no environment value", kept, err)
	}
}

// TestACopyOfAReaderStaysOutOfPersonalWorkspacesOfOthers lets somebody with an older
// account invite the reader into their own personal workspace, which is then the
// reader's first.
func TestACopyOfAReaderStaysOutOfPersonalWorkspacesOfOthers(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	_, err := f.service.Change(f.ctx, f.member, source.ID, projects.Patch{Visibility: given("public")})
	f.must(err)
	foreign := f.addPersonal(1)
	f.must(f.tables().Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: foreign, UserID: f.stranger.UserID, Role: core.RoleOwner, JoinedAt: 2}))
	_, err = f.service.Duplicate(f.ctx, f.stranger, source.ID, projects.DuplicateDraft{})
	f.wantCode(err, core.CodeValidationFailed)
	home := f.addPersonal(3)
	f.must(f.tables().Workspaces.PutMember(f.ctx, core.Membership{WorkspaceID: home, UserID: f.stranger.UserID, Role: core.RoleOwner, JoinedAt: 3}))
	if made := f.duplicate(f.stranger, source.ID, projects.DuplicateDraft{}); made.WorkspaceID != home {
		t.Errorf("got the copy in %s, want it in the reader's own workspace %s", made.WorkspaceID, home)
	}
}

// addPersonal makes the personal workspace of somebody.
func (f *fixture) addPersonal(at core.Time) core.ID {
	f.t.Helper()
	id := core.NewID()
	f.must(f.tables().Workspaces.Create(f.ctx, core.Workspace{ID: id, Name: "Home", Slug: string(id), Personal: true, CreatedAt: at, UpdatedAt: at}))
	return id
}

func TestADuplicateGoesWhereItIsToldTo(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	folder := f.addFolder(f.workspace)
	_, err := f.service.Change(f.ctx, f.member, source.ID, projects.Patch{FolderID: given(folder), Visibility: given("private"), Description: given("Sells")})
	f.must(err)
	other := f.addWorkspace(map[core.ID]core.Role{f.member.UserID: core.RoleMember})
	foreign := f.addFolder(f.addWorkspace(nil))
	tests := []struct {
		name  string
		draft projects.DuplicateDraft
		space core.ID
		into  *core.ID
		code  core.Code
	}{
		{"beside the source", projects.DuplicateDraft{}, f.workspace, &folder, ""},
		{"the root", projects.DuplicateDraft{FolderID: null[core.ID]()}, f.workspace, nil, ""},
		{"another workspace", projects.DuplicateDraft{WorkspaceID: &other}, other, nil, ""},
		{"a folder there", projects.DuplicateDraft{WorkspaceID: &other, FolderID: given(f.addFolder(other))}, other, nil, ""},
		{"a folder of the first workspace", projects.DuplicateDraft{WorkspaceID: &other, FolderID: given(folder)}, "", nil, core.CodeValidationFailed},
		{"somebody's folder", projects.DuplicateDraft{FolderID: given(foreign)}, "", nil, core.CodeValidationFailed},
		{"an unknown folder", projects.DuplicateDraft{FolderID: given(core.ID("../x"))}, "", nil, core.CodeValidationFailed},
		{"an unknown workspace", projects.DuplicateDraft{WorkspaceID: ptr(core.ID("x"))}, "", nil, core.CodeNotFound},
		{"a workspace that is not there", projects.DuplicateDraft{WorkspaceID: ptr(core.NewID())}, "", nil, core.CodeNotFound},
		{"no name", projects.DuplicateDraft{Name: ptr(" ")}, "", nil, core.CodeValidationFailed},
		{"a long name", projects.DuplicateDraft{Name: ptr(strings.Repeat("x", 101))}, "", nil, core.CodeValidationFailed},
	}
	trees := 1
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			made, err := f.service.Duplicate(f.ctx, f.member, source.ID, test.draft)
			if core.CodeOf(err) != test.code {
				t.Fatalf("got %v, want %q", err, test.code)
			}
			if err == nil {
				trees++
				if test.draft.FolderID.Value != nil {
					test.into = test.draft.FolderID.Value
				}
				if made.WorkspaceID != test.space || !reflect.DeepEqual(made.FolderID, test.into) || made.Visibility != core.VisibilityPrivate || *made.Description != "Sells" || made.CreatedBy != f.member.UserID {
					t.Errorf("got %+v, want it private, in %s and folder %v", made, test.space, test.into)
				}
			}
		})
	}
	f.wantTrees(trees)
}

func TestTheNameOfACopyStaysWithinItsBounds(t *testing.T) {
	f := newFixture(t)
	made := f.duplicate(f.member, f.create(strings.Repeat("é", 100)).ID, projects.DuplicateDraft{})
	if made.Name != strings.Repeat("é", 95)+" copy" {
		t.Errorf("got %q, want it cut", made.Name)
	}
	named := f.duplicate(f.member, made.ID, projects.DuplicateDraft{Name: ptr("Mine")})
	again := f.duplicate(f.member, made.ID, projects.DuplicateDraft{Name: ptr("Mine")})
	if named.Slug != "mine" || again.Slug != "mine-2" {
		t.Errorf("got the slugs %s and %s, want a number behind the second", named.Slug, again.Slug)
	}
}

// failingStore refuses every transaction.
type failingStore struct{ storage.Store }

func (failingStore) InTx(context.Context, func(context.Context, storage.Tables) error) error {
	return core.Errorf(core.CodeUnavailable, "the database is gone")
}

func TestADuplicateThatCannotBeRecordedLeavesNothing(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	broken := f.deps
	broken.Store = failingStore{f.deps.Store}
	_, err := projects.NewService(broken).Duplicate(f.ctx, f.member, source.ID, projects.DuplicateDraft{})
	f.wantCode(err, core.CodeUnavailable)
	f.wantTrees(1)
}

func TestSweepRemovesDuplicatesThatNobodyRecordedNorTouched(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	f.save(source.ID, "a.txt", "1")
	f.write(source.ID, "staged.txt", "2")
	repositories := memory.NewRepositories(f.trees)
	listing, err := f.pipeline.List(f.ctx, source.ID)
	f.must(err)
	var paths []core.ProjectPath
	for _, entry := range listing.Entries {
		paths = append(paths, entry.Path)
	}
	var left []core.ID
	// begin makes a copy up to the step at which the process dies.
	begin := func(steps int) core.ID {
		id := core.NewID()
		for _, step := range []func() error{
			func() error { return f.trees.Create(f.ctx, id) },
			func() error { return repositories.Init(f.ctx, id) },
			func() error { return f.trees.Copy(f.ctx, source.ID, id, paths) },
			func() error { return repositories.Duplicate(f.ctx, source.ID, id) },
		}[:steps] {
			f.must(step())
		}
		return id
	}
	for steps := 1; steps <= 4; steps++ {
		left = append(left, begin(steps))
	}
	touched := f.duplicate(f.member, source.ID, projects.DuplicateDraft{}).ID
	f.write(touched, "a.txt", "mine")
	f.must(f.tables().Projects.Delete(f.ctx, touched))
	past := begin(4)
	tree, err := f.trees.Open(f.ctx, past)
	f.must(err)
	f.must(tree.Apply(f.ctx, writing("by-a-shell.txt", "mine"))[0].Err)
	recorded := f.duplicate(f.member, source.ID, projects.DuplicateDraft{})

	f.now = f.now.Add(2 * time.Hour)
	swept, err := f.service.Sweep(f.ctx)
	f.must(err)
	slices.Sort(left)
	if slices.Sort(swept); !slices.Equal(swept, left) {
		t.Errorf("got %v swept, want %v", swept, left)
	}
	trees, err := f.trees.List(f.ctx)
	f.must(err)
	for _, id := range []core.ID{source.ID, touched, past, recorded.ID} {
		if !slices.Contains(trees, id) {
			t.Errorf("got %v left, want %s there", trees, id)
		}
	}
}

func TestACopyAndItsSourceGoWaysOfTheirOwn(t *testing.T) {
	f := newFixture(t)
	source := f.create("Shop")
	made := f.duplicate(f.member, source.ID, projects.DuplicateDraft{})
	f.save(source.ID, "a.txt", "source")
	f.save(made.ID, "b.txt", "copy")
	for id, want := range map[core.ID]string{source.ID: "Save a.txt", made.ID: "Save b.txt"} {
		if got := f.versions(id); len(got) != 2 || got[0].Message != want {
			t.Errorf("got %+v, want two versions, the last of them %q", got, want)
		}
	}
	f.must(f.service.Delete(f.ctx, f.owner, source.ID))
	if _, err := f.service.Duplicate(f.ctx, f.member, source.ID, projects.DuplicateDraft{}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("of a deleted project: got %v, want not_found", err)
	}
}
