package aitest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// PaintScript is the vendor's behaviour when it is asked for its models and for a picture. End is
// Whole, Hangs or Refuses.
type PaintScript struct {
	Models []string
	Image  []byte
	Usage  core.Usage
	End    End
	// Status belongs to Refuses.
	Status int
}

// Easel is a painter with a scripted vendor behind it.
type Easel struct {
	Painter ai.Painter
	// Requests counts the paintings that reached the vendor.
	Requests func() int
}

// PNG is a picture of one red pixel.
const PNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
	"\x00\x00\x00\x0cIDATx\x9cc8``\x00\x00\x02\xd4\x01!:h7\x09\x00\x00\x00\x00IEND\xaeB`\x82"

// RunPainter tests an ai.Painter against its contract. open returns one whose vendor plays the
// script.
func RunPainter(t *testing.T, open func(t *testing.T, script PaintScript) Easel) {
	for _, clause := range []struct {
		name  string
		check func(t *testing.T, open func(t *testing.T, script PaintScript) Easel)
	}{
		{"a picture is whole, with the type of its bytes, and is counted", paintsWhole},
		{"the models that may paint are listed", listsPainters},
		{"a refused painting is model_unavailable, costs nothing and is not retried", reportsRefusedPaintings},
		{"the end of the context ends a painting", endsPaintings},
	} {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, open) })
	}
}

func painting() ai.PictureRequest {
	return ai.PictureRequest{Model: "gpt-image-1", Prompt: "A teapot.", Shape: ai.Landscape, MediaType: "image/webp"}
}

func paintsWhole(t *testing.T, open func(t *testing.T, script PaintScript) Easel) {
	easel := open(t, PaintScript{Image: []byte(PNG), Usage: core.Usage{InputTokens: 12, OutputTokens: 1056, Images: 1}})
	got, used, err := easel.Painter.Paint(t.Context(), painting())
	if err != nil || got.MediaType != "image/png" || string(got.Data) != PNG {
		t.Errorf("got %q, %d bytes and %v, want the PNG", got.MediaType, len(got.Data), err)
	}
	if want := (core.Usage{InputTokens: 12, OutputTokens: 1056, Images: 1}); used != want {
		t.Errorf("usage: got %+v, want %+v", used, want)
	}
}

func listsPainters(t *testing.T, open func(t *testing.T, script PaintScript) Easel) {
	got, err := open(t, PaintScript{Models: []string{"gpt-5", "gpt-image-1"}}).Painter.PaintingModels(t.Context())
	if err != nil || !slices.Contains(got, "gpt-image-1") {
		t.Errorf("got %q and %v, want gpt-image-1 among them", got, err)
	}
}

func reportsRefusedPaintings(t *testing.T, open func(t *testing.T, script PaintScript) Easel) {
	for status, temporary := range map[int]bool{400: false, 429: true, 503: true} {
		easel := open(t, PaintScript{End: Refuses, Status: status})
		_, used, err := easel.Painter.Paint(t.Context(), painting())
		var failure *ai.Failure
		if !errors.As(err, &failure) || failure.Err.Code != core.CodeModelUnavailable || failure.Temporary != temporary {
			t.Errorf("%d: got %v, want a failure that is temporary: %t", status, err, temporary)
		}
		if used != (core.Usage{}) || easel.Requests() != 1 {
			t.Errorf("%d: got usage %+v and %d requests, want none and 1", status, used, easel.Requests())
		}
	}
}

func endsPaintings(t *testing.T, open func(t *testing.T, script PaintScript) Easel) {
	easel := open(t, PaintScript{End: Hangs})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, _, err := easel.Painter.Paint(ctx, painting()); !errors.Is(err, context.DeadlineExceeded) || isFailure(err) {
		t.Errorf("error: got %v, want %v and no failure of the vendor", err, context.DeadlineExceeded)
	}
	if _, _, err := easel.Painter.Paint(ctx, painting()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with an ended context: got %v, want %v", err, context.DeadlineExceeded)
	}
	if easel.Requests() > 1 {
		t.Errorf("requests: got %d, want 1", easel.Requests())
	}
}
