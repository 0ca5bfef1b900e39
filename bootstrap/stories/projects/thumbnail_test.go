package projects_test

import (
	"bytes"
	"image/png"
	"net/http"
	"net/url"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/ports/conformance"
)

// TestAPublishedProjectHasAPicture takes one with the real browser.
func TestAPublishedProjectHasAPicture(t *testing.T) {
	t.Parallel()
	service := process.Start(t, process.Build(t), "THUMBNAILS=on")
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("landing-page")
	if got := w.Do(http.MethodGet, "/projects/"+string(w.ID)+"/thumbnail", nil); got.Status != http.StatusNotFound {
		t.Errorf("got %d before the first picture, want 404", got.Status)
	}
	w.Must(http.StatusOK, http.MethodPost, "/projects/"+string(w.ID)+"/publish", map[string]any{}, nil)
	address := pictured(w, t, service)
	got := w.Do(http.MethodGet, address, nil)
	if got.Status != http.StatusOK || got.Header.Get("Content-Type") != "image/png" {
		t.Fatalf("got %d %s, want a PNG", got.Status, got.Header.Get("Content-Type"))
	}
	seen, err := png.Decode(bytes.NewReader(got.Body))
	if err != nil {
		t.Fatal(err)
	}
	if size := seen.Bounds().Size(); size.X != thumbnails.Width || size.Y != thumbnails.Height {
		t.Errorf("got %v, want %d × %d", size, thumbnails.Width, thumbnails.Height)
	}
	colours := map[any]bool{}
	for x := range thumbnails.Width {
		for y := range thumbnails.Height {
			colours[seen.At(x, y)] = true
		}
	}
	if len(colours) < 20 {
		t.Errorf("got %d colours, want a page", len(colours))
	}
	if known := w.Do(http.MethodGet, address, nil, "If-None-Match", got.Header.Get("Etag")); known.Status != http.StatusNotModified {
		t.Errorf("got %d for a known picture, want 304", known.Status)
	}
	if again := w.Do(http.MethodPost, "/projects/"+string(w.ID)+"/thumbnail", nil); again.Status != http.StatusAccepted {
		t.Errorf("got %d, want 202", again.Status)
	}
}

// pictured waits until the project has a picture and returns its path.
func pictured(w *storytest.Work, t *testing.T, service *process.Service) string {
	t.Helper()
	var project core.Project
	if !conformance.Becomes(func() bool {
		w.Must(http.StatusOK, http.MethodGet, "/projects/"+string(w.ID), nil, &project)
		return project.ThumbnailURL != nil
	}) {
		t.Fatalf("got no picture:\n%s", service.Log())
	}
	address, err := url.Parse(*project.ThumbnailURL)
	if err != nil {
		t.Fatal(err)
	}
	return address.RequestURI()
}

// TestWithoutABrowserThereIsNoPicture asks for one where none can be taken.
func TestWithoutABrowserThereIsNoPicture(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"SANDBOX": "off", "THUMBNAILS": "on"}).SignUp().Create("landing-page")
	if got := w.Do(http.MethodPost, "/projects/"+string(w.ID)+"/thumbnail", nil); got.Status != http.StatusAccepted {
		t.Errorf("got %d, want 202", got.Status)
	}
	if got := w.Do(http.MethodGet, "/projects/"+string(w.ID)+"/thumbnail", nil); got.Status != http.StatusNotFound {
		t.Errorf("got %d, want 404", got.Status)
	}
	card := w.Do(http.MethodGet, "/projects/"+string(w.ID)+"/card", nil)
	if card.Status != http.StatusOK || card.Header.Get("Content-Type") != "image/svg+xml" || !bytes.HasPrefix(card.Body, []byte("<svg ")) {
		t.Errorf("got %d %s %.60s, want a card", card.Status, card.Header.Get("Content-Type"), card.Body)
	}
}
