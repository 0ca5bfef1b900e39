package people_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// together makes all calls concurrently and counts the statuses.
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

// TestSixteenAcceptsOfOneInviteHaveOneWinner opens a link many times concurrently, on
// every program.
func TestSixteenAcceptsOfOneInviteHaveOneWinner(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			guest := c.SignUp()
			c.Invite(c.Owner, guest.User.Email, core.RoleMember)
			accept := c.InviteLink(guest.User.Email, 1) + "/accept"
			calls := make([]func() int, 16)
			for i := range calls {
				calls[i] = func() int { return guest.Do(http.MethodPost, accept, nil).Status }
			}
			if got := together(calls...); got[http.StatusOK] != 1 || got[http.StatusNotFound] != 15 {
				t.Errorf("got %v, want one winner and 15 who found nothing", got)
			}
			wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleOwner, c.Admin: core.RoleAdmin, c.Member: core.RoleMember, guest: core.RoleMember})
		})
	}
}

// TestTwoOwnersWhoDemoteEachOtherOverHTTPLeaveOne tries it again and again, on
// every program.
func TestTwoOwnersWhoDemoteEachOtherOverHTTPLeaveOne(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			demote := map[string]any{"role": "admin"}
			for range 8 {
				c.Owner.Must(http.StatusOK, http.MethodPatch, memberPath(c, c.Admin), map[string]any{"role": "owner"}, nil)
				together(
					func() int { return c.Owner.Do(http.MethodPatch, memberPath(c, c.Admin), demote).Status },
					func() int { return c.Admin.Do(http.MethodPatch, memberPath(c, c.Owner), demote).Status },
					func() int { return c.Owner.Do(http.MethodPatch, memberPath(c, c.Owner), demote).Status },
					func() int { return c.Admin.Do(http.MethodPatch, memberPath(c, c.Admin), demote).Status },
				)
				roles := c.Roles(c.Member)
				if (roles[c.Owner.User.Email] == core.RoleOwner) == (roles[c.Admin.User.Email] == core.RoleOwner) {
					t.Fatalf("got %v, want just one owner", roles)
				}
				if roles[c.Admin.User.Email] == core.RoleOwner {
					c.Owner, c.Admin = c.Admin, c.Owner
				}
			}
		})
	}
}

// TestTwoMovesOfFoldersAtOnceMakeNoCycleOverHTTP moves two folders into each
// other, again and again, on every program.
func TestTwoMovesOfFoldersAtOnceMakeNoCycleOverHTTP(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			space := "/workspaces/" + string(c.Workspace) + "/folders"
			var a, b core.Folder
			c.Must(http.StatusCreated, http.MethodPost, space, map[string]any{"name": "a"}, &a)
			c.Must(http.StatusCreated, http.MethodPost, space, map[string]any{"name": "b"}, &b)
			move := func(folder core.ID, parent any) int {
				return c.Do(http.MethodPatch, "/folders/"+string(folder), map[string]any{"parentId": parent}).Status
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
