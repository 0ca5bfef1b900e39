package files

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

type projectPage struct {
	Items []struct {
		ID, Slug, Name string
		FolderID       *string
	}
	NextCursor *string
}

func (w *world) page(target string) projectPage {
	w.Helper()
	answer := w.get(target)
	w.want(answer, 200)
	var page projectPage
	answer.into(w, &page)
	return page
}

func TestAProjectOverItsLife(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.json("POST", "/workspaces/"+w.workspace+"/projects", `{"name":"Tea shop","template":"todo-app","folderId":null,"prompt":""}`)
		w.want(made, 201)
		var members map[string]any
		must(t, json.Unmarshal([]byte(made.body), &members))
		for name, want := range map[string]any{
			"workspaceId": w.workspace, "folderId": nil, "slug": "tea-shop", "name": "Tea shop", "description": nil, "template": "todo-app",
			"visibility": "workspace", "thumbnailUrl": nil, "publishedAt": nil, "customDomain": nil, "url": nil, "deletedAt": nil,
		} {
			if got, present := members[name]; !present || got != want {
				t.Errorf("%s: got %v (there: %t), want %v", name, got, present, want)
			}
		}
		target := "/projects/" + made.text("id")
		if got := w.get(target); got.body != made.body {
			t.Errorf("got %s, want what creating answered: %s", got.body, made.body)
		}
		changed := w.json("PATCH", target, `{"name":"Store","description":"Sells tea","visibility":"private","slug":"store"}`)
		w.want(changed, 200)
		if changed.text("slug") != "store" || changed.text("description") != "Sells tea" {
			t.Errorf("got %s", changed.body)
		}
		cleared := w.json("PATCH", target, `{"description":null}`)
		w.want(cleared, 200)
		if !strings.Contains(cleared.body, `"description":null`) {
			t.Errorf("got %s, want no description", cleared.body)
		}
		w.want(w.json("PATCH", target, `{"name":null}`), 400, "invalid_request")
		w.want(w.json("PATCH", target, `{"slug":"shop"}`), 409, "conflict")
		w.want(w.json("PATCH", target, `{"slug":"No Slug"}`), 400, "validation_failed")
		w.want(w.json("PATCH", target, `{"createdBy":"x"}`), 400, "invalid_request")
		w.want(w.json("PATCH", target, `{"folderId":"`+string(core.NewID())+`"}`), 400, "validation_failed")

		w.want(w.do("DELETE", target, nil), 204)
		w.want(w.get(target), 404, "not_found")
		w.want(w.get(target+"/files"), 404, "not_found")
		if deleted := w.page("/projects?deleted=true"); len(deleted.Items) != 1 || deleted.Items[0].Slug != "store" {
			t.Errorf("got %+v, want the deleted project", deleted)
		}
		w.want(w.do("POST", target+"/restore", nil), 200)
		w.want(w.get(target+"/files/src/App.tsx"), 200)
		for _, word := range []string{"perhaps", "1", "0", "", "TRUE", "yes"} {
			w.want(w.do("DELETE", target+"?hard="+word, nil), 400, "invalid_request")
		}
		w.want(w.do("DELETE", target+"?hard=true", nil), 204)
		w.want(w.do("POST", target+"/restore", nil), 404, "not_found")
		trees, err := w.trees.List(t.Context())
		must(t, err)
		if slices.Contains(trees, core.ID(made.text("id"))) {
			t.Error("the files of a project that was deleted hard are still there")
		}
	})
}

func TestCreatingRefusesABadDraft(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		target := "/workspaces/" + w.workspace + "/projects"
		for _, c := range []struct{ body, code string }{
			{`{}`, "invalid_request"},
			{`{"name":null}`, "invalid_request"},
			{`{"name":7}`, "invalid_request"},
			{`{"name":"x","id":"y"}`, "invalid_request"},
			{`{"name":"  "}`, "validation_failed"},
			{`{"name":"x","template":"../../etc"}`, "validation_failed"},
			{`{"name":"x","folderId":"x"}`, "validation_failed"},
			{`{"name":"x","prompt":"` + strings.Repeat("x", 100_001) + `"}`, "validation_failed"},
		} {
			w.want(w.json("POST", target, c.body), 400, c.code)
		}
		w.want(w.json("POST", "/workspaces/"+string(core.NewID())+"/projects", `{"name":"x"}`), 404, "not_found")
		w.want(w.json("POST", "/workspaces/x/projects", `{"name":"x"}`), 404, "not_found")
	})
}

func TestSixteenProjectsOfOneNameAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 16
		slugs := make([]string, n)
		var group sync.WaitGroup
		for i := range n {
			group.Go(func() {
				got := w.json("POST", "/workspaces/"+w.workspace+"/projects", `{"name":"Twin"}`)
				if got.StatusCode != 201 {
					t.Errorf("got %d %s, want 201", got.StatusCode, got.body)
				}
				slugs[i] = got.text("slug")
			})
		}
		group.Wait()
		want := []string{"twin"}
		for i := 2; i <= n; i++ {
			want = append(want, fmt.Sprintf("twin-%d", i))
		}
		slices.Sort(slugs)
		slices.Sort(want)
		if !slices.Equal(slugs, want) {
			t.Errorf("got %q, want %q", slugs, want)
		}
		trees, err := w.trees.List(t.Context())
		must(t, err)
		if len(trees) != n+1 {
			t.Errorf("got %d trees, want one a project: %d", len(trees), n+1)
		}
	})
}

func TestListsComeInPagesThatInsertsDoNotShift(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 5 {
			w.createProject(fmt.Sprintf("Project %d", i))
		}
		var got []string
		target := "/projects?limit=2"
		for {
			page := w.page(target)
			for _, project := range page.Items {
				got = append(got, project.Name)
			}
			if page.NextCursor == nil {
				break
			}
			w.createProject("Inserted")
			target = "/projects?limit=2&cursor=" + url.QueryEscape(*page.NextCursor)
		}
		want := []string{"Project 4", "Project 3", "Project 2", "Project 1", "Project 0", "Shop"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if page := w.page("/workspaces/" + w.workspace + "/projects?q=insert&limit=1000"); len(page.Items) != 2 {
			t.Errorf("got %d projects, want the two that were inserted", len(page.Items))
		}
		if page := w.page("/projects?folderId=none&visibility=workspace&q=proj+4"); len(page.Items) != 1 {
			t.Errorf("got %d projects, want the one that all filters match", len(page.Items))
		}
	})
}

func TestCursorsAndFiltersThatWereTamperedWith(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.createProject("Second")
		cursor := *w.page("/projects?limit=1").NextCursor
		for _, bad := range []string{"", "x", cursor + "A", cursor[:len(cursor)-1], strings.ToUpper(cursor), "MTIz" + cursor, strings.Repeat("A", 600)} {
			w.want(w.get("/projects?cursor="+url.QueryEscape(bad)), 400, "invalid_cursor")
			w.want(w.get("/projects/"+w.project+"/versions?cursor="+url.QueryEscape(bad)), 400, "invalid_cursor")
		}
		w.want(w.get("/projects/"+w.project+"/versions?cursor="+url.QueryEscape(cursor)), 400, "invalid_cursor")
		for query, code := range map[string]string{
			"limit=0": "invalid_request", "limit=-1": "invalid_request", "limit=x": "invalid_request", "limit=1&limit=2": "invalid_request",
			"visibility=secret": "validation_failed", "deleted=perhaps": "invalid_request", "q=" + strings.Repeat("x", 1001): "validation_failed",
		} {
			w.want(w.get("/projects?"+query), 400, code)
		}
		w.want(w.get("/projects?folderId=x"), 404, "not_found")
		w.want(w.get("/projects?workspaceId="+string(core.NewID())), 404, "not_found")
		other := w.token
		w.signUp("eve@example.com")
		w.want(w.get("/projects?cursor="+url.QueryEscape(cursor)), 400, "invalid_cursor")
		w.token = other
	})
}

func TestVersionsComeInPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 4 {
			w.want(w.bulk(fmt.Sprintf(`{"message":"v%d","operations":[{"op":"write","path":"a","content":"%d"}]}`, i, i)), 200)
		}
		var messages []string
		target := "/projects/" + w.project + "/versions?limit=2"
		for range 10 {
			answer := w.get(target)
			w.want(answer, 200)
			var page struct {
				Items      []core.Version
				NextCursor *string
			}
			answer.into(t, &page)
			for _, version := range page.Items {
				messages = append(messages, version.Message)
			}
			if page.NextCursor == nil {
				break
			}
			target = "/projects/" + w.project + "/versions?limit=2&cursor=" + url.QueryEscape(*page.NextCursor)
		}
		want := []string{"v3", "v2", "v1", "v0", "Create the project from the template static-html"}
		if !slices.Equal(messages, want) {
			t.Errorf("got %q, want %q", messages, want)
		}
	})
}

func TestTemplatesAreListed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		answer := w.get("/templates")
		w.want(answer, 200)
		var list struct{ Items []core.Template }
		answer.into(t, &list)
		if len(list.Items) == 0 || list.Items[0].ID == "" || list.Items[0].Name == "" {
			t.Errorf("got %s, want templates", answer.body)
		}
		w.token = ""
		w.want(w.get("/templates"), 401, "unauthenticated")
	})
}
