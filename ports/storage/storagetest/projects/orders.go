package projects

import (
	"cmp"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func listPublic(s testCase) {
	first, second := s.Workspace(), s.Workspace()
	public := func(p *core.Project) { p.Visibility = core.VisibilityPublic }
	user := s.Member(first.ID, core.RoleOwner)
	s.Project(first.ID)
	s.Project(first.ID, public, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	near, far := s.Project(first.ID, public), s.Project(second.ID, public, func(p *core.Project) { p.Name = "Bäckerei" })
	s.Want(s.listed(storage.ProjectFilter{Public: true}), nil, []core.ID{far.ID, near.ID})
	s.Want(s.listed(storage.ProjectFilter{Public: true, Member: user.ID}), nil, []core.ID{far.ID, near.ID})
	s.Want(s.listed(storage.ProjectFilter{Public: true, Workspace: first.ID}), nil, []core.ID{near.ID})
	s.Want(s.listed(storage.ProjectFilter{Public: true, Query: "back"}), nil, []core.ID{far.ID})
	s.Want(s.listed(storage.ProjectFilter{Public: true, Visibility: core.VisibilityPrivate}), nil, []core.ID{})
	s.Want(s.listed(storage.ProjectFilter{Public: true, Deleted: true}), nil, []core.ID{})
}

func listDeletedBefore(s testCase) {
	first, second := s.Workspace(), s.Workspace()
	deleted := func(at core.Time) func(*core.Project) { return func(p *core.Project) { p.DeletedAt = &at } }
	s.Project(first.ID)
	old := s.Project(first.ID, deleted(100), func(p *core.Project) { p.Visibility = core.VisibilityPrivate })
	other := s.Project(second.ID, deleted(199))
	s.Project(second.ID, deleted(200))
	s.Want(s.listed(storage.ProjectFilter{DeletedBefore: 200}), nil, []core.ID{other.ID, old.ID})
	s.Want(s.listed(storage.ProjectFilter{DeletedBefore: 100}), nil, []core.ID{})
}

func listPurging(s testCase) {
	first, second := s.Workspace(), s.Workspace()
	user := s.Member(first.ID, core.RoleOwner)
	going := func(p *core.Project) { p.DeletedAt, p.Purging = new(p.CreatedAt), true }
	s.Project(first.ID)
	s.Project(first.ID, func(p *core.Project) { p.DeletedAt = new(p.CreatedAt) })
	near, far := s.Project(first.ID, going), s.Project(second.ID, going)
	s.Want(s.listed(storage.ProjectFilter{Purging: true}), nil, []core.ID{far.ID, near.ID})
	s.Want(s.listed(storage.ProjectFilter{Purging: true, Workspace: first.ID, Member: user.ID}), nil, []core.ID{near.ID})
}

// orders are the orders of lists, with what each compares.
func orders() map[core.ProjectSort]func(a, b core.Project) int {
	return map[core.ProjectSort]func(a, b core.Project) int{
		"":               newestFirst,
		core.SortCreated: newestFirst,
		core.SortUpdated: func(a, b core.Project) int {
			return cmp.Or(cmp.Compare(b.UpdatedAt, a.UpdatedAt), cmp.Compare(b.ID, a.ID))
		},
		core.SortName: func(a, b core.Project) int {
			return cmp.Or(cmp.Compare(storage.SortName(a.Name), storage.SortName(b.Name)), cmp.Compare(a.ID, b.ID))
		},
	}
}

// sortable makes projects that every order puts into another row.
func (s testCase) sortable(workspace core.ID) []core.Project {
	s.Helper()
	var all []core.Project
	for i, name := range []string{"zebra", "Äpfel", "apple", "Zurich", "Zürich", "b", "B", "日本", "a b", "a-b", "Zürich"} {
		all = append(all, s.Project(workspace, func(p *core.Project) {
			p.Name, p.CreatedAt, p.UpdatedAt = name, core.Time(100+i/3), core.Time(200+(i*7)%5)
		}))
	}
	return all
}

func listSorted(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	all := s.sortable(workspace.ID)
	for sort, compare := range orders() {
		got, err := s.Projects.List(s.Context(), storage.ProjectFilter{Member: user.ID, Sort: sort}, core.Page{Limit: 100})
		s.Want(got, err, slices.SortedFunc(slices.Values(all), compare))
	}
	_, err := s.Projects.Update(s.Context(), all[0].ID, func(p *core.Project) error {
		p.Name, p.UpdatedAt = "aaa", 999
		return nil
	})
	s.Must(err)
	for _, sort := range []core.ProjectSort{core.SortUpdated, core.SortName} {
		if got := s.page(storage.ProjectFilter{Member: user.ID, Sort: sort}, core.Page{Limit: 3}); !slices.Contains(got, all[0].ID) {
			s.Errorf("by %s: got %v, want what changed in front", sort, got)
		}
	}
}

func listSortedPages(s testCase) {
	for sort, compare := range orders() {
		workspace := s.Workspace()
		user := s.Member(workspace.ID, core.RoleMember)
		all := s.sortable(workspace.ID)
		filter := storage.ProjectFilter{Member: user.ID, Sort: sort}
		var seen []core.Project
		page := core.Page{Limit: 3}
		for len(seen) <= len(all) {
			projects, err := s.Projects.List(s.Context(), filter, page)
			s.Must(err)
			if len(projects) == 0 {
				break
			}
			seen = append(seen, projects...)
			page.Before = new(storage.PositionOf(projects[len(projects)-1]))
			s.Project(workspace.ID, func(p *core.Project) { p.Name, p.CreatedAt, p.UpdatedAt = "a", 9999, 9999 })
		}
		s.Want(seen, nil, slices.SortedFunc(slices.Values(all), compare))
	}
}
