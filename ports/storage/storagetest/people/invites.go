package people

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/storage/storagetest/fixture"
)

func inviteClauses() []clause {
	return []clause{
		{"an invite comes back as it was stored", inviteComesBack},
		{"an invite that is not there is not found", inviteNotFound},
		{"an invite takes the place of the workspace's earlier one to its address", inviteReplaced},
		{"an invite that cannot be stored leaves the earlier one", inviteNotReplaced},
		{"an invite's hash or id in use is a conflict", inviteInUse},
		{"an invite is found by either of its hashes", inviteLinked},
		{"of parallel invites to one address one stays", inviteInParallel},
		{"of parallel invites with one hash one succeeds", inviteHashInParallel},
		{"invites are listed the oldest first, lapsed ones too", invitesByAge},
		{"the invites to an address are those of every workspace", invitesToAddress},
		{"deleting an invite leaves the others", inviteDelete},
		{"of parallel deleters of an invite one succeeds", inviteDeleteInParallel},
		{"pruning removes the invites that expired before the time", invitesPrune},
		{"an invite belongs to a workspace and goes with it", inviteOfNothing},
		{"an invite's text is storable", inviteText},
	}
}

func (s testCase) newInvite(workspace core.ID) core.Invite {
	id := core.NewID()
	return core.Invite{
		ID: id, Email: string(id) + "@example.com", Role: core.RoleMember, InvitedBy: core.NewID(),
		CreatedAt: s.Now(), ExpiresAt: s.Now() + 1000, WorkspaceID: workspace, TokenHash: core.HashSecret(core.NewSecret()),
	}
}

func (s testCase) invite(workspace core.ID, alter ...func(*core.Invite)) core.Invite {
	s.Helper()
	invite := s.newInvite(workspace)
	for _, alter := range alter {
		alter(&invite)
	}
	s.Must(s.Invites.Create(s.Context(), invite))
	return invite
}

func toAddress(email string) func(*core.Invite) {
	return func(i *core.Invite) { i.Email = email }
}

// wantInvites compares a workspace's invites, by every query, with the expected
// ones.
func (s testCase) wantInvites(workspace core.ID, want ...core.Invite) {
	s.Helper()
	got, err := s.Invites.List(s.Context(), storage.InviteFilter{WorkspaceID: workspace})
	s.Want(len(got), err, len(want))
	s.Want(append([]core.Invite(nil), got...), nil, want)
	for _, invite := range want {
		got, err := s.Invites.ByID(s.Context(), invite.ID)
		s.Want(got, err, invite)
		got, err = s.Invites.ByHash(s.Context(), invite.TokenHash)
		s.Want(got, err, invite)
	}
}

func (s testCase) wantNoInvite(invite core.Invite) {
	s.Helper()
	_, err := s.Invites.ByID(s.Context(), invite.ID)
	s.WantCode(err, core.CodeNotFound)
	_, err = s.Invites.ByHash(s.Context(), invite.TokenHash)
	s.WantCode(err, core.CodeNotFound)
}

func inviteComesBack(s testCase) {
	workspace := s.Workspace()
	plain := s.invite(workspace.ID)
	odd := s.invite(workspace.ID, func(i *core.Invite) {
		i.Email, i.Role, i.InvitedBy = `ünï'"\%_?@example.com`, core.RoleAdmin, "somebody"
	})
	s.wantInvites(workspace.ID, plain, odd)
}

func inviteLinked(s testCase) {
	workspace := s.Workspace()
	linked := s.invite(workspace.ID, func(i *core.Invite) { i.LinkHash = new(core.HashSecret(core.NewSecret())) })
	plain := s.invite(workspace.ID)
	s.wantInvites(workspace.ID, linked, plain)
	byHash := func(hash string, want core.Invite) {
		s.Helper()
		got, err := s.Invites.ByHash(s.Context(), hash)
		s.Want(got, err, want)
	}
	byHash(*linked.LinkHash, linked)
	first := *linked.LinkHash
	linked.LinkHash, plain.LinkHash = new(core.HashSecret(core.NewSecret())), new(core.HashSecret(core.NewSecret()))
	s.Must(s.Invites.SetLink(s.Context(), linked.ID, *linked.LinkHash))
	s.Must(s.Invites.SetLink(s.Context(), plain.ID, *plain.LinkHash))
	s.wantInvites(workspace.ID, linked, plain)
	byHash(*linked.LinkHash, linked)
	byHash(*plain.LinkHash, plain)
	_, err := s.Invites.ByHash(s.Context(), first)
	s.WantCode(err, core.CodeNotFound)
	s.WantCode(s.Invites.SetLink(s.Context(), plain.ID, *linked.LinkHash), core.CodeConflict)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.WantCode(s.Invites.SetLink(s.Context(), id, first), core.CodeNotFound)
	}
	again := s.invite(workspace.ID, toAddress(linked.Email))
	s.wantInvites(workspace.ID, plain, again)
	_, err = s.Invites.ByHash(s.Context(), *linked.LinkHash)
	s.WantCode(err, core.CodeNotFound)
}

