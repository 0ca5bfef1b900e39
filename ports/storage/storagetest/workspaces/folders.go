package workspaces

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func folderClauses() []clause {
	return []clause{
		{"a folder comes back as it was stored", folderComesBack},
		{"folders are listed by name, byte by byte", foldersByName},
		{"a folder belongs to a workspace, and to a folder if to any", folderOfNothing},
		{"an update of a folder works as a user's", folderUpdate},
		{"parallel updates of a folder lose nothing", folderUpdatesInParallel},
		{"the content of a deleted folder moves to the root", folderDelete},
		{"a folder that is not there is not found", folderNotFound},
	}
}

func folderComesBack(s testCase) {
	parent := s.NewFolder(s.Workspace().ID)
	child := s.NewFolder(parent.WorkspaceID)
	child.ParentID = &parent.ID
	for _, folder := range []core.Folder{parent, child} {
		s.Must(s.Folders.Create(s.Context(), folder))
		got, err := s.Folders.ByID(s.Context(), folder.ID)
		s.Want(got, err, folder)
	}
	s.WantCode(s.Folders.Create(s.Context(), parent), core.CodeConflict)
	_, err := s.Folders.ByID(s.Context(), core.NewID())
	s.WantCode(err, core.CodeNotFound)
}

func foldersByName(s testCase) {
	workspace := s.Workspace()
	want := []string{"B", "B a", "a", "a-b", "aa", "Äpfel", "東"}
	for _, i := range []int{3, 6, 0, 2, 5, 1, 4} {
		folder := s.NewFolder(workspace.ID)
		folder.Name = want[i]
		s.Must(s.Folders.Create(s.Context(), folder))
	}
	s.Must(s.Folders.Create(s.Context(), s.NewFolder(s.Workspace().ID)))
	folders, err := s.Folders.List(s.Context(), workspace.ID)
	got := make([]string, len(folders))
	for i, folder := range folders {
		got[i] = folder.Name
	}
	s.Want(got, err, want)
	folders, err = s.Folders.List(s.Context(), core.NewID())
	s.Want(len(folders), err, 0)
}

func folderOfNothing(s testCase) {
	s.WantCode(s.Folders.Create(s.Context(), s.NewFolder(core.NewID())), core.CodeNotFound)
	folder := s.NewFolder(s.Workspace().ID)
	folder.ParentID = new(core.NewID())
	s.WantCode(s.Folders.Create(s.Context(), folder), core.CodeNotFound)
	folder.ParentID, folder.Name = nil, fixture.Unstorable()[0]
	s.WantCode(s.Folders.Create(s.Context(), folder), core.CodeValidationFailed)
}

func (s testCase) folder(workspace core.ID, parent *core.ID) core.Folder {
	s.Helper()
	folder := s.NewFolder(workspace)
	folder.ParentID = parent
	s.Must(s.Folders.Create(s.Context(), folder))
	return folder
}

func folderUpdate(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	folder, kept := s.folder(workspace.ID, nil), s.folder(workspace.ID, nil)
	want := folder
	want.Name, want.ParentID, want.UpdatedAt = "Archive '26", &kept.ID, s.Now()
	got, err := s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
		s.Want(*stored, nil, folder)
		*stored = want
		stored.ID, stored.WorkspaceID, stored.CreatedAt = core.NewID(), other.ID, 1
		return nil
	})
	s.Want(got, err, want)
	for _, refused := range []struct {
		change func(*core.Folder) error
		code   core.Code
	}{
		{func(stored *core.Folder) error { stored.Name = fixture.Unstorable()[0]; return nil }, core.CodeValidationFailed},
		{func(stored *core.Folder) error { stored.ParentID = new(core.NewID()); return nil }, core.CodeNotFound},
		{func(stored *core.Folder) error { stored.Name = "changed"; return core.NotFound("thing") }, core.CodeNotFound},
	} {
		_, err = s.Folders.Update(s.Context(), folder.ID, refused.change)
		s.WantCode(err, refused.code)
	}
	_, err = s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
		stored.Name = "changed"
		return fixture.ErrStop
	})
	s.Want(err, nil, fixture.ErrStop)
	all, err := s.Folders.List(s.Context(), workspace.ID)
	s.Want(all, err, []core.Folder{want, kept})
	want.ParentID = nil
	got, err = s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
		stored.ParentID = nil
		return nil
	})
	s.Want(got, err, want)
}

func folderUpdatesInParallel(s testCase) {
	folder := s.folder(s.Workspace().ID, nil)
	fixture.Together(8, func(int) {
		_, err := s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
			stored.Name += "x"
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Folders.ByID(s.Context(), folder.ID)
	s.Want(got.Name, err, folder.Name+"xxxxxxxx")
}

func folderDelete(s testCase) {
	workspace := s.Workspace()
	outer := s.folder(workspace.ID, nil)
	doomed, kept := s.folder(workspace.ID, &outer.ID), s.folder(workspace.ID, &outer.ID)
	inner := s.folder(workspace.ID, &doomed.ID)
	innermost := s.folder(workspace.ID, &inner.ID)
	in := func(folder core.Folder) func(*core.Project) {
		return func(p *core.Project) { p.FolderID = &folder.ID }
	}
	alive := s.Project(workspace.ID, in(doomed))
	dead := s.Project(workspace.ID, in(doomed), func(p *core.Project) { p.DeletedAt = new(s.Now()) })
	below, beside := s.Project(workspace.ID, in(inner)), s.Project(workspace.ID, in(kept))
	s.Must(s.Folders.Delete(s.Context(), doomed.ID))
	inner.ParentID, alive.FolderID, dead.FolderID = nil, nil, nil
	for _, want := range []core.Folder{outer, kept, inner, innermost} {
		got, err := s.Folders.ByID(s.Context(), want.ID)
		s.Want(got, err, want)
	}
	for _, want := range []core.Project{alive, dead, below, beside} {
		got, err := s.Projects.ByID(s.Context(), want.ID)
		s.Want(got, err, want)
	}
	_, err := s.Folders.ByID(s.Context(), doomed.ID)
	s.WantCode(err, core.CodeNotFound)
}

func folderNotFound(s testCase) {
	gone := s.folder(s.Workspace().ID, nil)
	s.Must(s.Folders.Delete(s.Context(), gone.ID))
	for _, id := range []core.ID{gone.ID, core.NewID(), core.ID(fixture.Unstorable()[0])} {
		_, err := s.Folders.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Folders.Update(s.Context(), id, func(*core.Folder) error {
			s.Error("change was called for a folder that is not there")
			return nil
		})
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Folders.Delete(s.Context(), id), core.CodeNotFound)
	}
}
