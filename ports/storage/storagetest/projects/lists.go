package projects

import (
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func listClauses() []clause {
	return []clause{
		{"a list holds what the user sees as a member", listOfMember},
		{"private projects are listed for their creator and for admins", listPrivate},
		{"a list is narrowed by workspace, folder, root and visibility", listNarrowed},
		{"soft-deleted projects are listed apart", listDeleted},
		{"a list is sorted newest first and then by id", listOrder},
		{"a list has at most as many projects as the page's limit", listLimit},
		{"pages stay the same when newer projects are added", listPages},
		{"a filter that names nothing lists nothing", listNothing},
		{"the list of public projects holds those of all workspaces", listPublic},
		{"projects deleted before a time are listed for all workspaces", listDeletedBefore},
		{"projects being removed for good are listed for all workspaces", listPurging},
		{"a list is sorted by last change or by name where it says so", listSorted},
		{"pages of every order stay the same when projects are added in front of them", listSortedPages},
	}
}

// listed returns the ids that a filter finds, in order.
func (s testCase) listed(filter storage.ProjectFilter) []core.ID {
	s.Helper()
	return s.page(filter, core.Page{Limit: 1000})
}

func (s testCase) page(filter storage.ProjectFilter, page core.Page) []core.ID {
	s.Helper()
	projects, err := s.Projects.List(s.Context(), filter, page)
	s.Must(err)
	return fixture.IDsOf(projects, func(p core.Project) core.ID { return p.ID })
}

func listOfMember(s testCase) {
	first, second, foreign := s.Workspace(), s.Workspace(), s.Workspace()
	user := s.Member(first.ID, core.RoleMember)
	s.Join(second.ID, user.ID, core.RoleOwner)
	a, b := s.Project(first.ID), s.Project(second.ID)
	public := s.Project(foreign.ID, func(p *core.Project) { p.Visibility = core.VisibilityPublic })
	own := s.Project(foreign.ID, func(p *core.Project) { p.CreatedBy = user.ID })
	s.Want(s.listed(storage.ProjectFilter{Member: user.ID}), nil, []core.ID{b.ID, a.ID})
	s.Want(s.listed(storage.ProjectFilter{Member: user.ID, Workspace: foreign.ID}), nil, []core.ID{})
	s.Want(s.listed(storage.ProjectFilter{}), nil, []core.ID{})
	reader := s.Member(foreign.ID, core.RoleMember)
	s.Want(s.listed(storage.ProjectFilter{Member: reader.ID}), nil, []core.ID{own.ID, public.ID})
}

func listPrivate(s testCase) {
	workspace := s.Workspace()
	private := func(p *core.Project) { p.Visibility = core.VisibilityPrivate }
	creator := s.Member(workspace.ID, core.RoleMember)
	shared := s.Project(workspace.ID)
	hidden := s.Project(workspace.ID, private, func(p *core.Project) { p.CreatedBy = creator.ID })
	others := s.Project(workspace.ID, private)
	for role, want := range map[core.Role][]core.ID{
		core.RoleMember: {shared.ID},
		core.RoleAdmin:  {others.ID, hidden.ID, shared.ID},
		core.RoleOwner:  {others.ID, hidden.ID, shared.ID},
	} {
		user := s.Member(workspace.ID, role)
		s.Want(s.listed(storage.ProjectFilter{Member: user.ID}), nil, want)
	}
	s.Want(s.listed(storage.ProjectFilter{Member: creator.ID}), nil, []core.ID{hidden.ID, shared.ID})
	s.Want(s.listed(storage.ProjectFilter{Member: creator.ID, Visibility: core.VisibilityPrivate}), nil, []core.ID{hidden.ID})
}

func listNarrowed(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	s.Join(other.ID, user.ID, core.RoleMember)
	folder := s.NewFolder(workspace.ID)
	s.Must(s.Folders.Create(s.Context(), folder))
	inFolder := s.Project(workspace.ID, func(p *core.Project) { p.FolderID = &folder.ID })
	atRoot := s.Project(workspace.ID, func(p *core.Project) { p.Visibility = core.VisibilityPublic })
	elsewhere := s.Project(other.ID)
	for _, narrowed := range []struct {
		by   storage.ProjectFilter
		want []core.ID
	}{
		{storage.ProjectFilter{}, []core.ID{elsewhere.ID, atRoot.ID, inFolder.ID}},
		{storage.ProjectFilter{Workspace: workspace.ID}, []core.ID{atRoot.ID, inFolder.ID}},
		{storage.ProjectFilter{Folder: folder.ID}, []core.ID{inFolder.ID}},
		{storage.ProjectFilter{RootOnly: true}, []core.ID{elsewhere.ID, atRoot.ID}},
		{storage.ProjectFilter{RootOnly: true, Workspace: workspace.ID}, []core.ID{atRoot.ID}},
		{storage.ProjectFilter{Visibility: core.VisibilityPublic}, []core.ID{atRoot.ID}},
		{storage.ProjectFilter{Folder: folder.ID, Workspace: other.ID}, []core.ID{}},
		{storage.ProjectFilter{Folder: folder.ID, RootOnly: true}, []core.ID{}},
	} {
		narrowed.by.Member = user.ID
		s.Want(s.listed(narrowed.by), nil, narrowed.want)
	}
}

func listDeleted(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	alive := s.Project(workspace.ID)
	dead := s.Project(workspace.ID, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	s.Want(s.listed(storage.ProjectFilter{Member: user.ID}), nil, []core.ID{alive.ID})
	s.Want(s.listed(storage.ProjectFilter{Member: user.ID, Deleted: true}), nil, []core.ID{dead.ID})
}

func listOrder(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	var want []core.Project
	for _, at := range []core.Time{30, 10, 20, 20, 40, 20} {
		want = append(want, s.Project(workspace.ID, func(p *core.Project) { p.CreatedAt = at }))
	}
	slices.SortFunc(want, newestFirst)
	got, err := s.Projects.List(s.Context(), storage.ProjectFilter{Member: user.ID}, core.Page{Limit: 10})
	s.Want(got, err, want)
}

func newestFirst(a, b core.Project) int {
	if a.CreatedAt > b.CreatedAt || a.CreatedAt == b.CreatedAt && a.ID > b.ID {
		return -1
	}
	return 1
}

func listLimit(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	for range 3 {
		s.Project(workspace.ID)
	}
	for limit, want := range map[int]int{-1: 0, 0: 0, 1: 1, 3: 3, 4: 3} {
		got := s.page(storage.ProjectFilter{Member: user.ID}, core.Page{Limit: limit})
		if len(got) != want {
			s.Errorf("limit %d: got %d projects, want %d", limit, len(got), want)
		}
	}
}

func listPages(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	var all []core.Project
	for i := range 25 {
		all = append(all, s.Project(workspace.ID, func(p *core.Project) { p.CreatedAt = core.Time(100 + i/4) }))
	}
	slices.SortFunc(all, newestFirst)
	filter := storage.ProjectFilter{Member: user.ID}
	var seen []core.Project
	page := core.Page{Limit: 4}
	for len(seen) <= len(all) {
		projects, err := s.Projects.List(s.Context(), filter, page)
		s.Must(err)
		if len(projects) == 0 {
			break
		}
		seen = append(seen, projects...)
		last := projects[len(projects)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
		again := s.page(filter, page)
		s.Project(workspace.ID)
		s.Want(s.page(filter, page), nil, again)
	}
	s.Want(seen, nil, all)
}

func listNothing(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	s.Project(workspace.ID)
	for _, text := range append(fixture.Unstorable(), string(core.NewID())) {
		id := core.ID(text)
		s.Want(s.listed(storage.ProjectFilter{Member: id}), nil, []core.ID{})
		s.Want(s.listed(storage.ProjectFilter{Member: user.ID, Workspace: id}), nil, []core.ID{})
		s.Want(s.listed(storage.ProjectFilter{Member: user.ID, Folder: id}), nil, []core.ID{})
		s.Want(s.listed(storage.ProjectFilter{Member: user.ID, Visibility: core.Visibility(text)}), nil, []core.ID{})
	}
}
