package porttest

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

func storageWorkspaceClauses() []storageClause {
	return []storageClause{
		{"a workspace comes back as it was stored", workspaceComesBack},
		{"a workspace that is not there is not found", workspaceNotFound},
		{"an update of a workspace works as a user's", workspaceUpdate},
		{"a user's workspaces come personal first, then by age", workspacesOfUser},
		{"a user is read with their workspaces", userWithWorkspaces},
		{"a member has the role that was put last", memberRole},
		{"whoever is no member has no role and no error", noRole},
		{"a workspace is seen with the role in it", workspaceSeenBy},
		{"a member must be a user and of a workspace", memberOfNothing},
		{"deleting a workspace removes all that belongs to it", workspaceDelete},
	}
}

func workspaceComesBack(s *storageCase) {
	full := core.Workspace{
		ID: core.NewID(), Name: "Ada's", Slug: "ada", Personal: true, CreditLimit: new(12.345), CreditUsed: 1e9 + 0.000_001,
		CommandHosts: core.HostPatterns{"*.example.com", "registry.npmjs.org"}, CreatedAt: s.now(), UpdatedAt: s.now(), MembersVersion: 4,
	}
	for _, workspace := range []core.Workspace{full, s.newWorkspace()} {
		s.must(s.Workspaces.Create(s.Context(), workspace))
		got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
		s.want(got, err, workspace)
	}
	s.wantCode(s.Workspaces.Create(s.Context(), full), core.CodeConflict)
	full.ID, full.Name = core.NewID(), unstorable[0]
	s.wantCode(s.Workspaces.Create(s.Context(), full), core.CodeValidationFailed)
}

func workspaceNotFound(s *storageCase) {
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		_, err := s.Workspaces.ByID(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
		_, role, err := s.Workspaces.SeenBy(s.Context(), id, s.user().ID)
		s.want(role, nil, core.RoleNone)
		s.wantCode(err, core.CodeNotFound)
		_, err = s.Workspaces.Update(s.Context(), id, func(*core.Workspace) error { return nil })
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Workspaces.Delete(s.Context(), id), core.CodeNotFound)
	}
}

func workspaceUpdate(s *storageCase) {
	workspace := s.workspace()
	together(16, func(int) {
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
		s.must(err)
		got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
		s.want(got.CommandHosts.String(), err, hosts.String())
	}
	got, err := s.Workspaces.ByID(s.Context(), workspace.ID)
	s.want(got, err, workspace)
}

func workspacesOfUser(s *storageCase) {
	user, stranger := s.user(), s.user()
	young, old, personal, foreign := s.newWorkspace(), s.newWorkspace(), s.newWorkspace(), s.newWorkspace()
	old.CreatedAt, personal.Personal = 1, true
	twin := s.newWorkspace()
	twin.CreatedAt = old.CreatedAt
	for _, workspace := range []core.Workspace{young, personal, twin, old, foreign} {
		s.must(s.Workspaces.Create(s.Context(), workspace))
		if workspace.ID != foreign.ID {
			s.join(workspace.ID, user.ID, core.RoleMember)
		}
	}
	s.join(foreign.ID, stranger.ID, core.RoleOwner)
	got, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.want(idsOf(got, func(w core.JoinedWorkspace) core.ID { return w.ID }), err,
		[]core.ID{personal.ID, old.ID, twin.ID, young.ID})
	member, err := s.Members.ByID(s.Context(), personal.ID, user.ID)
	s.want(got[0], err, core.JoinedWorkspace{Workspace: personal, Role: member.Role, JoinedAt: member.JoinedAt})
	got, err = s.Workspaces.OfUser(s.Context(), core.ID(unstorable[0]))
	s.want(len(got), err, 0)
}

func userWithWorkspaces(s *storageCase) {
	user, hermit := s.user(), s.user()
	for range 3 {
		s.join(s.workspace().ID, user.ID, core.RoleAdmin)
	}
	want, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.must(err)
	got, spaces, err := s.Users.WithWorkspaces(s.Context(), user.ID)
	s.want(got, err, user)
	s.want(spaces, err, want)
	got, spaces, err = s.Users.WithWorkspaces(s.Context(), hermit.ID)
	s.want(got, err, hermit)
	s.want(len(spaces), err, 0)
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		_, _, err = s.Users.WithWorkspaces(s.Context(), id)
		s.wantCode(err, core.CodeNotFound)
	}
}

func memberRole(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	user := s.member(workspace.ID, core.RoleMember)
	for _, role := range []core.Role{core.RoleMember, core.RoleOwner, core.RoleAdmin} {
		s.join(workspace.ID, user.ID, role)
		got, err := s.Workspaces.Role(s.Context(), workspace.ID, user.ID)
		s.want(got, err, role)
	}
	got, err := s.Workspaces.Role(s.Context(), other.ID, user.ID)
	s.want(got, err, core.RoleNone)
	found, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.want(len(found), err, 1)
}

func noRole(s *storageCase) {
	workspace, user := s.workspace(), s.user()
	for _, pair := range [][2]core.ID{
		{workspace.ID, user.ID}, {core.NewID(), user.ID}, {workspace.ID, core.NewID()},
		{core.ID(unstorable[0]), user.ID}, {workspace.ID, core.ID(unstorable[1])},
	} {
		got, err := s.Workspaces.Role(s.Context(), pair[0], pair[1])
		s.want(got, err, core.RoleNone)
	}
}

