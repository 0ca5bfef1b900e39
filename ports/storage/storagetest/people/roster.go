package people

import (
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

// workspacesOf lists the workspaces of which the name, slug or owner's address contains a text.
func workspacesOf(s testCase, text string, page core.Page) []core.WorkspaceUse {
	s.Helper()
	uses, err := s.Roster.Workspaces(s.Context(), storage.WorkspaceFilter{Query: text}, page)
	s.Must(err)
	return uses
}

func rosterWorkspaces(s testCase) {
	word := strings.ToLower(string(core.NewID()))
	var spaces []core.Workspace
	for range 3 {
		space := s.NewWorkspace()
		space.Name = "Team " + word
		s.Must(s.Workspaces.Create(s.Context(), space))
		spaces = append(spaces, space)
	}
	first, second, plain := s.User(), s.User(), s.User()
	for _, member := range []core.Membership{
		{UserID: second.ID, Role: core.RoleOwner, JoinedAt: 2}, {UserID: plain.ID, Role: core.RoleMember, JoinedAt: 1}, {UserID: first.ID, Role: core.RoleOwner, JoinedAt: 1},
	} {
		member.WorkspaceID = spaces[0].ID
		s.Must(s.Workspaces.PutMember(s.Context(), member))
	}
	project, deleted, empty := s.NewProject(spaces[0].ID), s.NewProject(spaces[0].ID), s.NewProject(spaces[1].ID)
	deleted.DeletedAt = new(s.Now())
	made := s.NewProject(spaces[0].ID)
	made.CopyOf = &project.ID
	for i, each := range []core.Project{project, deleted, empty, made} {
		s.Must(s.Projects.Create(s.Context(), each))
		if i == 2 {
			continue
		}
		_, err := s.Files.Apply(s.Context(), each.ID, storage.FileDelta{Put: []core.FileEntry{entry("a.txt", 1<<33), entry("b.txt", 5)}})
		s.Must(err)
	}
	want := []core.WorkspaceUse{
		{Workspace: spaces[2]}, {Workspace: spaces[1], Projects: 1},
		{Workspace: spaces[0], Owner: first.Email, Projects: 2, Members: 3, Bytes: 3 * (1<<33 + 5)},
	}
	s.Want(workspacesOf(s, word, core.Page{Limit: 10}), nil, want)
	s.Want(workspacesOf(s, word, core.Page{Limit: 2}), nil, want[:2])
	s.Want(workspacesOf(s, word, core.Page{Limit: 2, Before: &core.Position{CreatedAt: spaces[1].CreatedAt, ID: spaces[1].ID}}), nil, want[2:])
	s.Want(len(workspacesOf(s, word, core.Page{})), nil, 0)
	one, err := s.Roster.Workspaces(s.Context(), storage.WorkspaceFilter{ID: spaces[0].ID}, core.Page{Limit: 10})
	s.Want(one, err, want[2:])
	none, err := s.Roster.Workspaces(s.Context(), storage.WorkspaceFilter{ID: core.NewID()}, core.Page{Limit: 10})
	s.Want(len(none), err, 0)
}

func entry(path string, size int64) core.FileEntry {
	return core.FileEntry{Path: core.MustPath(path), Size: size, UpdatedAt: 1_700_000_000_123, ETag: `"1"`}
}

func rosterWorkspaceQuery(s testCase) {
	space, owner := s.NewWorkspace(), s.User()
	space.Name = "Ada 100% Lovelace_" + string(space.ID)
	s.Must(s.Workspaces.Create(s.Context(), space))
	s.Must(s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: space.ID, UserID: owner.ID, Role: core.RoleOwner, JoinedAt: 1}))
	for _, query := range []string{"ada 100% lovelace_" + string(space.ID), "LOVELACE_" + strings.ToUpper(string(space.ID)), space.Slug, owner.Email} {
		s.Want(fixture.IDsOf(workspacesOf(s, query, core.Page{Limit: 5}), func(use core.WorkspaceUse) core.ID { return use.ID }), nil, []core.ID{space.ID})
	}
	for _, query := range append(fixture.Unstorable(), "ada 100_ lovelace%"+string(space.ID)) {
		s.Want(len(workspacesOf(s, query, core.Page{Limit: 5})), nil, 0)
	}
}

// mostAtOnce is the limit in the checks below.
const mostAtOnce = 2

func projectsUpToANumber(s testCase) {
	space := s.Workspace()
	s.Must(s.Projects.Create(s.Context(), s.NewProject(space.ID)))
	projects := make([]core.Project, 6)
	for i := range projects {
		projects[i] = s.NewProject(space.ID)
	}
	fixture.Together(len(projects), func(i int) {
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			held, err := in.Projects.Count(in.Ctx, space.ID)
			if err != nil || held >= mostAtOnce {
				return err
			}
			return in.Projects.Create(in.Ctx, projects[i])
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	held, err := s.Projects.Count(s.Context(), space.ID)
	s.Want(held, err, mostAtOnce)
}

func membersUpToANumber(s testCase) {
	space := s.Workspace()
	s.Must(s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: space.ID, UserID: s.User().ID, Role: core.RoleOwner, JoinedAt: 1}))
	people := make([]core.User, 6)
	for i := range people {
		people[i] = s.User()
	}
	fixture.Together(len(people), func(i int) {
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			members, err := in.Members.List(in.Ctx, space.ID)
			if err != nil || len(members) >= mostAtOnce {
				return err
			}
			return in.Workspaces.PutMember(in.Ctx, core.Membership{WorkspaceID: space.ID, UserID: people[i].ID, Role: core.RoleMember, JoinedAt: 2})
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	members, err := s.Members.List(s.Context(), space.ID)
	s.Want(len(members), err, mostAtOnce)
}
