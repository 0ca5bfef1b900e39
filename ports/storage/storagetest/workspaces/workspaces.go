package workspaces

import (
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func workspaceClauses() []clause {
	return []clause{
		{"a workspace comes back as it was stored", workspaceComesBack},
		{"a workspace that is not there is not found", workspaceNotFound},
		{"an update of a workspace works as a user's", workspaceUpdate},
		{"a user's workspaces come personal first, then by age", workspacesOfUser},
		{"a user is read with their workspaces", userWithWorkspaces},
		{"a user is read with what decides their rights on a project", userOnProject},
		{"a member has the role that was put last", memberRole},
		{"somebody who is not a member has no role, and that is no error", noRole},
		{"a workspace is seen with the role in it", workspaceSeenBy},
		{"a workspace says which members lack the second factor that it requires", lackingFactor},
		{"lists leave out projects for which a second factor lacks", lackingFactorInLists},
		{"a member must be a user and of a workspace", memberOfNothing},
		{"deleting a workspace removes all that belongs to it", workspaceDelete},
	}
}

func workspaceComesBack(s testCase) {
	full := core.Workspace{
		ID: core.NewID(), Name: "Ada's", Slug: "ada", Personal: true, CreditLimit: new(12.345), CreditUsed: 1e9 + 0.000_001,
		CommandHosts: core.HostPatterns{"*.example.com", "registry.npmjs.org"}, RequireMFA: true, LivePublish: core.RoleAdmin, CreatedAt: s.Now(), UpdatedAt: s.Now(), MembersVersion: 4,
		CreditCap: new(99.5), Quotas: core.WorkspaceQuotas{Projects: 3, Members: 1_000_000, Bytes: 1 << 50},
		Knowledge: "Write German.\n" + strings.Repeat("é", core.MaxKnowledgeBytes/2-7),
	}
	for _, workspace := range []core.Workspace{full, s.NewWorkspace()} {
		s.Must(s.Workspaces.Create(s.Context(), workspace))
		got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
		s.Want(got, err, workspace)
	}
	s.WantCode(s.Workspaces.Create(s.Context(), full), core.CodeConflict)
	full.ID, full.Name = core.NewID(), fixture.Unstorable()[0]
	s.WantCode(s.Workspaces.Create(s.Context(), full), core.CodeValidationFailed)
}

func workspaceNotFound(s testCase) {
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		_, err := s.Workspaces.ByID(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
		_, standing, err := s.Workspaces.SeenBy(s.Context(), id, s.User().ID)
		s.Want(standing, nil, core.Standing{})
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Workspaces.Update(s.Context(), id, func(*core.Workspace) error { return nil })
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Workspaces.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func workspaceUpdate(s testCase) {
	workspace := s.Workspace()
	fixture.Together(16, func(int) {
		_, err := s.Workspaces.Update(s.Context(), workspace.ID, func(stored *core.Workspace) error {
			stored.CreditUsed += 0.25
			stored.ID, stored.CreatedAt = core.NewID(), 1
			return nil
		})
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	workspace.CreditUsed = 4
	for _, hosts := range []core.HostPatterns{{"a.example.com"}, nil} {
		_, err := s.Workspaces.Update(s.Context(), workspace.ID, func(stored *core.Workspace) error {
			stored.CommandHosts = hosts
			return nil
		})
		s.Must(err)
		got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
		s.Want(got.CommandHosts.String(), err, hosts.String())
	}
	got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
	s.Want(got, err, workspace)
}

func workspacesOfUser(s testCase) {
	user, stranger := s.User(), s.User()
	young, old, personal, foreign := s.NewWorkspace(), s.NewWorkspace(), s.NewWorkspace(), s.NewWorkspace()
	old.CreatedAt, personal.Personal = 1, true
	twin := s.NewWorkspace()
	twin.CreatedAt = old.CreatedAt
	for _, workspace := range []core.Workspace{young, personal, twin, old, foreign} {
		s.Must(s.Workspaces.Create(s.Context(), workspace))
		if workspace.ID != foreign.ID {
			s.Join(workspace.ID, user.ID, core.RoleMember)
		}
	}
	s.Join(foreign.ID, stranger.ID, core.RoleOwner)
	got, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.Want(fixture.IDsOf(got, func(w core.JoinedWorkspace) core.ID { return w.ID }), err,
		[]core.ID{personal.ID, old.ID, twin.ID, young.ID})
	member, err := s.Members.ByID(s.Context(), personal.ID, user.ID)
	s.Want(got[0], err, core.JoinedWorkspace{Workspace: personal, Role: member.Role, JoinedAt: member.JoinedAt})
	got, err = s.Workspaces.OfUser(s.Context(), core.ID(fixture.Unstorable()[0]))
	s.Want(len(got), err, 0)
}

func userWithWorkspaces(s testCase) {
	user, hermit := s.User(), s.User()
	for range 3 {
		s.Join(s.Workspace().ID, user.ID, core.RoleAdmin)
	}
	want, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.Must(err)
	got, spaces, err := s.Users.WithWorkspaces(s.Context(), user.ID)
	s.Want(got, err, user)
	s.Want(spaces, err, want)
	got, spaces, err = s.Users.WithWorkspaces(s.Context(), hermit.ID)
	s.Want(got, err, hermit)
	s.Want(len(spaces), err, 0)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		_, _, err = s.Users.WithWorkspaces(s.Context(), id)
		s.WantCode(err, core.CodeNotFound)
	}
}

func userOnProject(s testCase) {
	home := s.Workspace()
	member, stranger := s.User(), s.User()
	s.Join(home.ID, member.ID, core.RoleAdmin)
	project := s.Project(home.ID, func(p *core.Project) { p.CreatedBy, p.Visibility = stranger.ID, core.VisibilityPublic })
	want := storage.ProjectUser{User: member, WorkspaceID: home.ID, Access: project.Access(), Standing: core.Standing{Role: core.RoleAdmin}}
	got, err := s.Users.OnProject(s.Context(), member.ID, project.ID)
	s.Want(got, err, want)
	want.User, want.Role = stranger, core.RoleNone
	got, err = s.Users.OnProject(s.Context(), stranger.ID, project.ID)
	s.Want(got, err, want)
	project, err = s.Projects.Update(s.Context(), project.ID, func(p *core.Project) error {
		deleted := s.Now()
		p.DeletedAt, p.Purging = &deleted, true
		return nil
	})
	s.Must(err)
	got, err = s.Users.OnProject(s.Context(), stranger.ID, project.ID)
	want.Access = core.ProjectAccess{CreatedBy: stranger.ID, Visibility: core.VisibilityPublic, Deleted: true, Purging: true}
	s.Want(got, err, want)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		_, err = s.Users.OnProject(s.Context(), id, project.ID)
		s.WantCode(err, core.CodeNotFound)
		_, err = s.Users.OnProject(s.Context(), member.ID, id)
		s.WantCode(err, core.CodeNotFound)
	}
	_, err = s.Users.OnProject(s.Ended(), member.ID, project.ID)
	s.WantCode(err, core.CodeUnavailable)
}

func memberRole(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	for _, role := range []core.Role{core.RoleMember, core.RoleOwner, core.RoleAdmin} {
		s.Join(workspace.ID, user.ID, role)
		got, err := s.Workspaces.Role(s.Context(), workspace.ID, user.ID)
		s.Want(got, err, role)
	}
	got, err := s.Workspaces.Role(s.Context(), other.ID, user.ID)
	s.Want(got, err, core.RoleNone)
	found, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.Want(len(found), err, 1)
}

func noRole(s testCase) {
	workspace, user := s.Workspace(), s.User()
	for _, pair := range [][2]core.ID{
		{workspace.ID, user.ID}, {core.NewID(), user.ID}, {workspace.ID, core.NewID()},
		{core.ID(fixture.Unstorable()[0]), user.ID}, {workspace.ID, core.ID(fixture.Unstorable()[1])},
	} {
		got, err := s.Workspaces.Role(s.Context(), pair[0], pair[1])
		s.Want(got, err, core.RoleNone)
	}
}

func workspaceSeenBy(s testCase) {
	home, foreign := s.Workspace(), s.Workspace()
	member, other := s.Member(home.ID, core.RoleMember), s.Member(foreign.ID, core.RoleOwner)
	for user, want := range map[core.ID]core.Role{
		member.ID: core.RoleMember, other.ID: core.RoleNone, core.NewID(): core.RoleNone, core.ID(fixture.Unstorable()[0]): core.RoleNone,
	} {
		got, standing, err := s.Workspaces.SeenBy(s.Context(), home.ID, user)
		s.Want(got, err, home)
		s.Want(standing, nil, core.Standing{Role: want})
	}
}

func memberOfNothing(s testCase) {
	workspace, user := s.Workspace(), s.User()
	put := func(workspace, user core.ID, role core.Role) error {
		return s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: workspace, UserID: user, Role: role})
	}
	s.WantCode(put(core.NewID(), user.ID, core.RoleMember), core.CodeNotFound)
	s.WantCode(put(workspace.ID, core.NewID(), core.RoleMember), core.CodeNotFound)
	s.WantCode(put(workspace.ID, user.ID, core.Role(fixture.Unstorable()[0])), core.CodeValidationFailed)
}

func workspaceDelete(s testCase) {
	doomed, kept := s.Filled(), s.Filled()
	s.Must(s.Workspaces.Delete(s.Context(), doomed.Workspace.ID))
	doomed.WantGone(s.Case)
	kept.WantThere(s.Case)
	_, err := s.Workspaces.ByID(s.Context(), doomed.Workspace.ID)
	s.WantCode(err, core.CodeNotFound)
	role, err := s.Workspaces.Role(s.Context(), doomed.Workspace.ID, doomed.Member.ID)
	s.Want(role, err, core.RoleNone)
	found, err := s.Workspaces.OfUser(s.Context(), doomed.Member.ID)
	s.Want(len(found), err, 0)
	folders, err := s.Folders.List(s.Context(), doomed.Workspace.ID)
	s.Want(len(folders), err, 0)
	_, err = s.Providers.ByID(s.Context(), doomed.Provider.ID)
	s.WantCode(err, core.CodeNotFound)
	usage, err := s.Usage.List(s.Context(), doomed.Workspace.ID)
	s.Want(len(usage), err, 0)
	user, err := s.Users.ByID(s.Context(), doomed.Member.ID)
	s.Want(user, err, doomed.Member)
}
