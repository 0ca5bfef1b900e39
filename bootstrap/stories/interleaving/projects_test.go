package interleaving_test

import (
	"archive/zip"
	"bytes"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
)

func draft(name string) projects.Draft { return projects.Draft{Name: name} }

func (w *world) projects() *projects.Service {
	return projects.NewService(projects.Deps{
		Store: w.hookedStore, Gate: w.gate, Audit: w.audit, Files: w.pipeline, Trees: w.trees, Templates: memory.NewTemplates(),
		Sites: memory.NewSites(), Backends: w.backends(), Bus: w.bus, Now: time.Now, Log: w.log, MaxFileBytes: 1 << 20,
		Address: func(slug string) string { return "http://" + slug + ".sites.test" },
	})
}

// later are the use cases an hour on, when all that is in the trash has expired.
func (w *world) later() *projects.Service {
	return projects.NewService(projects.Deps{
		Store: w.hookedStore, Gate: w.gate, Audit: w.audit, Files: w.pipeline, Trees: w.trees, Sites: memory.NewSites(), Backends: w.backends(), Bus: w.bus,
		Now: func() time.Time { return time.Now().Add(time.Hour) }, Log: w.log, Retention: projects.Retention(time.Minute),
	})
}

// wantKept fails the test unless the project is there with its files, not deleted.
func wantKept(w *world) {
	wantDeleted(false)(w)
	wantTrees(1)(w)
}

func given[T any](value T) projects.Nullable[T] {
	return projects.Nullable[T]{Present: true, Value: &value}
}

// removeFolder deletes the folder of the first workspace.
func (w *world) removeFolder() { must(w.t, w.Tables().Folders.Delete(w.t.Context(), w.folder)) }

// wantTrees fails the test unless as many projects have files.
func wantTrees(want int) func(*world) {
	return func(w *world) {
		trees, err := w.trees.List(w.t.Context())
		must(w.t, err)
		if len(trees) != want {
			w.t.Errorf("got %d trees, want %d", len(trees), want)
		}
	}
}

// wantOwnFolder fails the test unless the project is in no folder of a workspace that it
// is not in.
func wantOwnFolder(w *world) {
	project, err := w.Tables().Projects.ByID(w.t.Context(), w.project.ID)
	must(w.t, err)
	if project.FolderID != nil && project.WorkspaceID != w.home {
		w.t.Errorf("got folder %s in workspace %s, want none of another workspace's", *project.FolderID, project.WorkspaceID)
	}
}

// wantDeleted fails the test unless the project is deleted, or is not.
func wantDeleted(want bool) func(*world) {
	return func(w *world) {
		project, err := w.Tables().Projects.ByID(w.t.Context(), w.project.ID)
		must(w.t, err)
		if (project.DeletedAt != nil) != want {
			w.t.Errorf("got deleted at %v, want %v", project.DeletedAt, want)
		}
	}
}

// wantNoChats fails the test unless the copy in the other workspace has a fresh chat.
func wantNoChats(w *world) {
	filter := storage.ProjectFilter{Member: w.member.UserID, Workspace: w.abroad}
	copies, err := w.Tables().Projects.List(w.t.Context(), filter, core.Page{Limit: 1})
	must(w.t, err)
	chats, err := w.Tables().Chats.List(w.t.Context(), copies[0].ID)
	must(w.t, err)
	events, err := w.Tables().Events.Read(w.t.Context(), chats[0].ID, storage.EventRange{Limit: 9})
	must(w.t, err)
	if len(chats) != 1 || len(events) != 0 {
		w.t.Errorf("got %d chats with %d events, want a fresh one", len(chats), len(events))
	}
}

func archive(t *testing.T) projects.Archive {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	file, err := w.Create("index.html")
	must(t, err)
	_, err = file.Write([]byte("x"))
	must(t, err)
	must(t, w.Close())
	return projects.Archive{ReaderAt: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}
}

func create(w *world) error {
	_, err := w.projects().Create(w.t.Context(), w.member, w.home, projects.Draft{Name: "New", FolderID: &w.folder})
	return err
}

func duplicate(w *world) error {
	_, err := w.projects().Duplicate(w.t.Context(), w.member, w.project.ID, projects.DuplicateDraft{})
	return err
}

func change(patch func(*world) projects.Patch) func(*world) error {
	return func(w *world) error {
		_, err := w.projects().Change(w.t.Context(), w.member, w.project.ID, patch(w))
		return err
	}
}

