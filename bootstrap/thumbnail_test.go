package bootstrap_test

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/screenshot"
)

// TestAPublishedProjectHasAPicture takes one with the real browser.
func TestAPublishedProjectHasAPicture(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t), "THUMBNAILS=on")
	w := (&site{t: t, url: service.URL, http: localClient()}).signUp().create("landing-page")
	if got := w.do(http.MethodGet, "/projects/"+string(w.ID)+"/thumbnail", nil); got.status != http.StatusNotFound {
		t.Errorf("got %d before the first picture, want 404", got.status)
	}
	w.must(http.StatusOK, http.MethodPost, "/projects/"+string(w.ID)+"/publish", map[string]any{}, nil)
	address := w.pictured(t, service)
	got := w.do(http.MethodGet, address, nil)
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "image/png" {
		t.Fatalf("got %d %s, want a PNG", got.status, got.header.Get("Content-Type"))
	}
	seen, err := png.Decode(bytes.NewReader(got.body))
	if err != nil {
		t.Fatal(err)
	}
	if size := seen.Bounds().Size(); size.X != screenshot.Width || size.Y != screenshot.Height {
		t.Errorf("got %v, want %d × %d", size, screenshot.Width, screenshot.Height)
	}
	colours := map[any]bool{}
	for x := range screenshot.Width {
		for y := range screenshot.Height {
			colours[seen.At(x, y)] = true
		}
	}
	if len(colours) < 20 {
		t.Errorf("got %d colours, want a page", len(colours))
	}
	if known := w.do(http.MethodGet, address, nil, "If-None-Match", got.header.Get("Etag")); known.status != http.StatusNotModified {
		t.Errorf("got %d for a known picture, want 304", known.status)
	}
	if again := w.do(http.MethodPost, "/projects/"+string(w.ID)+"/thumbnail", nil); again.status != http.StatusAccepted {
		t.Errorf("got %d, want 202", again.status)
	}
}

// pictured waits until the project has a picture and returns its path.
func (w *work) pictured(t *testing.T, service *process.Service) string {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var project core.Project
		w.must(http.StatusOK, http.MethodGet, "/projects/"+string(w.ID), nil, &project)
		if project.ThumbnailURL == nil {
			continue
		}
		address, err := url.Parse(*project.ThumbnailURL)
		if err != nil {
			t.Fatal(err)
		}
		return address.RequestURI()
	}
	t.Fatalf("got no picture within a minute:\n%s", service.Log())
	return ""
}

// TestWithoutABrowserThereIsNoPicture asks for one where none can be taken.
func TestWithoutABrowserThereIsNoPicture(t *testing.T) {
	w := serve(t, t.TempDir(), local.New, map[string]string{"SANDBOX": "off", "THUMBNAILS": "on"}).signUp().create("landing-page")
	if got := w.do(http.MethodPost, "/projects/"+string(w.ID)+"/thumbnail", nil); got.status != http.StatusAccepted {
		t.Errorf("got %d, want 202", got.status)
	}
	if got := w.do(http.MethodGet, "/projects/"+string(w.ID)+"/thumbnail", nil); got.status != http.StatusNotFound {
		t.Errorf("got %d, want 404", got.status)
	}
	card := w.do(http.MethodGet, "/projects/"+string(w.ID)+"/card", nil)
	if card.status != http.StatusOK || card.header.Get("Content-Type") != "image/svg+xml" || !bytes.HasPrefix(card.body, []byte("<svg ")) {
		t.Errorf("got %d %s %.60s, want a card", card.status, card.header.Get("Content-Type"), card.body)
	}
}
