package projects_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestTheLifeOfAProject plays creating, finding, changing, deleting, restoring
// and purging against every program.
func TestTheLifeOfAProject(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			w := c.Create("static-html")
			c.Must(http.StatusOK, http.MethodPatch, w.Path(""), map[string]any{"name": "Blue Whale", "description": "A large one"}, nil)
			c.WantFound("?q=whal", w.ID)
			c.WantFound("?q=large+blue", w.ID)
			c.WantFound("?q=hale")
			c.WantFound("?visibility=private")
			c.WantFound("?folderId=none&workspaceId="+string(c.Workspace), w.ID)
			c.Must(http.StatusNoContent, http.MethodDelete, w.Path(""), nil, nil)
			c.Must(http.StatusNotFound, http.MethodGet, w.Path(""), nil, nil)
			c.WantFound("?deleted=true", w.ID)
			c.Must(http.StatusOK, http.MethodPost, w.Path("/restore"), nil, nil)
			if got := c.Do(http.MethodGet, w.Path("/files/index.html"), nil); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want the files back", got.Status, got.Body)
			}
			c.Must(http.StatusNoContent, http.MethodDelete, w.Path("?hard=true"), nil, nil)
			c.WantFound("?deleted=true")
			c.Must(http.StatusNotFound, http.MethodPost, w.Path("/restore"), nil, nil)
		})
	}
}

// TestPagesOfProjectsStayWhereTheyAre follows cursors while projects are added.
func TestPagesOfProjectsStayWhereTheyAre(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			for range 7 {
				c.Create("blank")
			}
			seen := map[core.ID]bool{}
			cursor := ""
			for pages := 0; ; pages++ {
				var page struct {
					Items      []core.Project
					NextCursor *string
				}
				c.Must(http.StatusOK, http.MethodGet, "/projects?limit=3"+cursor, nil, &page)
				for _, project := range page.Items {
					if seen[project.ID] {
						t.Fatalf("got %s twice", project.ID)
					}
					seen[project.ID] = true
				}
				if page.NextCursor == nil {
					break
				}
				if pages == 0 {
					c.Create("blank")
				}
				cursor = "&cursor=" + *page.NextCursor
			}
			if len(seen) != 7 {
				t.Fatalf("got %d projects, want the seven that were there at the start", len(seen))
			}
		})
	}
}

// TestPublishingAcrossPrograms publishes, changes, publishes again, rolls back
// and takes the site down.
func TestPublishingAcrossPrograms(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			w := c.Create("static-html")
			var published struct {
				URL       string
				VersionID string
			}
			c.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]any{"slug": "first-site"}, &published)
			if published.VersionID == "" || !strings.Contains(published.URL, "//first-site.") {
				t.Fatalf("got %+v, want an address below the slug", published)
			}
			if got := c.Do(http.MethodPut, w.Path("/files/index.html"), strings.NewReader("<!doctype html><title>t</title><h1>Second</h1>")); got.Status != http.StatusOK {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			if strings.Contains(string(c.Fetch(published.URL+"/").Body), "Second") {
				t.Fatal("a save changed the published site")
			}
			c.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]any{}, nil)
			if got := c.Fetch(published.URL + "/"); !strings.Contains(string(got.Body), "Second") {
				t.Fatalf("got %d %s, want the second page", got.Status, got.Body)
			}
			var deployments struct{ Items []core.Deployment }
			c.Must(http.StatusOK, http.MethodGet, w.Path("/deployments"), nil, &deployments)
			c.Must(http.StatusOK, http.MethodPost, w.Path("/deployments/"+string(deployments.Items[1].ID)+"/rollback"), nil, nil)
			if got := c.Fetch(published.URL + "/"); strings.Contains(string(got.Body), "Second") {
				t.Fatalf("got %s, want the first page again", got.Body)
			}
			c.Must(http.StatusNoContent, http.MethodDelete, w.Path("/publish"), nil, nil)
			if got := c.Fetch(published.URL + "/"); got.Status != http.StatusNotFound {
				t.Fatalf("got %d, want no site", got.Status)
			}
		})
	}
}
