package projects_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// namesAt are those of a list of projects, page after page.
func namesAt(c *storytest.Caller, target string) []string {
	c.T.Helper()
	var all []string
	for cursor := ""; ; {
		var page struct {
			Items      []core.Project
			NextCursor *string
		}
		c.Must(http.StatusOK, http.MethodGet, target+"&limit=2"+cursor, nil, &page)
		for _, project := range page.Items {
			all = append(all, project.Name)
		}
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// makeNamed makes a project of a name and a visibility.
func makeNamed(c *storytest.Caller, name, visibility string) core.Project {
	c.T.Helper()
	var made core.Project
	body := storytest.Fields{"name": name, "template": "static-html", "visibility": visibility}
	c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/projects", body, &made)
	return made
}

func wantNames(c *storytest.Caller, target string, want ...string) {
	c.T.Helper()
	if got := namesAt(c, target); !slices.Equal(got, want) {
		c.T.Errorf("%s: got %q, want %q", target, got, want)
	}
}

// TestListsAreSortedSearchedAndShown plays lists of projects on every program.
func TestListsAreSortedSearchedAndShown(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			owner, stranger := s.SignUp(), s.SignUp()
			zurich := makeNamed(owner, "Zürich", "workspace")
			makeNamed(owner, "apple", "private")
			makeNamed(owner, "Äpfel", "public")
			zebra := makeNamed(owner, "zebra", "public")
			home := "/workspaces/" + string(owner.Workspace) + "/projects?sort=created"
			for zurich.UpdatedAt <= zebra.UpdatedAt {
				owner.Must(http.StatusOK, http.MethodPatch, "/projects/"+string(zurich.ID), storytest.Fields{"description": "A town"}, &zurich)
			}
			wantNames(owner, "/projects?sort=created", "zebra", "Äpfel", "apple", "Zürich")
			wantNames(owner, home, "zebra", "Äpfel", "apple", "Zürich")
			wantNames(owner, "/projects?sort=updated", "Zürich", "zebra", "Äpfel", "apple")
			wantNames(owner, "/projects?sort=name", "Äpfel", "apple", "zebra", "Zürich")
			wantNames(owner, "/projects?q=zurich", "Zürich")
			wantNames(owner, "/projects?q=APF", "Äpfel")
			wantNames(stranger, home, "zebra", "Äpfel")
			wantNames(stranger, "/projects?workspaceId="+string(owner.Workspace), "zebra", "Äpfel")
			wantNames(stranger, "/projects?sort=created")
			wantNames(stranger, "/projects?scope=public&sort=name", "Äpfel", "zebra")
			wantNames(stranger, "/projects?scope=public&q=apfel", "Äpfel")
			wantNames(stranger, "/projects?scope=public&deleted=true")
			for _, query := range []string{"sort=size", "sort=", "scope=all", "scope="} {
				if got := stranger.Do(http.MethodGet, "/projects?"+query, nil); got.Status != http.StatusBadRequest || got.Code() != core.CodeValidationFailed {
					t.Errorf("%s: got %d %s, want validation_failed", query, got.Status, got.Body)
				}
			}
			var page struct{ NextCursor string }
			owner.Must(http.StatusOK, http.MethodGet, "/projects?sort=name&limit=1", nil, &page)
			if got := owner.Do(http.MethodGet, "/projects?sort=updated&cursor="+page.NextCursor, nil); got.Code() != core.CodeInvalidCursor {
				t.Errorf("a cursor of another order: got %d %s, want invalid_cursor", got.Status, got.Body)
			}
		})
	}
}

// TestTheTrashSaysWhenItGoesAndCanBeEmptied plays a project's end on every program.
func TestTheTrashSaysWhenItGoesAndCanBeEmptied(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			owner := program.Serve(t).SignUp()
			made := makeNamed(owner, "Old", "workspace")
			owner.Must(http.StatusNoContent, http.MethodDelete, "/projects/"+string(made.ID), nil, nil)
			var page struct {
				Items []struct{ DeletedAt, PurgeAt *core.Time }
			}
			owner.Must(http.StatusOK, http.MethodGet, "/projects?deleted=true", nil, &page)
			const month = 30 * 24 * 60 * 60 * 1000
			if len(page.Items) != 1 || page.Items[0].PurgeAt == nil || *page.Items[0].PurgeAt-*page.Items[0].DeletedAt != month {
				t.Errorf("got %+v, want it to go after 30 days", page.Items)
			}
			owner.Must(http.StatusNoContent, http.MethodDelete, "/workspaces/"+string(owner.Workspace)+"/trash", nil, nil)
			wantNames(owner, "/projects?deleted=true")
			if trees, err := owner.App.Trees.List(t.Context()); err != nil || len(trees) != 0 {
				t.Errorf("got the trees %v, %v, want none", trees, err)
			}
		})
	}
}
