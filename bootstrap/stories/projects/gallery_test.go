package projects_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// gallery is the path of the templates of c's workspace.
func gallery(c *storytest.Caller) string { return "/workspaces/" + string(c.Workspace) + "/templates" }

// templatesOf are the templates that c's workspace shares.
func templatesOf(c *storytest.Caller) []projects.SharedTemplate {
	c.T.Helper()
	var list struct{ Items []projects.SharedTemplate }
	c.Must(http.StatusOK, http.MethodGet, gallery(c), nil, &list)
	return list.Items
}

// share makes a template of a project.
func share(w *storytest.Work, fields storytest.Fields) projects.SharedTemplate {
	w.T.Helper()
	fields["projectId"] = w.ID
	var shared projects.SharedTemplate
	w.Must(http.StatusCreated, http.MethodPost, gallery(w.Caller), fields, &shared)
	return shared
}

// remix makes a project of a template in c's workspace.
func remix(c *storytest.Caller, template core.ID) *storytest.Work {
	c.T.Helper()
	made := &storytest.Work{Caller: c}
	c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/projects", storytest.Fields{"name": "Remix", "template": template}, &made.Project)
	return made
}

// wantFirst checks that a project has one version.
func wantFirst(w *storytest.Work, message string) {
	w.T.Helper()
	var page struct{ Items []core.Version }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/versions"), nil, &page)
	if len(page.Items) != 1 || page.Items[0].Message != message || page.Items[0].Author.Kind != core.AuthorUser {
		w.T.Errorf("got the versions %+v, want one: %s", page.Items, message)
	}
}

func messageOf(answer storytest.Answer) string {
	var body struct{ Message string }
	_ = json.Unmarshal(answer.Body, &body)
	return body.Message
}

// TestAWorkspaceSharesAProjectAsATemplate: the template keeps the files, travels without anything
// else, and outlives its project.
func TestAWorkspaceSharesAProjectAsATemplate(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		site := program.Serve(t)
		ann, bob := site.SignUp(), site.SignUp()
		company := storytest.NewCompany(site)
		company.Hire(ann, core.RoleMember)
		company.Hire(bob, core.RoleMember)
		w := ann.InWorkspace(company.Owner.Workspace).Create("static-html")
		w.Put("a.txt", "old")
		save(w, "A point")
		w.Put("typed.txt", "in no version")
		w.Put(".env", "KEY=horse")
		w.Put("backend/seed.json", `{}`)
		w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/SECRET"), storytest.Fields{"value": "horse"}, nil)
		w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
		w.Send(`Change the heading to "Shared".`)

		shared := share(w, storytest.Fields{"name": " Shop ", "description": "A page with a heading."})
		seeded := share(w, storytest.Fields{"name": "With records", "withSeed": true})
		w.Put("a.txt", "new")
		if shared.Name != "Shop" || shared.Bytes == 0 || shared.WithSeed || !seeded.WithSeed {
			t.Errorf("got %+v and %+v, want what was asked", shared, seeded)
		}

		there := bob.InWorkspace(company.Owner.Workspace)
		if list := templatesOf(there); len(list) != 2 || list[0].ID != seeded.ID || list[1].Author == "" || list[1].ProjectID == nil {
			t.Errorf("got %+v, want both templates, the newest first", list)
		}
		made := remix(bob, shared.ID)
		files := made.Files()
		if files["a.txt"] != "old" || files["typed.txt"] == "" || !strings.Contains(files["index.html"], "Shared") || files[".env"] != "" || files["backend/seed.json"] != "" {
			t.Errorf("got %q, want the files as they were, without values and records", files)
		}
		wantFirst(made, "Create the project from the template Shop")
		if got := chats(made); len(got) != 1 || got[0].ID == w.Chat || made.PublishedAt != nil || made.Template != nil {
			t.Errorf("got %+v with the chats %+v, want a project of its own", made.Project, got)
		}
		var env struct{ Items []any }
		made.Must(http.StatusOK, http.MethodGet, made.Path("/env"), nil, &env)
		if len(env.Items) != 0 {
			t.Errorf("got the values %v, want none", env.Items)
		}
		if got := remix(there, seeded.ID).Files()["backend/seed.json"]; got != "{}" {
			t.Errorf("got the seed %q, want the project's", got)
		}
		card := bob.Do(http.MethodGet, strings.TrimPrefix(shared.ThumbnailURL, site.URL), nil)
		if card.Status != http.StatusOK || !strings.Contains(string(card.Body), ">S<") {
			t.Errorf("got %d and %q, want a card for a project without a picture", card.Status, card.Body)
		}

		path := gallery(there) + "/" + string(shared.ID)
		there.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPatch, path, storytest.Fields{"name": "Mine"})
		there.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, path+"/update", nil)
		there.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodDelete, path, nil)
		w.Must(http.StatusOK, http.MethodPatch, path, storytest.Fields{"name": "Store"}, nil)
		w.Must(http.StatusOK, http.MethodPost, path+"/update", nil, nil)
		if got := remix(bob, shared.ID).Files()["a.txt"]; got != "new" {
			t.Errorf("got %q after an update, want the present file", got)
		}

		company.Owner.Must(http.StatusNoContent, http.MethodDelete, w.Path("?hard=true"), nil, nil)
		w.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, path+"/update", nil)
		wantFirst(remix(bob, shared.ID), "Create the project from the template Store")
		company.Owner.Must(http.StatusNoContent, http.MethodDelete, path, nil, nil)
		if list := templatesOf(there); len(list) != 1 || list[0].ProjectID != nil {
			t.Errorf("got %+v, want the other template without its project", list)
		}
	})
}

