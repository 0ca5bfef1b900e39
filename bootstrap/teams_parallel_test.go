package bootstrap_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// together calls all at once and counts the statuses.
func together(calls ...func() int) map[int]int {
	statuses := make([]int, len(calls))
	var begin, all sync.WaitGroup
	begin.Add(1)
	for i, call := range calls {
		all.Go(func() {
			begin.Wait()
			statuses[i] = call()
		})
	}
	begin.Done()
	all.Wait()
	counts := map[int]int{}
	for _, status := range statuses {
		counts[status]++
	}
	return counts
}

// TestSixteenAcceptsOfOneInviteHaveOneWinner clicks a link many times at once, on
// every program.
func TestSixteenAcceptsOfOneInviteHaveOneWinner(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			guest := c.signUp()
			c.invite(c.owner, guest.user.Email, core.RoleMember)
			accept := c.inviteLink(guest.user.Email, 1) + "/accept"
			calls := make([]func() int, 16)
			for i := range calls {
				calls[i] = func() int { return guest.do(http.MethodPost, accept, nil).status }
			}
			if got := together(calls...); got[http.StatusOK] != 1 || got[http.StatusNotFound] != 15 {
				t.Errorf("got %v, want one winner and 15 who found nothing", got)
			}
			c.wantRoles(map[*caller]core.Role{c.owner: core.RoleOwner, c.admin: core.RoleAdmin, c.member: core.RoleMember, guest: core.RoleMember})
		})
	}
}

// TestTwoOwnersWhoDemoteEachOtherOverHTTPLeaveOne tries it again and again, on
// every program.
func TestTwoOwnersWhoDemoteEachOtherOverHTTPLeaveOne(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			demote := map[string]any{"role": "admin"}
			for range 8 {
				c.owner.must(http.StatusOK, http.MethodPatch, c.memberPath(c.admin), map[string]any{"role": "owner"}, nil)
				together(
					func() int { return c.owner.do(http.MethodPatch, c.memberPath(c.admin), demote).status },
					func() int { return c.admin.do(http.MethodPatch, c.memberPath(c.owner), demote).status },
					func() int { return c.owner.do(http.MethodPatch, c.memberPath(c.owner), demote).status },
					func() int { return c.admin.do(http.MethodPatch, c.memberPath(c.admin), demote).status },
				)
				roles := c.roles(c.member)
				if (roles[c.owner.user.Email] == core.RoleOwner) == (roles[c.admin.user.Email] == core.RoleOwner) {
					t.Fatalf("got %v, want just one owner", roles)
				}
				if roles[c.admin.user.Email] == core.RoleOwner {
					c.owner, c.admin = c.admin, c.owner
				}
			}
		})
	}
}

// TestTwoMovesOfFoldersAtOnceMakeNoCycleOverHTTP moves two folders into each
// other, again and again, on every program.
func TestTwoMovesOfFoldersAtOnceMakeNoCycleOverHTTP(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			space := "/workspaces/" + string(c.workspace) + "/folders"
			var a, b core.Folder
			c.must(http.StatusCreated, http.MethodPost, space, map[string]any{"name": "a"}, &a)
			c.must(http.StatusCreated, http.MethodPost, space, map[string]any{"name": "b"}, &b)
			move := func(folder core.ID, parent any) int {
				return c.do(http.MethodPatch, "/folders/"+string(folder), map[string]any{"parentId": parent}).status
			}
			for range 8 {
				got := together(func() int { return move(a.ID, b.ID) }, func() int { return move(b.ID, a.ID) })
				if got[http.StatusOK] != 1 || got[http.StatusConflict] != 1 {
					t.Fatalf("got %v, want one moved and one refused", got)
				}
				if move(a.ID, nil) != http.StatusOK || move(b.ID, nil) != http.StatusOK {
					t.Fatal("a folder could not be moved back to the root")
				}
			}
		})
	}
}
