package people

import (
	"github.com/atelierhq/atelier/core"

	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func memberClauses() []clause {
	return []clause{
		{"members are listed as the users that they are, the oldest member first", membersByAge},
		{"a member comes as the user is now", memberIsUser},
		{"a member whose role changes keeps the day of joining", memberKeepsJoinedAt},
		{"people without membership are not found", memberNotFound},
		{"removing a member leaves the others and the user", memberRemove},
		{"of parallel removals of a member one succeeds", memberRemoveInParallel},
		{"owners are counted by workspace", membersOwners},
		{"owners who leave together after counting leave one", membersOwnersInParallel},
		{"members come out as copies", memberCopies},
	}
}

// joined makes a user a member and returns what the others see.
func (s testCase) joined(workspace core.ID, user core.User, role core.Role, at core.Time) core.Member {
	s.Helper()
	s.Must(s.Workspaces.PutMember(s.Context(), core.Membership{
		WorkspaceID: workspace, UserID: user.ID, Role: role, JoinedAt: at,
	}))
	return core.Member{
		UserID: user.ID, Email: user.Email, DisplayName: user.DisplayName, AvatarURL: user.AvatarURL, Role: role, JoinedAt: at, SecondFactor: new(false),
	}
}

func (s testCase) wantMembers(workspace core.ID, want ...core.Member) {
	s.Helper()
	got, err := s.Members.List(s.Context(), workspace)
	s.Want(got, err, want)
	for _, member := range want {
		got, err := s.Members.ByID(s.Context(), workspace, member.UserID)
		s.Want(got, err, member)
	}
}

func membersByAge(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	ages := s.Ages()
	users, want := make([]core.User, len(ages)), make([]core.Member, len(ages))
	for _, i := range []int{3, 2, 0, 1} {
		users[i] = s.NewUser()
		users[i].ID, users[i].DisplayName = ages[i].ID, new(`O'Hara "東京`)
		s.Must(s.Users.Create(s.Context(), users[i]))
	}
	for i, role := range []core.Role{core.RoleMember, core.RoleOwner, core.RoleAdmin, core.RoleMember} {
		want[i] = s.joined(workspace.ID, users[i], role, ages[i].At)
	}
	elsewhere := s.joined(other.ID, users[1], core.RoleOwner, 400)
	s.wantMembers(workspace.ID, want...)
	s.wantMembers(other.ID, elsewhere)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		got, err := s.Members.List(s.Context(), id)
		s.Want(len(got), err, 0)
	}
}

func memberIsUser(s testCase) {
	workspace, user := s.Workspace(), s.User()
	member := s.joined(workspace.ID, user, core.RoleAdmin, 7)
	_, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		stored.Email, stored.DisplayName = "ada@example.com", new("Ada")
		return nil
	})
	s.Must(err)
	member.Email, member.DisplayName = "ada@example.com", new("Ada")
	s.wantMembers(workspace.ID, member)
}

func memberKeepsJoinedAt(s testCase) {
	workspace, user := s.Workspace(), s.User()
	member := s.joined(workspace.ID, user, core.RoleMember, 7)
	s.joined(workspace.ID, user, core.RoleAdmin, 8)
	member.Role = core.RoleAdmin
	s.wantMembers(workspace.ID, member)
}

func memberNotFound(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	user, stranger := s.Member(workspace.ID, core.RoleMember), s.Member(other.ID, core.RoleOwner)
	for _, pair := range [][2]core.ID{
		{workspace.ID, stranger.ID}, {other.ID, user.ID}, {core.NewID(), user.ID}, {workspace.ID, core.NewID()}, {"", ""},
		{core.ID(fixture.Unstorable()[0]), user.ID}, {workspace.ID, core.ID(fixture.Unstorable()[1])},
	} {
		_, err := s.Members.ByID(s.Context(), pair[0], pair[1])
		s.WantCode(err, core.CodeNotFound)
		s.WantCode(s.Members.Remove(s.Context(), pair[0], pair[1]), core.CodeNotFound)
	}
	role, err := s.Workspaces.Role(s.Context(), workspace.ID, user.ID)
	s.Want(role, err, core.RoleMember)
}

func memberRemove(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	user, colleague := s.User(), s.User()
	s.joined(workspace.ID, user, core.RoleOwner, 1)
	kept := s.joined(workspace.ID, colleague, core.RoleMember, 2)
	elsewhere := s.joined(other.ID, user, core.RoleMember, 3)
	s.Must(s.Members.Remove(s.Context(), workspace.ID, user.ID))
	s.WantCode(s.Members.Remove(s.Context(), workspace.ID, user.ID), core.CodeNotFound)
	s.wantMembers(workspace.ID, kept)
	s.wantMembers(other.ID, elsewhere)
	role, err := s.Workspaces.Role(s.Context(), workspace.ID, user.ID)
	s.Want(role, err, core.RoleNone)
	found, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.Want(found, err, []core.JoinedWorkspace{{Workspace: other, Role: core.RoleMember, JoinedAt: 3}})
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.Want(got, err, user)
	again := s.joined(workspace.ID, user, core.RoleMember, 4)
	s.wantMembers(workspace.ID, kept, again)
}

func memberRemoveInParallel(s testCase) {
	workspace := s.Workspace()
	user := s.Member(workspace.ID, core.RoleMember)
	s.OneOf(16, core.CodeNotFound, func(int) error {
		return s.Members.Remove(s.Context(), workspace.ID, user.ID)
	})
}

func membersOwners(s testCase) {
	workspace, other, empty := s.Workspace(), s.Workspace(), s.Workspace()
	for _, role := range []core.Role{core.RoleOwner, core.RoleMember, core.RoleOwner, core.RoleAdmin} {
		s.Member(workspace.ID, role)
	}
	s.Member(other.ID, core.RoleOwner)
	for id, want := range map[core.ID]int{
		workspace.ID: 2, other.ID: 1, empty.ID: 0, core.NewID(): 0, "": 0, core.ID(fixture.Unstorable()[0]): 0,
	} {
		got, err := s.Members.Owners(s.Context(), id)
		s.Want(got, err, want)
	}
}

func membersOwnersInParallel(s testCase) {
	workspace := s.Workspace()
	owners := make([]core.User, 4)
	for i := range owners {
		owners[i] = s.Member(workspace.ID, core.RoleOwner)
	}
	fixture.Together(len(owners), func(i int) {
		err := s.Store.InTx(s.Context(), fixture.InTx(func(in fixture.Tx) error {
			count, err := in.Members.Owners(in.Ctx, workspace.ID)
			if err != nil || count < 2 {
				return err
			}
			return in.Members.Remove(in.Ctx, workspace.ID, owners[i].ID)
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Members.Owners(s.Context(), workspace.ID)
	s.Want(got, err, 1)
}

func memberCopies(s testCase) {
	workspace, user := s.Workspace(), s.NewUser()
	user.DisplayName, user.AvatarURL = new("Ada"), new("https://example.com/a.png")
	s.Must(s.Users.Create(s.Context(), user))
	member := s.joined(workspace.ID, user, core.RoleMember, 1)
	list, err := s.Members.List(s.Context(), workspace.ID)
	s.Want(list, err, []core.Member{member})
	got, err := s.Members.ByID(s.Context(), workspace.ID, user.ID)
	s.Want(got, err, member)
	*list[0].DisplayName, *list[0].AvatarURL = "changed", "changed"
	*got.DisplayName, *got.AvatarURL = "changed", "changed"
	s.wantMembers(workspace.ID, member)
}
