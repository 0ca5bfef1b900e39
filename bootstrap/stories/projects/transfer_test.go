package projects_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestAProjectMovesToAnotherWorkspace plays POST /projects/:id/transfer.
func TestAProjectMovesToAnotherWorkspace(t *testing.T) {
	for name, p := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := p.Serve(t)
			w := s.SignUp().Create("static-html")
			stranger := s.SignUp()
			var folder core.Folder
			w.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(w.Workspace)+"/folders", storytest.Fields{"name": "Old"}, &folder)
			w.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"folderId": folder.ID}, nil)
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
			var team core.Workspace
			w.Must(http.StatusCreated, http.MethodPost, "/workspaces", storytest.Fields{"name": "Team"}, &team)
			// The slug is taken there.
			w.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team.ID)+"/projects", storytest.Fields{"name": w.Name, "template": "static-html"}, nil)

			for _, test := range []struct {
				what, to string
				status   int
			}{
				{"nonsense", "x", 404}, {"one that is not there", string(core.NewID()), 404}, {"a stranger's", string(stranger.Workspace), 404},
				{"where it is", string(w.Workspace), 400},
			} {
				if got := w.Do(http.MethodPost, w.Path("/transfer"), storytest.Fields{"workspaceId": test.to}); got.Status != test.status {
					t.Errorf("%s: got %d %s, want %d", test.what, got.Status, got.Body, test.status)
				}
			}
			if got := stranger.Do(http.MethodPost, w.Path("/transfer"), storytest.Fields{"workspaceId": stranger.Workspace}); got.Status != http.StatusNotFound {
				t.Errorf("a stranger: got %d %s, want 404", got.Status, got.Body)
			}

			var moved struct {
				core.Project
				URL string
			}
			w.Must(http.StatusOK, http.MethodPost, w.Path("/transfer"), storytest.Fields{"workspaceId": team.ID}, &moved)
			if moved.WorkspaceID != team.ID || moved.FolderID != nil || moved.Slug != w.Slug+"-2" {
				t.Errorf("got %+v, want it at the root of the team, under a numbered slug", moved.Project)
			}
			if page := s.Fetch(moved.URL); page.Status != http.StatusOK {
				t.Errorf("the site: got %d, want it where it was", page.Status)
			}
			w.Must(http.StatusOK, http.MethodGet, w.Path("/versions"), nil, nil)
			for _, workspace := range []core.ID{w.Workspace, team.ID} {
				if log := w.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(workspace)+"/audit", nil, nil); !strings.Contains(string(log.Body), "project.transferred") {
					t.Errorf("the log of %s: got %s, want the transfer in it", workspace, log.Body)
				}
			}
			var left struct{ Items []core.Project }
			w.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.Workspace)+"/projects", nil, &left)
			if len(left.Items) != 0 {
				t.Errorf("got %+v left behind, want nothing", left.Items)
			}
		})
	}
}
