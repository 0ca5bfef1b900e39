package bootstrap_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// bounded plays a story against every program with small quotas.
func bounded(t *testing.T, story func(t *testing.T, s *site)) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			story(t, serve(t, t.TempDir(), program.make, merged(program.env(t), map[string]string{
				"MAX_WORKSPACES_PER_PERSON": "3", "MAX_PROJECTS_PER_WORKSPACE": "2", "MAX_MEMBERS_PER_WORKSPACE": "3", "MAX_CHATS_PER_PROJECT": "2",
			})))
		})
	}
}

// wantFull checks that a refusal names the bound.
func wantFull(t *testing.T, got answer, setting string) {
	t.Helper()
	if !strings.Contains(string(got.body), setting) {
		t.Errorf("got %s, want the bound %s named", got.body, setting)
	}
}

func TestWorkspacesOfAPersonAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *site) {
		ada, bob := s.signUp(), s.signUp()
		first := ada.found("First")
		ada.found("Second")
		path, body := "/workspaces", map[string]string{"name": "Third"}
		wantFull(t, ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body), "MAX_WORKSPACES_PER_PERSON")
		// Nor does it help to make another the owner of more than they may own.
		ada.join(first, bob, core.RoleAdmin)
		bob.found("Bob's second")
		bob.found("Bob's third")
		to := map[string]any{"userId": bob.user.ID}
		wantFull(t, ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/workspaces/"+string(first)+"/transfer", to), "MAX_WORKSPACES_PER_PERSON")
		owner := map[string]any{"role": core.RoleOwner}
		wantFull(t, ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, "/workspaces/"+string(first)+"/members/"+string(bob.user.ID), owner), "MAX_WORKSPACES_PER_PERSON")
		ada.must(http.StatusNoContent, http.MethodDelete, "/workspaces/"+string(first), nil, nil)
		ada.must(http.StatusCreated, http.MethodPost, path, body, nil)
	})
}

func TestProjectsOfAWorkspaceAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *site) {
		ada := s.signUp()
		first := ada.create("blank")
		ada.create("blank")
		path, body := "/workspaces/"+string(ada.workspace)+"/projects", map[string]string{"name": "Third"}
		wantFull(t, ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body), "MAX_PROJECTS_PER_WORKSPACE")
		wantFull(t, ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/projects/"+string(first.ID)+"/duplicate", map[string]any{}), "MAX_PROJECTS_PER_WORKSPACE")
		other := ada.inWorkspace(ada.found("Other"))
		moving := other.create("blank")
		wantFull(t, ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/projects/"+string(moving.ID)+"/transfer", map[string]any{"workspaceId": ada.workspace}), "MAX_PROJECTS_PER_WORKSPACE")
		// What can be restored counts, what is gone does not.
		ada.must(http.StatusNoContent, http.MethodDelete, "/projects/"+string(first.ID), nil, nil)
		ada.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body)
		ada.must(http.StatusNoContent, http.MethodDelete, "/projects/"+string(first.ID)+"?hard=true", nil, nil)
		ada.must(http.StatusCreated, http.MethodPost, path, body, nil)
	})
}

func TestProjectsMadeAtOnceStayWithinTheirBound(t *testing.T) {
	bounded(t, func(t *testing.T, s *site) {
		ada := s.signUp()
		var made sync.WaitGroup
		for range 6 {
			made.Go(func() {
				ada.do(http.MethodPost, "/workspaces/"+string(ada.workspace)+"/projects", map[string]string{"name": "Shop"})
			})
		}
		made.Wait()
		var list struct{ Items []core.Project }
		ada.must(http.StatusOK, http.MethodGet, "/projects?workspaceId="+string(ada.workspace), nil, &list)
		if len(list.Items) != 2 {
			t.Errorf("got %d projects, want 2", len(list.Items))
		}
	})
}

func TestChatsOfAProjectAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *site) {
		w := s.signUp().create("blank")
		path, body := "/projects/"+string(w.ID)+"/chats", map[string]string{"mode": core.ModeChat}
		w.must(http.StatusCreated, http.MethodPost, path, body, nil)
		wantFull(t, w.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body), "MAX_CHATS_PER_PROJECT")
	})
}

func TestMembersOfAWorkspaceAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *site) {
		c := newCompany(s)
		late := s.signUp()
		c.invite(c.owner, late.user.Email, core.RoleMember)
		link := c.inviteLink(late.user.Email, 1) + "/accept"
		wantFull(t, late.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, link, nil), "MAX_MEMBERS_PER_WORKSPACE")
		// The invite stays, for when there is room.
		c.member.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.member), nil, nil)
		late.must(http.StatusOK, http.MethodPost, link, nil, nil)
	})
}
