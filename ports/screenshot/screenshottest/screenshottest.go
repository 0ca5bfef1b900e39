// Package screenshottest tests a screenshot.Camera against its port.
package screenshottest

import (
	"bytes"
	"context"
	"errors"
	"image/png"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/screenshot"
)

// Run tests a camera against the port. open returns one for the pages that a
// handler serves.
func Run(t *testing.T, open func(t *testing.T, pages http.Handler) screenshot.Camera) {
	camera := open(t, http.HandlerFunc(servePictured))
	if err := camera.Available(t.Context()); err != nil {
		t.Fatalf("got %v, want a camera", err)
	}
	for name, clause := range map[string]func(t *testing.T, camera screenshot.Camera){
		"a page becomes a picture of the size":        takes,
		"different pages become different pictures":   tellsApart,
		"a page that does not answer well has none":   refuses,
		"an ended context ends the taking":            ends,
		"it takes many pictures, some at once":        takesMany,
		"what is no address of a page has no picture": refusesAddresses,
	} {
		t.Run(name, func(t *testing.T) { clause(t, camera) })
	}
}

// Pictured is the host of the pages that Run serves.
const Pictured = "http://pictured.preview.test:8080"

func servePictured(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch {
	case r.Host != "pictured.preview.test:8080":
		http.Error(w, "another host", http.StatusTeapot)
	case r.URL.Path == "/red":
		_, _ = w.Write([]byte(`<!doctype html><body style="margin:0;background:#f00">red`))
	case r.URL.Path == "/blue":
		_, _ = w.Write([]byte(`<!doctype html><body style="margin:0;background:#00f">blue`))
	case r.URL.Path == "/broken":
		w.WriteHeader(http.StatusServiceUnavailable)
	default:
		http.NotFound(w, r)
	}
}

// take takes a picture and returns its bytes and the colour of its middle.
func take(t *testing.T, camera screenshot.Camera, path string) (picture []byte, red, blue uint32) {
	t.Helper()
	picture, err := camera.Take(t.Context(), Pictured+path)
	if err != nil {
		t.Fatalf("%s: got %v, want a picture", path, err)
	}
	seen, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatalf("%s: got %v, want a PNG", path, err)
	}
	if size := seen.Bounds().Size(); size.X != screenshot.Width || size.Y != screenshot.Height || len(picture) > core.MaxThumbnailBytes {
		t.Errorf("%s: got %v, %d bytes, want %d × %d", path, size, len(picture), screenshot.Width, screenshot.Height)
	}
	red, _, blue, _ = seen.At(screenshot.Width/2, screenshot.Height/2).RGBA()
	return picture, red, blue
}

func takes(t *testing.T, camera screenshot.Camera) { take(t, camera, "/red") }

func tellsApart(t *testing.T, camera screenshot.Camera) {
	red, _, _ := take(t, camera, "/red")
	blue, _, _ := take(t, camera, "/blue")
	if bytes.Equal(red, blue) {
		t.Error("got the same picture of two pages, want two")
	}
}

func refuses(t *testing.T, camera screenshot.Camera) {
	for _, path := range []string{"/broken", "/missing"} {
		_, err := camera.Take(t.Context(), Pictured+path)
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%s: got %v, want code %s", path, err, core.CodeUnavailable)
		}
	}
}

func ends(t *testing.T, camera screenshot.Camera) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := camera.Take(ended, Pictured+"/red"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func takesMany(t *testing.T, camera screenshot.Camera) {
	failed := make(chan error, 4)
	for range cap(failed) {
		go func() {
			_, err := camera.Take(t.Context(), Pictured+"/blue")
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Errorf("got %v, want a picture", err)
		}
	}
}

func refusesAddresses(t *testing.T, camera screenshot.Camera) {
	for _, address := range []string{"", "file:///etc/passwd", "chrome://version/", "javascript:1", "data:text/html,x", "http://", "http://other.test/red", "view-source:" + Pictured + "/red", Pictured + strings.Repeat("/x", 5000)} {
		if _, err := camera.Take(t.Context(), address); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("%.60q: got %v, want code %s", address, err, core.CodeUnavailable)
		}
	}
}
