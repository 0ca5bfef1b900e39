package people_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// bounded plays a story against every program with small quotas.
func bounded(t *testing.T, story func(t *testing.T, s *storytest.Site)) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			story(t, storytest.Serve(t, t.TempDir(), program.Make, storytest.Merged(program.Env(t), map[string]string{
				"MAX_WORKSPACES_PER_PERSON": "3", "MAX_PROJECTS_PER_WORKSPACE": "2", "MAX_MEMBERS_PER_WORKSPACE": "3", "MAX_CHATS_PER_PROJECT": "2",
			})))
		})
	}
}

// wantFull checks that a refusal names the bound.
func wantFull(t *testing.T, got storytest.Answer, setting string) {
	t.Helper()
	if !strings.Contains(string(got.Body), setting) {
		t.Errorf("got %s, want the bound %s named", got.Body, setting)
	}
}

func TestWorkspacesOfAPersonAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *storytest.Site) {
		ada, bob := s.SignUp(), s.SignUp()
		first := ada.Found("First")
		ada.Found("Second")
		path, body := "/workspaces", map[string]string{"name": "Third"}
		wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body), "MAX_WORKSPACES_PER_PERSON")
		// Nor does it help to make another the owner of more than they may own.
		ada.Join(first, bob, core.RoleAdmin)
		bob.Found("Bob's second")
		bob.Found("Bob's third")
		to := map[string]any{"userId": bob.User.ID}
		wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/workspaces/"+string(first)+"/transfer", to), "MAX_WORKSPACES_PER_PERSON")
		owner := map[string]any{"role": core.RoleOwner}
		wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, "/workspaces/"+string(first)+"/members/"+string(bob.User.ID), owner), "MAX_WORKSPACES_PER_PERSON")
		ada.Must(http.StatusNoContent, http.MethodDelete, "/workspaces/"+string(first), nil, nil)
		ada.Must(http.StatusCreated, http.MethodPost, path, body, nil)
	})
}

func TestProjectsOfAWorkspaceAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *storytest.Site) {
		ada := s.SignUp()
		first := ada.Create("blank")
		ada.Create("blank")
		path, body := "/workspaces/"+string(ada.Workspace)+"/projects", map[string]string{"name": "Third"}
		wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body), "projectsPerWorkspace")
		wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/projects/"+string(first.ID)+"/duplicate", map[string]any{}), "projectsPerWorkspace")
		other := ada.InWorkspace(ada.Found("Other"))
		moving := other.Create("blank")
		wantFull(t, ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/projects/"+string(moving.ID)+"/transfer", map[string]any{"workspaceId": ada.Workspace}), "projectsPerWorkspace")
		// Restorable projects count; purged ones do not.
		ada.Must(http.StatusNoContent, http.MethodDelete, "/projects/"+string(first.ID), nil, nil)
		ada.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body)
		ada.Must(http.StatusNoContent, http.MethodDelete, "/projects/"+string(first.ID)+"?hard=true", nil, nil)
		ada.Must(http.StatusCreated, http.MethodPost, path, body, nil)
	})
}

func TestProjectsMadeAtOnceStayWithinTheirBound(t *testing.T) {
	bounded(t, func(t *testing.T, s *storytest.Site) {
		ada := s.SignUp()
		var made sync.WaitGroup
		for range 6 {
			made.Go(func() {
				ada.Do(http.MethodPost, "/workspaces/"+string(ada.Workspace)+"/projects", map[string]string{"name": "Shop"})
			})
		}
		made.Wait()
		var list struct{ Items []core.Project }
		ada.Must(http.StatusOK, http.MethodGet, "/projects?workspaceId="+string(ada.Workspace), nil, &list)
		if len(list.Items) != 2 {
			t.Errorf("got %d projects, want 2", len(list.Items))
		}
	})
}

func TestChatsOfAProjectAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *storytest.Site) {
		w := s.SignUp().Create("blank")
		path, body := "/projects/"+string(w.ID)+"/chats", map[string]string{"mode": core.ModeChat}
		w.Must(http.StatusCreated, http.MethodPost, path, body, nil)
		wantFull(t, w.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, path, body), "MAX_CHATS_PER_PROJECT")
	})
}

func TestMembersOfAWorkspaceAreBounded(t *testing.T) {
	bounded(t, func(t *testing.T, s *storytest.Site) {
		c := storytest.NewCompany(s)
		late := s.SignUp()
		c.Invite(c.Owner, late.User.Email, core.RoleMember)
		link := c.InviteLink(late.User.Email, 1) + "/accept"
		wantFull(t, late.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, link, nil), "membersPerWorkspace")
		// The invite stays, for when there is room.
		c.Member.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Member), nil, nil)
		late.Must(http.StatusOK, http.MethodPost, link, nil, nil)
	})
}
