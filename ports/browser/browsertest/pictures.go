package browsertest

import (
	"bytes"
	"image/png"
	"testing"

	"github.com/atelierhq/atelier/ports/browser"
)

// picture takes a picture of a page, and returns the colour of its middle.
func picture(t *testing.T, in browser.Browser, path string, width int) (red, blue uint32) {
	t.Helper()
	taken, err := show(t, in, path).Picture(t.Context(), width)
	if err != nil {
		t.Fatalf("%s: got %v, want a picture", path, err)
	}
	seen, err := png.Decode(bytes.NewReader(taken))
	if err != nil {
		t.Fatalf("%s: got %v, want a PNG", path, err)
	}
	height := width * browser.DesktopHeight / browser.DesktopWidth
	if size := seen.Bounds().Size(); size.X != width || size.Y != height || len(taken) > browser.MaxPictureBytes {
		t.Errorf("%s: got %v, %d bytes, want %d × %d", path, size, len(taken), width, height)
	}
	red, _, blue, _ = seen.At(width/2, height/2).RGBA()
	return red, blue
}

func takesPictures(t *testing.T, in browser.Browser) {
	picture(t, in, "/red", 640)
	picture(t, in, "/red", 1280)
}

func takesDifferentPictures(t *testing.T, in browser.Browser) {
	red, alsoRed := picture(t, in, "/red", 640)
	blue, alsoBlue := picture(t, in, "/blue", 640)
	if red == blue && alsoRed == alsoBlue {
		t.Error("got the same picture of two pages, want two")
	}
}
