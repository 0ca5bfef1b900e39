package bootstrap_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// TestTheLifeOfAProject plays creating, finding, changing, deleting, restoring
// and purging against every program.
func TestTheLifeOfAProject(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			w := c.create("static-html")
			c.must(http.StatusOK, http.MethodPatch, w.path(""), map[string]any{"name": "Blue Whale", "description": "A large one"}, nil)
			c.wantFound("?q=whal", w.ID)
			c.wantFound("?q=large+blue", w.ID)
			c.wantFound("?q=hale")
			c.wantFound("?visibility=private")
			c.wantFound("?folderId=none&workspaceId="+string(c.workspace), w.ID)
			c.must(http.StatusNoContent, http.MethodDelete, w.path(""), nil, nil)
			c.must(http.StatusNotFound, http.MethodGet, w.path(""), nil, nil)
			c.wantFound("?deleted=true", w.ID)
			c.must(http.StatusOK, http.MethodPost, w.path("/restore"), nil, nil)
			if got := c.do(http.MethodGet, w.path("/files/index.html"), nil); got.status != http.StatusOK {
				t.Fatalf("got %d %s, want the files back", got.status, got.body)
			}
			c.must(http.StatusNoContent, http.MethodDelete, w.path("?hard=true"), nil, nil)
			c.wantFound("?deleted=true")
			c.must(http.StatusNotFound, http.MethodPost, w.path("/restore"), nil, nil)
		})
	}
}

func (c *caller) wantFound(query string, want ...core.ID) {
	c.t.Helper()
	var page struct{ Items []core.Project }
	c.must(http.StatusOK, http.MethodGet, "/projects"+query, nil, &page)
	var got []core.ID
	for _, project := range page.Items {
		got = append(got, project.ID)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		c.t.Errorf("%s: got %v, want %v", query, got, want)
	}
}

// TestPagesOfProjectsStayWhereTheyAre follows cursors while projects are added.
func TestPagesOfProjectsStayWhereTheyAre(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			for range 7 {
				c.create("blank")
			}
			seen := map[core.ID]bool{}
			cursor := ""
			for pages := 0; ; pages++ {
				var page struct {
					Items      []core.Project
					NextCursor *string
				}
				c.must(http.StatusOK, http.MethodGet, "/projects?limit=3"+cursor, nil, &page)
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
					c.create("blank")
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
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			w := c.create("static-html")
			var published struct {
				URL       string
				VersionID string
			}
			c.must(http.StatusOK, http.MethodPost, w.path("/publish"), map[string]any{"slug": "first-site"}, &published)
			if published.VersionID == "" || !strings.Contains(published.URL, "//first-site.") {
				t.Fatalf("got %+v, want an address below the slug", published)
			}
			if got := c.do(http.MethodPut, w.path("/files/index.html"), strings.NewReader("<!doctype html><title>t</title><h1>Second</h1>")); got.status != http.StatusOK {
				t.Fatalf("got %d %s", got.status, got.body)
			}
			if strings.Contains(string(c.fetch(published.URL+"/").body), "Second") {
				t.Fatal("a save changed the published site")
			}
			c.must(http.StatusOK, http.MethodPost, w.path("/publish"), map[string]any{}, nil)
			if got := c.fetch(published.URL + "/"); !strings.Contains(string(got.body), "Second") {
				t.Fatalf("got %d %s, want the second page", got.status, got.body)
			}
			var deployments struct{ Items []core.Deployment }
			c.must(http.StatusOK, http.MethodGet, w.path("/deployments"), nil, &deployments)
			c.must(http.StatusOK, http.MethodPost, w.path("/deployments/"+string(deployments.Items[1].ID)+"/rollback"), nil, nil)
			if got := c.fetch(published.URL + "/"); strings.Contains(string(got.body), "Second") {
				t.Fatalf("got %s, want the first page again", got.body)
			}
			c.must(http.StatusNoContent, http.MethodDelete, w.path("/publish"), nil, nil)
			if got := c.fetch(published.URL + "/"); got.status != http.StatusNotFound {
				t.Fatalf("got %d, want no site", got.status)
			}
		})
	}
}