func workspaceSeenBy(s *storageCase) {
	home, foreign := s.workspace(), s.workspace()
	member, other := s.member(home.ID, core.RoleMember), s.member(foreign.ID, core.RoleOwner)
	for user, want := range map[core.ID]core.Role{
		member.ID: core.RoleMember, other.ID: core.RoleNone, core.NewID(): core.RoleNone, core.ID(unstorable[0]): core.RoleNone,
	} {
		got, role, err := s.Workspaces.SeenBy(s.Context(), home.ID, user)
		s.want(got, err, home)
		s.want(role, nil, want)
	}
}

func memberOfNothing(s *storageCase) {
	workspace, user := s.workspace(), s.user()
	put := func(workspace, user core.ID, role core.Role) error {
		return s.Workspaces.PutMember(s.Context(), core.Membership{WorkspaceID: workspace, UserID: user, Role: role})
	}
	s.wantCode(put(core.NewID(), user.ID, core.RoleMember), core.CodeNotFound)
	s.wantCode(put(workspace.ID, core.NewID(), core.RoleMember), core.CodeNotFound)
	s.wantCode(put(workspace.ID, user.ID, core.Role(unstorable[0])), core.CodeValidationFailed)
}

func workspaceDelete(s *storageCase) {
	doomed, kept := s.filled(), s.filled()
	s.must(s.Workspaces.Delete(s.Context(), doomed.workspace.ID))
	s.wantGone(doomed)
	s.wantThere(kept)
	_, err := s.Workspaces.ByID(s.Context(), doomed.workspace.ID)
	s.wantCode(err, core.CodeNotFound)
	role, err := s.Workspaces.Role(s.Context(), doomed.workspace.ID, doomed.member.ID)
	s.want(role, err, core.RoleNone)
	found, err := s.Workspaces.OfUser(s.Context(), doomed.member.ID)
	s.want(len(found), err, 0)
	folders, err := s.Folders.List(s.Context(), doomed.workspace.ID)
	s.want(len(folders), err, 0)
	_, err = s.Providers.ByID(s.Context(), doomed.provider.ID)
	s.wantCode(err, core.CodeNotFound)
	usage, err := s.Usage.List(s.Context(), doomed.workspace.ID)
	s.want(len(usage), err, 0)
	user, err := s.Users.ByID(s.Context(), doomed.member.ID)
	s.want(user, err, doomed.member)
}

// filledWorkspace is a workspace with one of everything.
type filledWorkspace struct {
	workspace  core.Workspace
	member     core.User
	provider   core.Provider
	project    core.Project
	chat       core.Chat
	run        core.Run
	attachment core.ID
	deployment core.Deployment
}

func (s *storageCase) filled() filledWorkspace {
	s.Helper()
	ctx := s.Context()
	f := filledWorkspace{workspace: s.workspace()}
	f.member = s.member(f.workspace.ID, core.RoleMember)
	folder := s.newFolder(f.workspace.ID)
	s.must(s.Folders.Create(ctx, folder))
	f.provider = s.newProvider(f.workspace.ID)
	s.must(s.Providers.Create(ctx, f.provider))
	s.must(s.Usage.Add(ctx, f.workspace.ID, core.UsageRow{Day: "2026-01-02", Model: "m", InputTokens: 1}))
	f.project = s.project(f.workspace.ID, func(p *core.Project) { p.FolderID = &folder.ID })
	s.must(s.Files.Apply(ctx, f.project.ID, storage.FileDelta{Put: []core.FileEntry{{Path: core.MustPath("a.txt")}}}))
	f.chat = s.newChat(f.project.ID)
	s.must(s.Chats.Create(ctx, f.chat))
	_, err := s.Events.Append(ctx, f.chat.ID, s.now(), []core.Payload{core.MessageDelta{Delta: "hi"}})
	s.must(err)
	f.run = s.run(f.chat.ID, core.RunQueued)
	f.attachment = s.attachment(f.run.ID)
	f.deployment = s.newDeployment(f.project.ID)
	s.must(s.Deployments.Create(ctx, f.deployment))
	return f
}

// contents counts what belongs to the project: its row, files, revision, chat,
// events, run, deployment and attachment.
func (s *storageCase) contents(f filledWorkspace) [8]int {
	s.Helper()
	ctx := s.Context()
	var n [8]int
	count := func(i int, err error) {
		if err == nil {
			n[i] = 1
		} else {
			s.wantCode(err, core.CodeNotFound)
		}
	}
	_, err := s.Projects.ByID(ctx, f.project.ID)
	count(0, err)
	_, err = s.Files.ByPath(ctx, core.FileAt{Project: f.project.ID, Path: core.MustPath("a.txt")})
	count(1, err)
	state, err := s.Files.State(ctx, f.project.ID)
	s.must(err)
	n[2] = int(state.Revision)
	_, err = s.Chats.ByID(ctx, f.chat.ID)
	count(3, err)
	events, err := s.Events.Read(ctx, f.chat.ID, storage.EventRange{Limit: 10})
	s.must(err)
	n[4] = len(events)
	_, err = s.Runs.ByID(ctx, f.run.ID)
	count(5, err)
	_, err = s.Deployments.ByID(ctx, f.deployment.ID)
	count(6, err)
	_, err = s.Attachments.ByID(ctx, f.attachment)
	count(7, err)
	return n
}

func (s *storageCase) wantGone(f filledWorkspace) {
	s.Helper()
	s.want(s.contents(f), nil, [8]int{})
	_, err := s.Runs.Busy(s.Context(), f.chat.ID)
	s.wantCode(err, core.CodeNotFound)
	_, err = s.Events.Append(s.Context(), f.chat.ID, s.now(), []core.Payload{core.MessageDelta{}})
	s.wantCode(err, core.CodeNotFound)
}

func (s *storageCase) wantThere(f filledWorkspace) {
	s.Helper()
	s.want(s.contents(f), nil, [8]int{1, 1, 1, 1, 1, 1, 1, 1})
}