// TestNobodyElseReachesATemplate: to strangers a template is like one that does not exist, by every
// way, and a workspace takes it along when it ends.
func TestNobodyElseReachesATemplate(t *testing.T) {
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		site := program.Serve(t)
		ann, eve := site.SignUp(), site.SignUp()
		w := ann.Create("static-html")
		shared := share(w, storytest.Fields{"name": "Shop"})
		for _, space := range []string{gallery(ann), gallery(eve)} {
			path := space + "/" + string(shared.ID)
			eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPatch, path, storytest.Fields{"name": "Mine"})
			eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, path+"/update", nil)
			eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, path, nil)
			eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, path+"/thumbnail", nil)
		}
		eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, gallery(ann), nil)
		eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, gallery(eve), storytest.Fields{"projectId": w.ID, "name": "Stolen"})
		make := "/workspaces/" + string(eve.Workspace) + "/projects"
		foreign := eve.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, make, storytest.Fields{"name": "Stolen", "template": shared.ID})
		unknown := core.NewID()
		missing := eve.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, make, storytest.Fields{"name": "Stolen", "template": unknown})
		if got, want := strings.ReplaceAll(messageOf(foreign), string(shared.ID), ""), strings.ReplaceAll(messageOf(missing), string(unknown), ""); got != want {
			t.Errorf("got %q, want %q as for a template that does not exist", got, want)
		}
		// A public project does not make its workspace's templates public.
		w.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"visibility": "public"}, nil)
		eve.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, gallery(ann), nil)

		company := storytest.NewCompany(site)
		company.Hire(ann, core.RoleMember)
		there := ann.InWorkspace(company.Owner.Workspace)
		source := there.Create("static-html")
		left := share(source, storytest.Fields{"name": "Left behind"})
		company.Owner.Must(http.StatusNoContent, http.MethodDelete, source.Path("?hard=true"), nil, nil)
		remix(ann, left.ID)
		company.Owner.Must(http.StatusNoContent, http.MethodDelete, company.Space, nil, nil)
		ann.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, "/workspaces/"+string(ann.Workspace)+"/projects", storytest.Fields{"name": "Late", "template": left.ID})
	})
}
