package storage

import (
	"cmp"
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
)

type members struct{ session conn }

// List implements storage.Members.
func (m members) List(ctx context.Context, workspace core.ID) ([]core.Member, error) {
	state, err := m.session.view(ctx)
	if err != nil {
		return nil, err
	}
	var members []core.Member
	for _, membership := range state.members.rows {
		if membership.WorkspaceID == workspace {
			members = append(members, state.member(membership))
		}
	}
	slices.SortFunc(members, func(a, b core.Member) int {
		return cmp.Or(cmp.Compare(a.JoinedAt, b.JoinedAt), cmp.Compare(a.UserID, b.UserID))
	})
	return members, nil
}

// ByID implements storage.Members.
func (m members) ByID(ctx context.Context, workspace, user core.ID) (core.Member, error) {
	state, err := m.session.view(ctx)
	if err != nil {
		return core.Member{}, err
	}
	membership, found := state.members.rows[memberKey{workspace, user}]
	if !found {
		return core.Member{}, core.NotFound("member")
	}
	return state.member(membership), nil
}

// member joins a membership with its user.
func (s *database) member(membership core.Membership) core.Member {
	user, secured := s.users.rows[membership.UserID], s.factors.rows[membership.UserID].On()
	return core.Member{
		UserID: user.ID, Email: user.Email, DisplayName: copyOf(user.DisplayName), AvatarURL: copyOf(user.AvatarURL),
		Role: membership.Role, JoinedAt: membership.JoinedAt, SecondFactor: &secured,
	}
}

// Remove implements storage.Members.
func (m members) Remove(ctx context.Context, workspace, user core.ID) error {
	return m.session.change(ctx, func(state *database) error {
		key := memberKey{workspace, user}
		if !state.members.has(key) {
			return core.NotFound("member")
		}
		delete(state.members.edit(state), key)
		return nil
	})
}

// Owners implements storage.Members.
func (m members) Owners(ctx context.Context, workspace core.ID) (int, error) {
	state, err := m.session.view(ctx)
	if err != nil {
		return 0, err
	}
	owners := 0
	for _, membership := range state.members.rows {
		if membership.WorkspaceID == workspace && membership.Role == core.RoleOwner {
			owners++
		}
	}
	return owners, nil
}
