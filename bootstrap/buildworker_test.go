package bootstrap_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
)

// TestPoisonousSourcesDoNotEndTheService previews and publishes sources that no parser
// survives, on the binary, while somebody else works.
func TestPoisonousSourcesDoNotEndTheService(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t))
	s := &site{t: t, url: service.URL, http: localClient()}
	mallory, alice := s.signUp().create("static-html"), s.signUp().create("static-html")
	pid := service.PID()
	mallory.put("index.html", `<!doctype html><title>t</title><script type="module" src="/app.js"></script>`)

	mallory.put("app.js", "export default "+strings.Repeat("!", 90_000)+"1")
	refused := mallory.publishAs("mallory")
	var failed struct{ Diagnostics []core.Diagnostic }
	if err := json.Unmarshal(refused.body, &failed); err != nil {
		t.Fatal(err)
	}
	if refused.status != http.StatusUnprocessableEntity || refused.code() != core.CodeBuildFailed || len(failed.Diagnostics) != 1 || !strings.Contains(failed.Diagnostics[0].Message, "nested too deeply") {
		t.Errorf("got %d %s, want %s with a diagnostic", refused.status, refused.body, core.CodeBuildFailed)
	}
	mallory.do(http.MethodPost, mallory.path("/preview"), nil)
	mallory.previewSays("nested too deeply")

	mallory.put("app.js", "export default a => "+strings.Repeat("a ? (", 20_000)+"1"+strings.Repeat(") : 0", 20_000))
	endless, leave := context.WithCancel(t.Context())
	left := make(chan struct{})
	go func() {
		defer close(left)
		mallory.leavePublishing(endless)
	}()
	alice.put("index.html", "<!doctype html><title>t</title><h1>Alice</h1>")
	published := alice.publishAs("alice")
	var sound struct{ URL string }
	if err := json.Unmarshal(published.body, &sound); err != nil || published.status != http.StatusOK {
		t.Fatalf("got %d %s, want Alice's site", published.status, published.body)
	}
	if got := alice.fetch(sound.URL + "/"); !strings.Contains(string(got.body), "Alice") {
		t.Errorf("got %d %s, want Alice's page", got.status, got.body)
	}
	leave()
	<-left

	mallory.put("app.js", "document.title = 'mended'")
	if mended := mallory.publishAs("mallory"); mended.status != http.StatusOK {
		t.Errorf("got %d %s, want the mended site", mended.status, mended.body)
	}
	if service.PID() != pid || strings.Contains(service.Log(), ".go:") {
		t.Errorf("got process %d with the log %s, want %d without a stack", service.PID(), service.Log(), pid)
	}
}

func (w *work) publishAs(slug string) answer {
	w.t.Helper()
	return w.do(http.MethodPost, w.path("/publish"), map[string]any{"slug": slug})
}

// leavePublishing publishes and does not wait for the end after ctx.
func (w *work) leavePublishing(ctx context.Context) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+w.path("/publish"), strings.NewReader(`{"slug": "mallory"}`))
	if err != nil {
		return
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+w.token)
	if response, err := w.http.Do(request); err == nil {
		response.Body.Close()
	}
}

// previewSays waits until the preview's one diagnostic has a text.
func (w *work) previewSays(text string) {
	w.t.Helper()
	var shown struct {
		Status      string
		Diagnostics []core.Diagnostic
	}
	for deadline := time.Now().Add(60 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		w.must(http.StatusOK, http.MethodGet, w.path("/preview"), nil, &shown)
		if shown.Status == "error" && len(shown.Diagnostics) == 1 && strings.Contains(shown.Diagnostics[0].Message, text) {
			return
		}
	}
	w.t.Errorf("got the preview %+v, want a diagnostic with %q", shown, text)
}
