package ai

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Painter is a Provider whose vendor may have models that paint pictures. It may be used by many
// goroutines.
type Painter interface {
	// PaintingModels lists the ids of the models among which those that paint are: servers do
	// not report which ones do. It is empty if none can. Failures are like those of
	// Provider.Models.
	PaintingModels(ctx context.Context) ([]string, error)
	// Paint has the model paint one picture. The Image is whole: MediaType is image/png,
	// image/jpeg or image/webp, as its bytes are, and may differ from the one that was asked
	// for. A picture that the vendor only gives the address of is not fetched.
	//
	// Usage is to be paid, also with an error: Images is 1 once the vendor began to
	// answer, and the tokens are those that it reported. Failures are like those of
	// Provider.Generate; it never retries.
	Paint(ctx context.Context, req PictureRequest) (Image, core.Usage, error)
}

// PictureRequest is one picture to paint.
type PictureRequest struct {
	Model string
	// Prompt says what the picture shows.
	Prompt string
	Shape  Shape
	// MediaType is the wished form of the bytes. Most models have only one.
	MediaType string
}

// Shape is the aspect of a picture.
type Shape string

// The shapes of pictures: as wide as high, wider, and higher.
const (
	Square    Shape = "square"
	Landscape Shape = "landscape"
	Portrait  Shape = "portrait"
)
