package porttest

import "github.com/atelierhq/atelier/core"

func storageFolderClauses() []storageClause {
	return []storageClause{
		{"a folder comes back as it was stored", folderComesBack},
		{"folders are listed by name, byte by byte", foldersByName},
		{"a folder belongs to a workspace, and to a folder if to any", folderOfNothing},
		{"an update of a folder works as a user's", folderUpdate},
		{"parallel updates of a folder lose nothing", folderUpdatesInParallel},
		{"what is in a folder that is deleted moves to the root", folderDelete},
		{"a folder that is not there is not found", folderNotFound},
	}
}

func folderComesBack(s *storageCase) {
	parent := s.newFolder(s.workspace().ID)
	child := s.newFolder(parent.WorkspaceID)
	child.ParentID = &parent.ID
	for _, folder := range []core.Folder{parent, child} {
		s.must(s.Folders.Create(s.Context(), folder))
		got, err := s.Folders.ByID(s.Context(), folder.ID)
		s.want(got, err, folder)
	}
	s.wantCode(s.Folders.Create(s.Context(), parent), core.CodeConflict)
	_, err := s.Folders.ByID(s.Context(), core.NewID())
	s.wantCode(err, core.CodeNotFound)
}

func foldersByName(s *storageCase) {
	workspace := s.workspace()
	want := []string{"B", "B a", "a", "a-b", "aa", "Äpfel", "東"}
	for _, i := range []int{3, 6, 0, 2, 5, 1, 4} {
		folder := s.newFolder(workspace.ID)
		folder.Name = want[i]
		s.must(s.Folders.Create(s.Context(), folder))
	}
	s.must(s.Folders.Create(s.Context(), s.newFolder(s.workspace().ID)))
	folders, err := s.Folders.List(s.Context(), workspace.ID)
	got := make([]string, len(folders))
	for i, folder := range folders {
		got[i] = folder.Name
	}
	s.want(got, err, want)
	folders, err = s.Folders.List(s.Context(), core.NewID())
	s.want(len(folders), err, 0)
}

func folderOfNothing(s *storageCase) {
	s.wantCode(s.Folders.Create(s.Context(), s.newFolder(core.NewID())), core.CodeNotFound)
	folder := s.newFolder(s.workspace().ID)
	folder.ParentID = new(core.NewID())
	s.wantCode(s.Folders.Create(s.Context(), folder), core.CodeNotFound)
	folder.ParentID, folder.Name = nil, unstorable[0]
	s.wantCode(s.Folders.Create(s.Context(), folder), core.CodeValidationFailed)
}

func (s *storageCase) folder(workspace core.ID, parent *core.ID) core.Folder {
	s.Helper()
	folder := s.newFolder(workspace)
	folder.ParentID = parent
	s.must(s.Folders.Create(s.Context(), folder))
	return folder
}

func folderUpdate(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	folder, kept := s.folder(workspace.ID, nil), s.folder(workspace.ID, nil)
	want := folder
	want.Name, want.ParentID, want.UpdatedAt = "Archive '26", &kept.ID, s.now()
	got, err := s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
		s.want(*stored, nil, folder)
		*stored = want
		stored.ID, stored.WorkspaceID, stored.CreatedAt = core.NewID(), other.ID, 1
		return nil
	})
	s.want(got, err, want)
	for _, refused := range []struct {
		change func(*core.Folder) error
		code   core.Code
	}{
		{func(stored *core.Folder) error { stored.Name = unstorable[0]; return nil }, core.CodeValidationFailed},
		{func(stored *core.Folder) error { stored.ParentID = new(core.NewID()); return nil }, core.CodeNotFound},
		{func(stored *core.Folder) error { stored.Name = "changed"; return core.NotFound("thing") }, core.CodeNotFound},
	} {
		_, err = s.Folders.Update(s.Context(), folder.ID, refused.change)
		s.wantCode(err, refused.code)
	}
	_, err = s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
		stored.Name = "changed"
		return errStop
	})
	s.want(err, nil, errStop)
	all, err := s.Folders.List(s.Context(), workspace.ID)
	s.want(all, err, []core.Folder{want, kept})
	want.ParentID = nil
	got, err = s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
		stored.ParentID = nil
		return nil
	})
	s.want(got, err, want)
}

func folderUpdatesInParallel(s *storageCase) {
	folder := s.folder(s.workspace().ID, nil)
	together(8, func(int) {
		_, err := s.Folders.Update(s.Context(), folder.ID, func(stored *core.Folder) error {
			stored.Name += "x"
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Folders.ByID(s.Context(), folder.ID)
	s.want(got.Name, err, folder.Name+"xxxxxxxx")
}

func folderDelete(s *storageCase) {
	workspace := s.workspace()
	outer := s.folder(workspace.ID, nil)
	doomed, kept := s.folder(workspace.ID, &outer.ID), s.folder(workspace.ID, &outer.ID)
	inner := s.folder(workspace.ID, &doomed.ID)
	innermost := s.folder(workspace.ID, &inner.ID)
	in := func(folder core.Folder) func(*core.Project) {
		return func(p *core.Project) { p.FolderID = &folder.ID }
	}
	alive := s.project(workspace.ID, in(doomed))
	dead := s.project(workspace.ID, in(doomed), func(p *core.Project) { p.DeletedAt = new(s.now()) })
	below, beside := s.project(workspace.ID, in(inner)), s.project(workspace.ID, in(kept))
	s.must(s.Folders.Delete(s.Context(), doomed.ID))
	inner.ParentID, alive.FolderID, dead.FolderID = nil, nil, nil
	for _, want := range []core.Folder{outer, kept, inner, innermost} {
		got, err := s.Folders.ByID(s.Context(), want.ID)
		s.want(got, err, want)
	}
	for _, want := range []core.Project{alive, dead, below, beside} {
		got, err := s.Projects.ByID(s.Context(), want.ID)
		s.want(got, err, want)
	}
	_, err := s.Folders.ByID(s.Context(), doomed.ID)
	s.wantCode(err, core.CodeNotFound)
}

func folderNotFound(s *storageCase) {
	gone := s.folder(s.workspace().ID, nil)
	s.must(s.Folders.Delete(s.Context(), gone.ID))
	for _, id := range []core.ID{gone.ID, core.NewID(), core.ID(unstorable[0])} {
		_, err := s.Folders.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Folders.Update(s.Context(), id, func(*core.Folder) error {
			s.Error("change was called for a folder that is not there")
			return nil
		})
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Folders.Delete(s.Context(), id), core.CodeNotFound)
	}
}
