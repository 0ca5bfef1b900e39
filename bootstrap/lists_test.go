package bootstrap_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// names are those of a list of projects, page after page.
func (c *caller) names(target string) []string {
	c.t.Helper()
	var all []string
	for cursor := ""; ; {
		var page struct {
			Items      []core.Project
			NextCursor *string
		}
		c.must(http.StatusOK, http.MethodGet, target+"&limit=2"+cursor, nil, &page)
		for _, project := range page.Items {
			all = append(all, project.Name)
		}
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + *page.NextCursor
	}
}

// make makes a project of a name and a visibility.
func (c *caller) make(name, visibility string) core.Project {
	c.t.Helper()
	var made core.Project
	body := fields{"name": name, "template": "static-html", "visibility": visibility}
	c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.workspace)+"/projects", body, &made)
	return made
}

func (c *caller) wantNames(target string, want ...string) {
	c.t.Helper()
	if got := c.names(target); !slices.Equal(got, want) {
		c.t.Errorf("%s: got %q, want %q", target, got, want)
	}
}

// TestListsAreSortedSearchedAndShown plays lists of projects on every program.
func TestListsAreSortedSearchedAndShown(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			owner, stranger := s.signUp(), s.signUp()
			zurich := owner.make("Zürich", "workspace")
			owner.make("apple", "private")
			owner.make("Äpfel", "public")
			zebra := owner.make("zebra", "public")
			home := "/workspaces/" + string(owner.workspace) + "/projects?sort=created"
			for zurich.UpdatedAt <= zebra.UpdatedAt {
				owner.must(http.StatusOK, http.MethodPatch, "/projects/"+string(zurich.ID), fields{"description": "A town"}, &zurich)
			}
			owner.wantNames("/projects?sort=created", "zebra", "Äpfel", "apple", "Zürich")
			owner.wantNames(home, "zebra", "Äpfel", "apple", "Zürich")
			owner.wantNames("/projects?sort=updated", "Zürich", "zebra", "Äpfel", "apple")
			owner.wantNames("/projects?sort=name", "Äpfel", "apple", "zebra", "Zürich")
			owner.wantNames("/projects?q=zurich", "Zürich")
			owner.wantNames("/projects?q=APF", "Äpfel")
			stranger.wantNames(home, "zebra", "Äpfel")
			stranger.wantNames("/projects?workspaceId="+string(owner.workspace), "zebra", "Äpfel")
			stranger.wantNames("/projects?sort=created")
			stranger.wantNames("/projects?scope=public&sort=name", "Äpfel", "zebra")
			stranger.wantNames("/projects?scope=public&q=apfel", "Äpfel")
			stranger.wantNames("/projects?scope=public&deleted=true")
			for _, query := range []string{"sort=size", "sort=", "scope=all", "scope="} {
				if got := stranger.do(http.MethodGet, "/projects?"+query, nil); got.status != http.StatusBadRequest || got.code() != core.CodeValidationFailed {
					t.Errorf("%s: got %d %s, want validation_failed", query, got.status, got.body)
				}
			}
			var page struct{ NextCursor string }
			owner.must(http.StatusOK, http.MethodGet, "/projects?sort=name&limit=1", nil, &page)
			if got := owner.do(http.MethodGet, "/projects?sort=updated&cursor="+page.NextCursor, nil); got.code() != core.CodeInvalidCursor {
				t.Errorf("a cursor of another order: got %d %s, want invalid_cursor", got.status, got.body)
			}
		})
	}
}

// TestTheTrashSaysWhenItGoesAndCanBeEmptied plays a project's end on every program.
func TestTheTrashSaysWhenItGoesAndCanBeEmptied(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			owner := program.serve(t).signUp()
			made := owner.make("Old", "workspace")
			owner.must(http.StatusNoContent, http.MethodDelete, "/projects/"+string(made.ID), nil, nil)
			var page struct {
				Items []struct{ DeletedAt, PurgeAt *core.Time }
			}
			owner.must(http.StatusOK, http.MethodGet, "/projects?deleted=true", nil, &page)
			const month = 30 * 24 * 60 * 60 * 1000
			if len(page.Items) != 1 || page.Items[0].PurgeAt == nil || *page.Items[0].PurgeAt-*page.Items[0].DeletedAt != month {
				t.Errorf("got %+v, want it to go after 30 days", page.Items)
			}
			owner.must(http.StatusNoContent, http.MethodDelete, "/workspaces/"+string(owner.workspace)+"/trash", nil, nil)
			owner.wantNames("/projects?deleted=true")
			if trees, err := owner.app.Trees.List(t.Context()); err != nil || len(trees) != 0 {
				t.Errorf("got the trees %v, %v, want none", trees, err)
			}
		})
	}
}