func inviteNotFound(s testCase) {
	invite := s.invite(s.Workspace().ID)
	for _, text := range []string{string(core.NewID()), "", fixture.Unstorable()[0], fixture.Unstorable()[1]} {
		s.wantNoInvite(core.Invite{ID: core.ID(text), TokenHash: text})
		s.WantCode(s.Invites.Delete(s.Context(), core.ID(text)), core.CodeNotFound)
	}
	s.wantNoInvite(core.Invite{ID: core.ID(invite.TokenHash), TokenHash: string(invite.ID)})
	s.wantInvites(invite.WorkspaceID, invite)
}

func inviteReplaced(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	elsewhere := s.invite(other.ID, toAddress("ada@example.com"))
	sibling := s.invite(workspace.ID, toAddress("ada@example.co"))
	earlier := s.invite(workspace.ID, toAddress("ada@example.com"))
	for range 2 {
		next := s.invite(workspace.ID, toAddress("ada@example.com"), func(i *core.Invite) { i.Role = core.RoleAdmin })
		s.wantNoInvite(earlier)
		s.wantInvites(workspace.ID, sibling, next)
		s.wantInvites(other.ID, elsewhere)
		earlier = next
	}
}

func inviteNotReplaced(s testCase) {
	workspace := s.Workspace()
	earlier, other := s.invite(workspace.ID), s.invite(workspace.ID)
	sameHash, sameID, badText := s.newInvite(workspace.ID), s.newInvite(workspace.ID), s.newInvite(workspace.ID)
	sameHash.TokenHash, sameID.ID, badText.Role = other.TokenHash, other.ID, core.Role(fixture.Unstorable()[0])
	for _, next := range []struct {
		invite core.Invite
		code   core.Code
	}{{sameHash, core.CodeConflict}, {sameID, core.CodeConflict}, {badText, core.CodeValidationFailed}} {
		next.invite.Email = earlier.Email
		s.WantCode(s.Invites.Create(s.Context(), next.invite), next.code)
		s.wantInvites(workspace.ID, earlier, other)
	}
}

func inviteInUse(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	invite := s.invite(workspace.ID)
	for _, in := range []core.ID{workspace.ID, other.ID} {
		sameHash, sameID := s.newInvite(in), s.newInvite(in)
		sameHash.TokenHash, sameID.ID = invite.TokenHash, invite.ID
		s.WantCode(s.Invites.Create(s.Context(), sameHash), core.CodeConflict)
		s.WantCode(s.Invites.Create(s.Context(), sameID), core.CodeConflict)
	}
	s.wantInvites(workspace.ID, invite)
	s.wantInvites(other.ID)
}

func inviteInParallel(s testCase) {
	workspace := s.Workspace()
	invites := make([]core.Invite, 16)
	for i := range invites {
		invites[i] = s.newInvite(workspace.ID)
		invites[i].Email = "ada@example.com"
	}
	fixture.Together(len(invites), func(i int) {
		if err := s.Invites.Create(s.Context(), invites[i]); err != nil {
			s.Errorf("got %v, want nil", err)
		}
	})
	there, err := s.Invites.List(s.Context(), storage.InviteFilter{WorkspaceID: workspace.ID})
	s.Must(err)
	if len(there) != 1 {
		s.Fatalf("got %d invites to one address, want 1", len(there))
	}
	for _, invite := range invites {
		if invite.ID == there[0].ID {
			s.wantInvites(workspace.ID, invite)
		} else {
			s.wantNoInvite(invite)
		}
	}
}

func inviteHashInParallel(s testCase) {
	workspace := s.Workspace()
	invites := make([]core.Invite, 16)
	for i := range invites {
		invites[i] = s.newInvite(workspace.ID)
		invites[i].TokenHash = invites[0].TokenHash
	}
	winner := s.OneOf(len(invites), core.CodeConflict, func(i int) error {
		return s.Invites.Create(s.Context(), invites[i])
	})
	s.wantInvites(workspace.ID, invites[winner])
}

func invitesByAge(s testCase) {
	workspace := s.Workspace()
	want := make([]core.Invite, 4)
	for i, age := range s.Ages() {
		want[i] = s.newInvite(workspace.ID)
		want[i].ID, want[i].CreatedAt, want[i].ExpiresAt = age.ID, age.At, age.At+1
	}
	for _, i := range []int{3, 2, 0, 1} {
		s.Must(s.Invites.Create(s.Context(), want[i]))
	}
	s.invite(s.Workspace().ID)
	s.wantInvites(workspace.ID, want...)
	for _, id := range []core.ID{core.NewID(), "", core.ID(fixture.Unstorable()[0])} {
		s.wantInvites(id)
	}
}

