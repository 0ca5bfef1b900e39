package webhooks_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// programs are those with a network.
func programs() map[string]storytest.Program {
	private := map[string]string{"PRIVATE_NETWORKS": "allow"}
	return map[string]storytest.Program{
		"local":               {Make: local.New, Env: func(testing.TB) map[string]string { return private }},
		"local on PostgreSQL": {Make: local.New, Env: func(t testing.TB) map[string]string { return storytest.Merged(storytest.Postgres(t), private) }},
	}
}

// TestReceiversAreToldOfEverything lets happen what webhooks tell of. Failed checks need a browser:
// core/checks tests them.
func TestReceiversAreToldOfEverything(t *testing.T) {
	for name, p := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			company := storytest.NewCompany(p.Serve(t))
			r := newReceiver(t, func(http.ResponseWriter, *http.Request) {})
			all := newHook(company.Admin, r.URL+"/all", core.WebhookEvents()...)
			w := company.Member.Create("static-html")
			told := r.teller(all)

			w.Send(`Change the heading to "Hello".`)
			version := told(core.WebhookVersionCreated, 1)
			run := told(core.WebhookRunFinished, 1)
			if run["projectId"] != string(w.ID) || run["chatId"] != string(w.Chat) || run["outcome"] != "done" || run["versionId"] != version["versionId"] || run["userId"] != string(company.Member.User.ID) || version["author"] != "agent" {
				t.Errorf("got %v and %v, want the run and its version", run, version)
			}

			var published struct{ URL string }
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, &published)
			site := told(core.WebhookPublished, 1)
			if site["url"] != published.URL || site["rollback"] != false || site["versionId"] != version["versionId"] {
				t.Errorf("got %v, want the deployment", site)
			}
			w.Must(http.StatusOK, http.MethodPost, w.Path("/deployments/"+site["deploymentId"].(string)+"/rollback"), nil, nil)
			if back := told(core.WebhookPublished, 2); back["rollback"] != true || back["deploymentId"] != site["deploymentId"] {
				t.Errorf("got %v, want the deployment once more", back)
			}

			w.Put("backend/schema.json", `{"collections": [{"name": "orders", "listRule": "", "fields": [{"name": "phone", "type": "text"}]}]}`)
			w.Must(http.StatusConflict, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
			if finding := told(core.WebhookFindingCreated, 1); finding["collection"] != "orders" || finding["severity"] != "high" {
				t.Errorf("got %v, want the finding", finding)
			}

			guest := company.SignUp()
			company.Hire(guest, core.RoleMember)
			company.Owner.Must(http.StatusOK, http.MethodPatch, company.Space+"/members/"+string(guest.User.ID), storytest.Fields{"role": "admin"}, nil)
			company.Owner.Must(http.StatusNoContent, http.MethodDelete, company.Space+"/members/"+string(guest.User.ID), nil, nil)
			// Events that follow quickly may overtake each other.
			told(core.WebhookMemberChanged, 3)
			var changes []string
			for i := range 3 {
				got := told(core.WebhookMemberChanged, i+1)
				changes = append(changes, got["change"].(string))
				if got["userId"] != string(guest.User.ID) || got["workspaceId"] != string(company.Owner.Workspace) {
					t.Errorf("got %v, want a change of the guest", got)
				}
			}
			if slices.Sort(changes); !slices.Equal(changes, []string{"joined", "removed", "role_changed"}) {
				t.Errorf("got the changes %q, want all three", changes)
			}
			for _, one := range r.got("/all") {
				if strings.Contains(one.body, "@") || strings.Contains(one.body, "Hello") {
					t.Errorf("got %s, want no address and no content", one.body)
				}
			}
			all.log()
		})
	}
}

// TestReceiversAreToldOfVersionsFromElsewhere restores a version and pushes one.
func TestReceiversAreToldOfVersionsFromElsewhere(t *testing.T) {
	for name, p := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			company := storytest.NewCompany(p.Serve(t))
			r := newReceiver(t, func(http.ResponseWriter, *http.Request) {})
			told := r.teller(newHook(company.Admin, r.URL+"/all", core.WebhookVersionCreated))
			w := company.Member.Create("static-html")
			w.Send(`Change the heading to "Hello".`)
			w.Send(`Change the heading to "Good day".`)
			told(core.WebhookVersionCreated, 2)
			w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions/"+w.Versions()[1].ID+"/restore"), nil, nil)
			if restored := told(core.WebhookVersionCreated, 3); restored["versionId"] != w.Versions()[0].ID || restored["author"] != "user" {
				t.Errorf("got %v, want the version that restored another", restored)
			}
			folder := filepath.Join(t.TempDir(), "clone")
			git := func(args ...string) {
				if out, err := storytest.StockGit(folder, args...); err != nil {
					t.Fatalf("git %q: %v: %s", args, err, out)
				}
			}
			var made struct{ Token string }
			scopes := []core.Scope{core.ScopeProjectsRead, core.ScopeFilesWrite}
			w.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "git", "scopes": scopes}, &made)
			if out, err := storytest.StockGit(t.TempDir(), "clone", "-q", w.GitURL(made.Token), folder); err != nil {
				t.Fatalf("git clone: %v: %s", err, out)
			}
			git("commit", "-q", "--allow-empty", "-m", "One of two")
			git("commit", "-q", "--allow-empty", "-m", "From elsewhere")
			git("push", "-q", "origin", "main")
			if pushed := told(core.WebhookVersionCreated, 4); pushed["versionId"] != w.Versions()[0].ID || pushed["title"] != "From elsewhere" {
				t.Errorf("got %v, want the newest version of the push", pushed)
			}
		})
	}
}

// teller returns the data of the n-th event of a kind, as soon as it has arrived.
func (r *receiver) teller(h hook) func(kind core.WebhookEvent, n int) map[string]any {
	return func(kind core.WebhookEvent, n int) map[string]any {
		r.t.Helper()
		for all := n; ; all++ {
			messages := r.await("/all", all)
			found := slices.DeleteFunc(messages, func(m message) bool { return m.event(r.t).Type != kind })
			if len(found) >= n {
				verify(r.t, found[n-1], h.secret)
				return found[n-1].event(r.t).Data
			}
			all = max(all, len(messages))
		}
	}
}