func TestProjectsDecideInTheirTransaction(t *testing.T) {
	intoFolder := change(func(w *world) projects.Patch { return projects.Patch{FolderID: given(w.folder)} })
	ownersMove := func(w *world) error {
		_, err := w.projects().Change(w.t.Context(), w.owner, w.project.ID, projects.Patch{FolderID: given(w.folder)})
		return err
	}
	rename := change(func(*world) projects.Patch { return projects.Patch{Name: given("New")} })
	remove := func(w *world) error { return w.projects().Delete(w.t.Context(), w.member, w.project.ID) }
	purge := func(w *world) error { return w.projects().Purge(w.t.Context(), w.owner, w.project.ID) }
	restore := func(w *world) error {
		_, err := w.projects().Restore(w.t.Context(), w.member, w.project.ID)
		return err
	}
	play(t, []row{
		{name: "create, and the member leaves", call: create, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantTrees(1)},
		{name: "create, and the folder goes", call: create, meanwhile: (*world).removeFolder, want: core.CodeValidationFailed, check: wantTrees(1)},
		{name: "import, and the member leaves", meanwhile: (*world).leave, want: core.CodeNotFound, check: wantTrees(1), call: func(w *world) error {
			_, err := w.projects().Import(w.t.Context(), w.member, w.home, projects.ImportDraft{Name: "New"}, archive(w.t))
			return err
		}},
		{name: "duplicate, and the member leaves", call: duplicate, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantTrees(1)},
		{name: "duplicate, and the source becomes private", call: duplicate, want: core.CodeNotFound, check: wantTrees(1),
			prepare: func(w *world) { w.demote() }, meanwhile: func(w *world) { w.change(func(p *core.Project) { p.Visibility = core.VisibilityPrivate }) }},
		{name: "duplicate, and the source is deleted", call: duplicate, meanwhile: (*world).bury, want: core.CodeNotFound, check: wantTrees(1)},
		{name: "duplicate elsewhere, and the source is only to be read", check: wantNoChats,
			prepare: func(w *world) {
				w.join(w.abroad, w.member, core.RoleMember)
				w.change(func(p *core.Project) { p.Visibility = core.VisibilityPublic })
				_, err := w.Tables().Events.Append(w.t.Context(), w.chat.ID, 7, []core.Payload{core.UserMessage{Text: "secret"}, core.TaskComplete{}})
				must(w.t, err)
			},
			call: func(w *world) error {
				_, err := w.projects().Duplicate(w.t.Context(), w.member, w.project.ID, projects.DuplicateDraft{WorkspaceID: &w.abroad})
				return err
			}, meanwhile: (*world).leave},
		{name: "move into a folder, and the project is transferred", call: ownersMove, meanwhile: (*world).move, want: core.CodeValidationFailed, check: wantOwnFolder},
		{name: "move into a folder, and that goes", call: intoFolder, meanwhile: (*world).removeFolder, want: core.CodeValidationFailed, check: wantOwnFolder},
		{name: "change, and the member leaves", call: rename, meanwhile: (*world).leave, want: core.CodeNotFound},
		{name: "change, and the project is transferred", call: rename, meanwhile: (*world).move, want: core.CodeNotFound},
		{name: "change, and the project is deleted", call: rename, meanwhile: (*world).bury, want: core.CodeNotFound},
		{name: "delete, and the member leaves", call: remove, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantDeleted(false)},
		{name: "delete, and the project is transferred", call: remove, meanwhile: (*world).move, want: core.CodeNotFound, check: wantDeleted(false)},
		{name: "purge, and the owner is one no more", call: purge, want: core.CodeForbidden, check: wantDeleted(false),
			meanwhile: func(w *world) { w.join(w.home, w.owner, core.RoleAdmin) }},
		{name: "purge from the trash, and somebody restores", call: purge, prepare: (*world).bury, meanwhile: (*world).unearth, want: core.CodeConflict, check: wantKept},
		{name: "empty the trash, and somebody restores", prepare: (*world).bury, meanwhile: (*world).unearth, check: wantKept, call: func(w *world) error {
			return w.projects().EmptyTrash(w.t.Context(), w.owner, w.home)
		}},
		{name: "the trash expires, and somebody restores", prepare: (*world).bury, meanwhile: (*world).unearth, check: wantKept, call: func(w *world) error {
			return w.later().PurgeExpired(w.t.Context())
		}},
		{name: "restore, and the member leaves", call: restore, prepare: (*world).bury, meanwhile: (*world).leave, want: core.CodeNotFound, check: wantDeleted(true)},
	})
}
