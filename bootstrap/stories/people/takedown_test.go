package people_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestAnAdminTakesASiteDown plays a takedown against every program: visitors see why, whatever the owner
// publishes, the owner is told, and the admin sees nothing of the project.
func TestAnAdminTakesASiteDown(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			admin, owner := s.SignUp(), s.SignUp()
			followProof(owner, proofToken(s, owner.User.Email, 1), true)
			w := owner.Create("static-html")
			var site struct{ URL string }
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]string{"slug": "phishing"}, &site)
			visit := func(status int, words string) {
				t.Helper()
				if got := s.Fetch(site.URL); got.Status != status || !strings.Contains(string(got.Body), words) {
					t.Errorf("a visit: got %d %.300s, want %d with %q", got.Status, got.Body, status, words)
				}
			}
			visit(http.StatusOK, "<html")

			body := map[string]string{"slug": "phishing", "reason": "It asks for passwords of a bank."}
			owner.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, "/admin/takedowns", body)
			admin.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, "/admin/takedowns", map[string]string{"slug": "phishing", "reason": " "})
			admin.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, "/admin/takedowns", map[string]string{"slug": "nowhere", "reason": "x"})
			admin.Must(http.StatusCreated, http.MethodPost, "/admin/takedowns", body, nil)
			admin.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, "/admin/takedowns", body)
			visit(http.StatusUnavailableForLegalReasons, "It asks for passwords of a bank.")
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), map[string]string{"slug": "phishing"}, nil)
			visit(http.StatusUnavailableForLegalReasons, "It asks for passwords of a bank.")
			admin.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, w.Path("/deployments"), nil)

			told := mailsOf(s, owner.User.Email, 1, func(subject string) bool { return subject == "A site of yours was taken down" })
			if !strings.Contains(told[0].Text, "It asks for passwords of a bank.") || !strings.Contains(told[0].Text, site.URL) {
				t.Errorf("got %s, want the address and the reason", told[0].Text)
			}
			for path, by := range map[string]*storytest.Caller{"/admin/audit": admin, "/workspaces/" + string(w.Workspace) + "/audit": owner} {
				if log := by.Must(http.StatusOK, http.MethodGet, path, nil, nil); !strings.Contains(string(log.Body), string(core.AuditSiteTakenDown)) {
					t.Errorf("%s: got %s, want the takedown", path, log.Body)
				}
			}
			if log := owner.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.Workspace)+"/audit", nil, nil); strings.Contains(string(log.Body), admin.User.Email) {
				t.Error("the owner's log names the admin")
			}

			var listed struct{ Items []core.Takedown }
			admin.Must(http.StatusOK, http.MethodGet, "/admin/takedowns", nil, &listed)
			if len(listed.Items) != 1 || listed.Items[0].ProjectID != w.ID {
				t.Fatalf("got %+v, want the one site", listed.Items)
			}
			lift := "/admin/takedowns/" + string(w.ID)
			owner.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodDelete, lift, nil)
			admin.Must(http.StatusNoContent, http.MethodDelete, lift, nil, nil)
			admin.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, lift, nil)
			visit(http.StatusOK, "<html")
			mailsOf(s, owner.User.Email, 1, func(subject string) bool { return subject == "A site of yours is back" })
		})
	}
}
