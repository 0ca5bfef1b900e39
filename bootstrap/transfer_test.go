package bootstrap_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestAProjectMovesToAnotherWorkspace plays the contract's section 4: POST
// /projects/:id/transfer.
func TestAProjectMovesToAnotherWorkspace(t *testing.T) {
	for name, p := range programs() {
		t.Run(name, func(t *testing.T) {
			s := p.serve(t)
			w := s.signUp().create("static-html")
			stranger := s.signUp()
			var folder core.Folder
			w.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(w.workspace)+"/folders", fields{"name": "Old"}, &folder)
			w.must(http.StatusOK, http.MethodPatch, w.path(""), fields{"folderId": folder.ID}, nil)
			w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
			var team core.Workspace
			w.must(http.StatusCreated, http.MethodPost, "/workspaces", fields{"name": "Team"}, &team)
			// The slug is taken there.
			w.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(team.ID)+"/projects", fields{"name": w.Name, "template": "static-html"}, nil)

			for _, test := range []struct {
				what, to string
				status   int
			}{
				{"nonsense", "x", 404}, {"one that is not there", string(core.NewID()), 404}, {"a stranger's", string(stranger.workspace), 404},
				{"where it is", string(w.workspace), 400},
			} {
				if got := w.do(http.MethodPost, w.path("/transfer"), fields{"workspaceId": test.to}); got.status != test.status {
					t.Errorf("%s: got %d %s, want %d", test.what, got.status, got.body, test.status)
				}
			}
			if got := stranger.do(http.MethodPost, w.path("/transfer"), fields{"workspaceId": stranger.workspace}); got.status != http.StatusNotFound {
				t.Errorf("a stranger: got %d %s, want 404", got.status, got.body)
			}

			var moved struct {
				core.Project
				URL string
			}
			w.must(http.StatusOK, http.MethodPost, w.path("/transfer"), fields{"workspaceId": team.ID}, &moved)
			if moved.WorkspaceID != team.ID || moved.FolderID != nil || moved.Slug != w.Slug+"-2" {
				t.Errorf("got %+v, want it at the root of the team, under a numbered slug", moved.Project)
			}
			if page := s.fetch(moved.URL); page.status != http.StatusOK {
				t.Errorf("the site: got %d, want it where it was", page.status)
			}
			w.must(http.StatusOK, http.MethodGet, w.path("/versions"), nil, nil)
			for _, workspace := range []core.ID{w.workspace, team.ID} {
				if log := w.must(http.StatusOK, http.MethodGet, "/workspaces/"+string(workspace)+"/audit", nil, nil); !strings.Contains(string(log.body), "project.transferred") {
					t.Errorf("the log of %s: got %s, want the transfer in it", workspace, log.body)
				}
			}
			var left struct{ Items []core.Project }
			w.must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.workspace)+"/projects", nil, &left)
			if len(left.Items) != 0 {
				t.Errorf("got %+v left behind, want nothing", left.Items)
			}
		})
	}
}
