package workspaces_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
)

// folder makes a folder below another; "" is the root.
func (c *crew) folder(name string, parent core.ID) core.Folder {
	c.t.Helper()
	folder, err := c.folders.Create(c.t.Context(), c.member, c.workspace.ID, inFolder(&name, parent))
	c.must(err)
	return folder
}

func inFolder(name *string, parent core.ID) workspaces.FolderInput {
	place := &parent
	if parent == "" {
		place = nil
	}
	return workspaces.FolderInput{Name: name, Parent: &place}
}

func (c *crew) move(id, parent core.ID) error {
	_, err := c.folders.Update(c.t.Context(), c.member, id, inFolder(nil, parent))
	return err
}

func TestFoldersAreMadeRenamedMovedAndDeleted(t *testing.T) {
	c := newCrew(t)
	top := c.folder(" Top ", "")
	below := c.folder("Below", top.ID)
	if top.Name != "Top" || top.ParentID != nil || *below.ParentID != top.ID || below.WorkspaceID != c.workspace.ID {
		t.Fatalf("got %+v and %+v", top, below)
	}
	name := "Renamed"
	renamed, err := c.folders.Update(t.Context(), c.member, below.ID, workspaces.FolderInput{Name: &name})
	if err != nil || renamed.Name != name || *renamed.ParentID != top.ID {
		t.Fatalf("got %+v, %v, want only the name changed", renamed, err)
	}
	c.must(c.folders.Delete(t.Context(), c.member, top.ID))
	left, err := c.folders.List(t.Context(), c.member, c.workspace.ID)
	if err != nil || len(left) != 1 || left[0].ID != below.ID || left[0].ParentID != nil {
		t.Errorf("got %+v, %v, want the folder below in the root", left, err)
	}
}

func TestFoldersAreForMembers(t *testing.T) {
	c := newCrew(t)
	folder := c.folder("x", "")
	name := "y"
	_, err := c.folders.List(t.Context(), c.nobody, c.workspace.ID)
	wantSpaceCode(t, "lists", err, core.CodeNotFound)
	_, err = c.folders.Create(t.Context(), c.nobody, c.workspace.ID, workspaces.FolderInput{Name: &name})
	wantSpaceCode(t, "creates", err, core.CodeNotFound)
	_, err = c.folders.Update(t.Context(), c.nobody, folder.ID, workspaces.FolderInput{Name: &name})
	wantSpaceCode(t, "changes", err, core.CodeNotFound)
	wantSpaceCode(t, "deletes", c.folders.Delete(t.Context(), c.nobody, folder.ID), core.CodeNotFound)
	reader := c.member
	reader.Token, reader.Scopes = true, []core.Scope{core.ScopeWorkspacesRead}
	_, err = c.folders.Update(t.Context(), reader, folder.ID, workspaces.FolderInput{Name: &name})
	wantSpaceCode(t, "a token without the scope changes", err, core.CodeInsufficientScope)
}

func TestFolderNamesAreBounded(t *testing.T) {
	c := newCrew(t)
	for _, name := range []string{"", " ", "a\nb", strings.Repeat("x", workspaces.MaxFolderNameChars+1)} {
		_, err := c.folders.Create(t.Context(), c.member, c.workspace.ID, workspaces.FolderInput{Name: &name})
		wantSpaceCode(t, fmt.Sprintf("%q", name), err, core.CodeValidationFailed)
	}
	_, err := c.folders.Create(t.Context(), c.member, c.workspace.ID, workspaces.FolderInput{})
	wantSpaceCode(t, "no name", err, core.CodeValidationFailed)
}

// TestAFolderOfAnotherWorkspaceIsNoParent keeps the trees of workspaces apart.
func TestAFolderOfAnotherWorkspaceIsNoParent(t *testing.T) {
	c := newCrew(t)
	other := core.NewWorkspace("Other", false, nil, 1)
	tables := c.store.Tables()
	c.must(tables.Workspaces.Create(t.Context(), other))
	c.must(tables.Workspaces.PutMember(t.Context(), core.Membership{WorkspaceID: other.ID, UserID: c.member.UserID, Role: core.RoleOwner}))
	name := "x"
	foreign, err := c.folders.Create(t.Context(), c.member, other.ID, workspaces.FolderInput{Name: &name})
	c.must(err)
	own := c.folder("own", "")
	for _, parent := range []core.ID{foreign.ID, core.NewID(), "no id"} {
		_, err := c.folders.Create(t.Context(), c.member, c.workspace.ID, inFolder(&name, parent))
		wantSpaceCode(t, "creates below a foreign folder", err, core.CodeValidationFailed)
		wantSpaceCode(t, "moves below a foreign folder", c.move(own.ID, parent), core.CodeValidationFailed)
	}
}

func TestFoldersMakeNoCycle(t *testing.T) {
	c := newCrew(t)
	a := c.folder("a", "")
	b := c.folder("b", a.ID)
	d := c.folder("d", b.ID)
	for _, parent := range []core.ID{a.ID, b.ID, d.ID} {
		wantSpaceCode(t, "a moves into itself", c.move(a.ID, parent), core.CodeConflict)
	}
	wantSpaceCode(t, "d moves up", c.move(d.ID, a.ID), "")
	wantSpaceCode(t, "d moves to the root", c.move(d.ID, ""), "")
	wantSpaceCode(t, "a moves below d", c.move(a.ID, d.ID), "")
}

// TestTwoMovesAtOnceMakeNoCycle moves two folders into each other.
func TestTwoMovesAtOnceMakeNoCycle(t *testing.T) {
	for range 50 {
		c := newCrew(t)
		a, b := c.folder("a", ""), c.folder("b", "")
		var together sync.WaitGroup
		together.Go(func() { _ = c.move(a.ID, b.ID) })
		together.Go(func() { _ = c.move(b.ID, a.ID) })
		together.Wait()
		folders, err := c.folders.List(t.Context(), c.member, c.workspace.ID)
		c.must(err)
		if moved := folders[0].ParentID != nil; moved == (folders[1].ParentID != nil) {
			t.Fatalf("got %+v, want just one of them moved", folders)
		}
	}
}

func TestFoldersNestTenDeep(t *testing.T) {
	c := newCrew(t)
	deepest, chain := core.ID(""), []core.ID{}
	for i := range workspaces.MaxFolderDepth {
		deepest = c.folder(fmt.Sprint(i), deepest).ID
		chain = append(chain, deepest)
	}
	name := "too deep"
	_, err := c.folders.Create(t.Context(), c.member, c.workspace.ID, inFolder(&name, deepest))
	wantSpaceCode(t, "an eleventh", err, core.CodeConflict)
	pair := c.folder("pair", "")
	c.folder("of two", pair.ID)
	wantSpaceCode(t, "two below the ninth", c.move(pair.ID, chain[8]), core.CodeConflict)
	wantSpaceCode(t, "two below the eighth", c.move(pair.ID, chain[7]), "")
}

func TestAWorkspaceHasABoundedNumberOfFolders(t *testing.T) {
	c := newCrew(t)
	for i := range workspaces.MaxFolders {
		folder := core.Folder{ID: core.NewID(), WorkspaceID: c.workspace.ID, Name: fmt.Sprint(i)}
		c.must(c.store.Tables().Folders.Create(t.Context(), folder))
	}
	name := "one too many"
	_, err := c.folders.Create(t.Context(), c.member, c.workspace.ID, workspaces.FolderInput{Name: &name})
	wantSpaceCode(t, "one too many", err, core.CodeConflict)
}
