package porttest

import "github.com/atelierhq/atelier/core"

func storageMemberClauses() []storageClause {
	return []storageClause{
		{"members are listed as the users that they are, the oldest member first", membersByAge},
		{"a member comes as the user is now", memberIsUser},
		{"a member whose role changes keeps the day of joining", memberKeepsJoinedAt},
		{"whoever is no member is not found", memberNotFound},
		{"removing a member leaves the others and the user", memberRemove},
		{"of parallel removals of a member one succeeds", memberRemoveInParallel},
		{"owners are counted by workspace", membersOwners},
		{"owners who leave together after counting leave one", membersOwnersInParallel},
		{"members come out as copies", memberCopies},
	}
}

// joined makes a user a member and returns what the others see.
func (s *storageCase) joined(workspace core.ID, user core.User, role core.Role, at core.Time) core.Member {
	s.Helper()
	s.must(s.Workspaces.PutMember(s.Context(), core.Membership{
		WorkspaceID: workspace, UserID: user.ID, Role: role, JoinedAt: at,
	}))
	return core.Member{
		UserID: user.ID, Email: user.Email, DisplayName: user.DisplayName, AvatarURL: user.AvatarURL, Role: role, JoinedAt: at,
	}
}

func (s *storageCase) wantMembers(workspace core.ID, want ...core.Member) {
	s.Helper()
	got, err := s.Members.List(s.Context(), workspace)
	s.want(got, err, want)
	for _, member := range want {
		got, err := s.Members.ByID(s.Context(), workspace, member.UserID)
		s.want(got, err, member)
	}
}

func membersByAge(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	ages := s.ages()
	users, want := make([]core.User, len(ages)), make([]core.Member, len(ages))
	for _, i := range []int{3, 2, 0, 1} {
		users[i] = s.newUser()
		users[i].ID, users[i].DisplayName = ages[i].id, new(`O'Hara "東京`)
		s.must(s.Users.Create(s.Context(), users[i]))
	}
	for i, role := range []core.Role{core.RoleMember, core.RoleOwner, core.RoleAdmin, core.RoleMember} {
		want[i] = s.joined(workspace.ID, users[i], role, ages[i].at)
	}
	elsewhere := s.joined(other.ID, users[1], core.RoleOwner, 400)
	s.wantMembers(workspace.ID, want...)
	s.wantMembers(other.ID, elsewhere)
	for _, id := range []core.ID{core.NewID(), "", core.ID(unstorable[0])} {
		got, err := s.Members.List(s.Context(), id)
		s.want(len(got), err, 0)
	}
}

func memberIsUser(s *storageCase) {
	workspace, user := s.workspace(), s.user()
	member := s.joined(workspace.ID, user, core.RoleAdmin, 7)
	_, err := s.Users.Update(s.Context(), user.ID, func(stored *core.User) error {
		stored.Email, stored.DisplayName = "ada@example.com", new("Ada")
		return nil
	})
	s.must(err)
	member.Email, member.DisplayName = "ada@example.com", new("Ada")
	s.wantMembers(workspace.ID, member)
}

func memberKeepsJoinedAt(s *storageCase) {
	workspace, user := s.workspace(), s.user()
	member := s.joined(workspace.ID, user, core.RoleMember, 7)
	s.joined(workspace.ID, user, core.RoleAdmin, 8)
	member.Role = core.RoleAdmin
	s.wantMembers(workspace.ID, member)
}

func memberNotFound(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	user, stranger := s.member(workspace.ID, core.RoleMember), s.member(other.ID, core.RoleOwner)
	for _, pair := range [][2]core.ID{
		{workspace.ID, stranger.ID}, {other.ID, user.ID}, {core.NewID(), user.ID}, {workspace.ID, core.NewID()}, {"", ""},
		{core.ID(unstorable[0]), user.ID}, {workspace.ID, core.ID(unstorable[1])},
	} {
		_, err := s.Members.ByID(s.Context(), pair[0], pair[1])
		s.wantCode(err, core.CodeNotFound)
		s.wantCode(s.Members.Remove(s.Context(), pair[0], pair[1]), core.CodeNotFound)
	}
	role, err := s.Workspaces.Role(s.Context(), workspace.ID, user.ID)
	s.want(role, err, core.RoleMember)
}

