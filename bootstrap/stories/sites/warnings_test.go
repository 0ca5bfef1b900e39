package sites_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestWhatAPreviewWarnsOfRefusesNoPublish publishes a page without its style sheet and compiler options, as a
// preview shows it, and a page without its module, which neither shows.
func TestWhatAPreviewWarnsOfRefusesNoPublish(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t))
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	w.Put("tsconfig.json", `{"extends": "@tsconfig/none/tsconfig.json"}`)
	w.Put("index.html", `<!doctype html><title>t</title><link rel="stylesheet" href="/none.css"><h1>Here</h1>`)
	w.Do(http.MethodPost, w.Path("/preview"), nil)
	shown := w.AwaitPreview("ready")
	if len(shown.Diagnostics) != 0 || len(shown.Warnings) != 2 || !strings.Contains(shown.Warnings[0].Message, "@tsconfig/none") || !strings.Contains(shown.Warnings[1].Message, "/none.css") {
		t.Errorf("got the preview %+v, want it warned of the options and the style sheet", shown)
	}
	var published struct{ Warnings []core.Diagnostic }
	answer := publishAs(w, "warned")
	if err := json.Unmarshal(answer.Body, &published); err != nil || answer.Status != http.StatusOK || !slices.Equal(published.Warnings, shown.Warnings) {
		t.Errorf("got %d %s, want it published with the preview's warnings", answer.Status, answer.Body)
	}

	w.Put("index.html", `<!doctype html><title>t</title><script type="module" src="/none.js"></script>`)
	told := w.AwaitPreview("error").Diagnostics
	var refused struct{ Diagnostics []core.Diagnostic }
	answer = publishAs(w, "warned")
	if err := json.Unmarshal(answer.Body, &refused); err != nil || answer.Status != http.StatusUnprocessableEntity || len(told) != 1 || len(refused.Diagnostics) != 1 || refused.Diagnostics[0] != told[0] {
		t.Errorf("got %d %s, want it refused with what the preview says, %+v", answer.Status, answer.Body, told)
	}
}
