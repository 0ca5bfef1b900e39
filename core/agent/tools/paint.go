package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
	"github.com/atelierhq/atelier/ports/ai"
)

// Painter paints pictures.
type Painter interface {
	// Paint paints one picture, whatever the model that req names, and pays for it. Errors are
	// core.CodeCreditExhausted, or those of ai.Painter.
	Paint(ctx context.Context, req ai.PictureRequest) (ai.Image, error)
}

// PaintTool makes a picture.
const PaintTool = "generate_image"

const (
	// paintTimeout bounds one picture, with the retries of its call.
	paintTimeout = 5 * time.Minute
	// maxPaintings bounds the pictures of a run.
	maxPaintings = 10
	// maxPictureWords bounds the description of a picture, in bytes: some models refuse more.
	maxPictureWords = 4000
	// maxAltBytes bounds the text in place of a picture, in bytes.
	maxAltBytes = 500
)

// paintTools make pictures.
func paintTools() []tool {
	return []tool{{
		name: PaintTool,
		description: "Paint a picture from a description and save it in the project. It takes up to a minute and costs money: use it for photos and illustrations that carry the page, never for icons, logos, text or what CSS or SVG can draw. " +
			"path is a new file under public/ or src/assets/ that ends in .webp, .png or .jpg. prompt says what is to be seen, in which style, light and colors, without words in it. alt is what you write as the alt text where you use it.",
		parameters: `{"type":"object","properties":{"path":{"type":"string"},"prompt":{"type":"string"},"alt":{"type":"string"},"shape":{"type":"string","enum":["square","landscape","portrait"]}},"required":["path","prompt","alt"],"additionalProperties":false}`,
		changes:    true,
		extra:      true,
		paints:     true,
		timeout:    paintTimeout,
		run:        paintPicture,
	}}
}

// pictureTypes are the forms of pictures by their ending.
var pictureTypes = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp"}

// paintArgs are the arguments of PaintTool.
type paintArgs struct {
	Path   string   `json:"path"`
	Prompt string   `json:"prompt"`
	Alt    string   `json:"alt"`
	Shape  ai.Shape `json:"shape"`
}

// check returns an error for arguments for which nothing should be paid.
func (a *paintArgs) check(to core.ProjectPath) error {
	a.Prompt, a.Alt = strings.TrimSpace(a.Prompt), strings.TrimSpace(a.Alt)
	switch {
	case !strings.HasPrefix(to.String(), "public/") && !strings.HasPrefix(to.String(), "src/assets/"):
		return core.Errorf(core.CodeInvalidPath, "pictures belong under public/ or src/assets/, so nothing was painted: choose a path there")
	case pictureTypes[path.Ext(to.String())] == "":
		return core.Errorf(core.CodeInvalidPath, "path must end in .webp, .png or .jpg, so nothing was painted")
	case a.Prompt == "" || len(a.Prompt) > maxPictureWords:
		return core.Errorf(core.CodeInvalidRequest, "prompt must say in at most %d bytes what the picture shows, so nothing was painted", maxPictureWords)
	case a.Alt == "" || len(a.Alt) > maxAltBytes:
		return core.Errorf(core.CodeInvalidRequest, "alt must say in at most %d bytes, for people who cannot see the picture, what it shows; nothing was painted", maxAltBytes)
	case !slices.Contains([]ai.Shape{"", ai.Square, ai.Landscape, ai.Portrait}, a.Shape):
		return core.Errorf(core.CodeInvalidRequest, "shape must be square, landscape or portrait, so nothing was painted")
	}
	return nil
}

func paintPicture(ctx context.Context, in *invocation, raw json.RawMessage) (Result, error) {
	var args paintArgs
	to, err := decodePath(raw, &args, &args.Path)
	if err != nil {
		return Result{}, err
	}
	if err := args.check(to); err != nil {
		return Result{}, err
	}
	if in.memory.paintings >= maxPaintings {
		return Result{}, core.Errorf(core.CodeRateLimited, "this run has painted %d pictures, which is all that it may: continue with those", maxPaintings)
	}
	if err := in.isFree(ctx, to, "painted"); err != nil {
		return Result{}, err
	}
	painted, err := in.painter.Paint(ctx, ai.PictureRequest{Prompt: args.Prompt, Shape: args.Shape, MediaType: pictureTypes[path.Ext(to.String())]})
	if err != nil {
		return Result{}, err
	}
	// The answer of a vendor is data of strangers: only a picture is kept, under its own ending.
	picture, err := attachments.Inspect(painted.Data)
	if err != nil || !slices.Contains([]string{"image/png", "image/jpeg", "image/webp"}, picture.MediaType) {
		return Result{}, core.Errorf(core.CodeModelUnavailable, "the model's picture cannot be used, because it is damaged, larger than %d bytes or no PNG, JPEG or WebP: go on without it", core.MaxImageBytes)
	}
	if to, err = in.withEnding(ctx, to, picture.MediaType); err != nil {
		return Result{}, err
	}
	applied, err := in.Apply(ctx, core.FileChange{Op: core.OpWrite, Path: to, Content: picture.Data}, "")
	if err != nil {
		return Result{}, err
	}
	result := changedResult(ctx, in.Project, core.FileChanged{Path: to.String(), Action: applied.Action}, nowWithHash(applied.ETag))
	in.noteMade(ctx, result.Changed)
	result.Text = fmt.Sprintf("%s\nThe picture has %d bytes. %s Give it the alt text %q, and its width and height.", strings.TrimSuffix(result.Text, "\n"), len(picture.Data), addressOf(to), args.Alt)
	return result, nil
}

// withEnding returns the path for a picture of that type: models do not always paint the one that
// was asked for, and a browser believes the ending.
func (in *invocation) withEnding(ctx context.Context, to core.ProjectPath, mediaType string) (core.ProjectPath, error) {
	ending := path.Ext(to.String())
	if pictureTypes[ending] == mediaType {
		return to, nil
	}
	right := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}[mediaType]
	moved, err := core.ParsePath(strings.TrimSuffix(to.String(), ending) + right)
	if err == nil {
		err = in.isFree(ctx, moved, "saved")
	}
	return moved, err
}

// addressOf tells how a page names a picture.
func addressOf(to core.ProjectPath) string {
	if name, public := strings.CutPrefix(to.String(), "public/"); public {
		return "Pages find it at /" + name + "."
	}
	return "Import it where you use it: import picture from './" + strings.TrimPrefix(to.String(), "src/") + "', as seen from src/."
}
