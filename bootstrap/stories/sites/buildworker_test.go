package sites_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestPoisonousSourcesDoNotEndTheService previews and publishes sources that no parser
// survives, on the binary, while somebody else works.
func TestPoisonousSourcesDoNotEndTheService(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t))
	s := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	mallory, alice := s.SignUp().Create("static-html"), s.SignUp().Create("static-html")
	pid := service.PID()
	mallory.Put("index.html", `<!doctype html><title>t</title><script type="module" src="/app.js"></script>`)

	mallory.Put("app.js", "export default "+strings.Repeat("!", 90_000)+"1")
	refused := publishAs(mallory, "mallory")
	var failed struct{ Diagnostics []core.Diagnostic }
	if err := json.Unmarshal(refused.Body, &failed); err != nil {
		t.Fatal(err)
	}
	if refused.Status != http.StatusUnprocessableEntity || refused.Code() != core.CodeBuildFailed || len(failed.Diagnostics) != 1 || !strings.Contains(failed.Diagnostics[0].Message, "nested too deeply") {
		t.Errorf("got %d %s, want %s with a diagnostic", refused.Status, refused.Body, core.CodeBuildFailed)
	}
	mallory.Do(http.MethodPost, mallory.Path("/preview"), nil)
	previewSays(mallory, "nested too deeply")

	mallory.Put("app.js", "export default a => "+strings.Repeat("a ? (", 20_000)+"1"+strings.Repeat(") : 0", 20_000))
	endless, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		leavePublishing(mallory, endless)
	}()
	alice.Put("index.html", "<!doctype html><title>t</title><h1>Alice</h1>")
	published := publishAs(alice, "alice")
	var sound struct{ URL string }
	if err := json.Unmarshal(published.Body, &sound); err != nil || published.Status != http.StatusOK {
		t.Fatalf("got %d %s, want Alice's site", published.Status, published.Body)
	}
	if got := alice.Fetch(sound.URL + "/"); !strings.Contains(string(got.Body), "Alice") {
		t.Errorf("got %d %s, want Alice's page", got.Status, got.Body)
	}
	leave()
	<-left

	mallory.Put("app.js", "document.title = 'mended'")
	if mended := publishAs(mallory, "mallory"); mended.Status != http.StatusOK {
		t.Errorf("got %d %s, want the mended site", mended.Status, mended.Body)
	}
	if service.PID() != pid || strings.Contains(service.Log(), ".go:") {
		t.Errorf("got process %d with the log %s, want %d without a stack", service.PID(), service.Log(), pid)
	}
}

func publishAs(w *storytest.Work, slug string) storytest.Answer {
	w.T.Helper()
	return w.Do(http.MethodPost, w.Path("/publish"), map[string]any{"slug": slug})
}

// leavePublishing publishes and does not wait for the end after ctx.
func leavePublishing(w *storytest.Work, ctx context.Context) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+w.Path("/publish"), strings.NewReader(`{"slug": "mallory"}`))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+w.Token)
	if response, err := w.Client.Do(request); err == nil {
		response.Body.Close()
	}
}

// previewSays waits until the preview's one diagnostic has a text.
func previewSays(w *storytest.Work, text string) {
	w.T.Helper()
	var shown struct {
		Status      string
		Diagnostics []core.Diagnostic
	}
	if !conformance.Becomes(func() bool {
		w.Must(http.StatusOK, http.MethodGet, w.Path("/preview"), nil, &shown)
		return shown.Status == "error" && len(shown.Diagnostics) == 1 && strings.Contains(shown.Diagnostics[0].Message, text)
	}) {
		w.T.Errorf("got the preview %+v, want a diagnostic with %q", shown, text)
	}
}
