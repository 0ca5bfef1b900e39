package sites_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestOpenDataIsNotPublishedUnasked plays publishing with open data: a publish is refused while
// strangers reach data, until a person accepts that, and again once the rule changes.
func TestOpenDataIsNotPublishedUnasked(t *testing.T) {
	for name, p := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := p.Serve(t).SignUp().Create("static-html")
			save := func(rule string) {
				schema := `{"collections": [{"name": "orders", "listRule": "` + rule + `", "fields": [{"name": "phone", "type": "text"}]}]}`
				w.Put("backend/schema.json", schema)
			}
			var refusal struct {
				Error    core.Code      `json:"error"`
				Findings []core.Finding `json:"findings"`
			}
			publish := func(status int, accepted ...core.ID) {
				t.Helper()
				refusal.Findings = nil
				body := storytest.Fields{}
				if accepted != nil {
					body["acceptFindings"] = accepted
				}
				w.Must(status, http.MethodPost, w.Path("/publish"), body, &refusal)
				if status == http.StatusConflict && (refusal.Error != core.CodeOpenData || len(refusal.Findings) != 1) {
					t.Fatalf("got %+v, want one finding", refusal)
				}
			}
			save("")
			publish(http.StatusConflict)
			first := refusal.Findings[0].ID
			publish(http.StatusOK, first)
			publish(http.StatusOK)
			log := w.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(w.Workspace)+"/audit", nil, nil)
			if got := strings.Count(string(log.Body), string(core.AuditFindingAccepted)); got != 1 {
				t.Errorf("the security log has %d acceptances, want 1", got)
			}
			save("id != ''")
			var checked struct{ Findings []core.Finding }
			w.Must(http.StatusOK, http.MethodPost, w.Path("/backend/check"), nil, &checked)
			if len(checked.Findings) != 1 || checked.Findings[0].ID == first {
				t.Errorf("the check found %+v, want another finding", checked.Findings)
			}
			publish(http.StatusConflict, first)
			save("@request.auth.id = 'x'")
			publish(http.StatusOK)
		})
	}
}