func memberRemove(s *storageCase) {
	workspace, other := s.workspace(), s.workspace()
	user, colleague := s.user(), s.user()
	s.joined(workspace.ID, user, core.RoleOwner, 1)
	kept := s.joined(workspace.ID, colleague, core.RoleMember, 2)
	elsewhere := s.joined(other.ID, user, core.RoleMember, 3)
	s.must(s.Members.Remove(s.Context(), workspace.ID, user.ID))
	s.wantCode(s.Members.Remove(s.Context(), workspace.ID, user.ID), core.CodeNotFound)
	s.wantMembers(workspace.ID, kept)
	s.wantMembers(other.ID, elsewhere)
	role, err := s.Workspaces.Role(s.Context(), workspace.ID, user.ID)
	s.want(role, err, core.RoleNone)
	found, err := s.Workspaces.OfUser(s.Context(), user.ID)
	s.want(found, err, []core.JoinedWorkspace{{Workspace: other, Role: core.RoleMember, JoinedAt: 3}})
	got, err := s.Users.ByID(s.Context(), user.ID)
	s.want(got, err, user)
	again := s.joined(workspace.ID, user, core.RoleMember, 4)
	s.wantMembers(workspace.ID, kept, again)
}

func memberRemoveInParallel(s *storageCase) {
	workspace := s.workspace()
	user := s.member(workspace.ID, core.RoleMember)
	s.oneOf(16, core.CodeNotFound, func(int) error {
		return s.Members.Remove(s.Context(), workspace.ID, user.ID)
	})
}

func membersOwners(s *storageCase) {
	workspace, other, empty := s.workspace(), s.workspace(), s.workspace()
	for _, role := range []core.Role{core.RoleOwner, core.RoleMember, core.RoleOwner, core.RoleAdmin} {
		s.member(workspace.ID, role)
	}
	s.member(other.ID, core.RoleOwner)
	for id, want := range map[core.ID]int{
		workspace.ID: 2, other.ID: 1, empty.ID: 0, core.NewID(): 0, "": 0, core.ID(unstorable[0]): 0,
	} {
		got, err := s.Members.Owners(s.Context(), id)
		s.want(got, err, want)
	}
}

func membersOwnersInParallel(s *storageCase) {
	workspace := s.workspace()
	owners := make([]core.User, 4)
	for i := range owners {
		owners[i] = s.member(workspace.ID, core.RoleOwner)
	}
	together(len(owners), func(i int) {
		err := s.store.InTx(s.Context(), inTx(func(in storageTx) error {
			count, err := in.Members.Owners(in.ctx, workspace.ID)
			if err != nil || count < 2 {
				return err
			}
			return in.Members.Remove(in.ctx, workspace.ID, owners[i].ID)
		}))
		if err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	got, err := s.Members.Owners(s.Context(), workspace.ID)
	s.want(got, err, 1)
}

func memberCopies(s *storageCase) {
	workspace, user := s.workspace(), s.newUser()
	user.DisplayName, user.AvatarURL = new("Ada"), new("https://example.com/a.png")
	s.must(s.Users.Create(s.Context(), user))
	member := s.joined(workspace.ID, user, core.RoleMember, 1)
	list, err := s.Members.List(s.Context(), workspace.ID)
	s.want(list, err, []core.Member{member})
	got, err := s.Members.ByID(s.Context(), workspace.ID, user.ID)
	s.want(got, err, member)
	*list[0].DisplayName, *list[0].AvatarURL = "changed", "changed"
	*got.DisplayName, *got.AvatarURL = "changed", "changed"
	s.wantMembers(workspace.ID, member)
}