func invitesToAddress(s testCase) {
	const address = `ünï'"\%_?@example.com`
	want := make([]core.Invite, 4)
	for i, age := range s.Ages() {
		want[i] = s.newInvite(s.Workspace().ID)
		want[i].Email, want[i].ID, want[i].CreatedAt, want[i].ExpiresAt = address, age.ID, age.At, age.At+1
	}
	for _, i := range []int{3, 2, 0, 1} {
		s.Must(s.Invites.Create(s.Context(), want[i]))
		s.invite(want[i].WorkspaceID)
	}
	wantTo := func(email string, want ...core.Invite) {
		s.Helper()
		got, err := s.Invites.List(s.Context(), storage.InviteFilter{Email: email})
		s.Want(append([]core.Invite(nil), got...), err, want)
	}
	wantTo(address, want...)
	for _, other := range []string{"x" + address, `ÜNÏ'"\%_?@example.com`, `%@example.com`, string(want[0].WorkspaceID), fixture.Unstorable()[0]} {
		wantTo(other)
	}
	next := s.newInvite(want[1].WorkspaceID)
	next.Email, next.CreatedAt = address, want[3].CreatedAt+1
	s.Must(s.Invites.Create(s.Context(), next))
	s.Must(s.Invites.Delete(s.Context(), want[0].ID))
	s.Must(s.Workspaces.Delete(s.Context(), want[2].WorkspaceID))
	wantTo(address, want[3], next)
}

func inviteDelete(s testCase) {
	workspace := s.Workspace()
	doomed, kept := s.invite(workspace.ID), s.invite(workspace.ID)
	s.Must(s.Invites.Delete(s.Context(), doomed.ID))
	s.WantCode(s.Invites.Delete(s.Context(), doomed.ID), core.CodeNotFound)
	s.wantNoInvite(doomed)
	s.wantInvites(workspace.ID, kept)
	s.Must(s.Invites.Create(s.Context(), doomed))
	s.wantInvites(workspace.ID, doomed, kept)
}

func inviteDeleteInParallel(s testCase) {
	invite := s.invite(s.Workspace().ID)
	s.OneOf(16, core.CodeNotFound, func(int) error { return s.Invites.Delete(s.Context(), invite.ID) })
}

func invitesPrune(s testCase) {
	workspace, other := s.Workspace(), s.Workspace()
	expiring := func(at core.Time) func(*core.Invite) {
		return func(i *core.Invite) { i.ExpiresAt = at }
	}
	old, foreign := s.invite(workspace.ID, expiring(99)), s.invite(other.ID, expiring(1))
	edge, late := s.invite(workspace.ID, expiring(100)), s.invite(workspace.ID, expiring(101))
	for range 2 {
		s.Must(s.Invites.Prune(s.Context(), 100))
	}
	s.wantNoInvite(old)
	s.wantNoInvite(foreign)
	s.wantInvites(workspace.ID, edge, late)
	s.wantInvites(other.ID)
}

func inviteOfNothing(s testCase) {
	for _, workspace := range []core.ID{core.NewID(), ""} {
		orphan := s.newInvite(workspace)
		s.WantCode(s.Invites.Create(s.Context(), orphan), core.CodeNotFound)
		s.wantNoInvite(orphan)
	}
	doomed, kept := s.invite(s.Workspace().ID), s.invite(s.Workspace().ID)
	s.Must(s.Workspaces.Delete(s.Context(), doomed.WorkspaceID))
	s.wantNoInvite(doomed)
	s.wantInvites(doomed.WorkspaceID)
	s.wantInvites(kept.WorkspaceID, kept)
}

func inviteText(s testCase) {
	workspace := s.Workspace()
	for _, text := range fixture.Unstorable() {
		for _, alter := range []func(*core.Invite){
			func(i *core.Invite) { i.ID = core.ID(text) },
			func(i *core.Invite) { i.Email = text },
			func(i *core.Invite) { i.Role = core.Role(text) },
			func(i *core.Invite) { i.InvitedBy = core.ID(text) },
			func(i *core.Invite) { i.WorkspaceID = core.ID(text) },
			func(i *core.Invite) { i.TokenHash = text },
		} {
			invite := s.newInvite(workspace.ID)
			alter(&invite)
			s.WantCode(s.Invites.Create(s.Context(), invite), core.CodeValidationFailed)
		}
	}
	s.wantInvites(workspace.ID)
}
