package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"path"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/modelhttp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

var _ ai.Painter = (*Provider)(nil)

// imageRequest is the body of images/generations.
type imageRequest struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"`
	N      int    `json:"n"`
	Size   string `json:"size,omitempty"`
	// AspectRatio takes the place of Size for xAI's models.
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Quality and OutputFormat are only for GPT Image models, which always answer with the
	// bytes and refuse ResponseFormat. All others need it, or they answer with an address.
	Quality        string `json:"quality,omitempty"`
	OutputFormat   string `json:"output_format,omitempty"`
	ResponseFormat string `json:"response_format,omitempty"`
}

// imageAnswer is what images/generations answers.
type imageAnswer struct {
	Data []struct {
		Base64 string `json:"b64_json"`
	} `json:"data"`
	Usage struct {
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
	} `json:"usage"`
}

// PaintingModels implements ai.Painter: all models that the server lists.
func (p *Provider) PaintingModels(ctx context.Context) ([]string, error) {
	entries, err := p.entries(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.ID
	}
	return names, nil
}

// Paint implements ai.Painter.
func (p *Provider) Paint(ctx context.Context, req ai.PictureRequest) (ai.Image, core.Usage, error) {
	var answer imageAnswer
	began, err := p.caller.Answer(ctx, modelhttp.Call{Path: "images/generations", Body: newImageRequest(req), Model: req.Model}, &answer)
	if !began {
		return ai.Image{}, core.Usage{}, err
	}
	used := core.Usage{InputTokens: max(answer.Usage.Input, 0), OutputTokens: max(answer.Usage.Output, 0), Images: 1}
	if err != nil {
		return ai.Image{}, used, err
	}
	if len(answer.Data) == 0 || answer.Data[0].Base64 == "" {
		return ai.Image{}, used, noPicture("the provider's answer has no picture in it")
	}
	data, err := base64.StdEncoding.DecodeString(answer.Data[0].Base64)
	kind := pictureType(data)
	if err != nil || kind == "" {
		return ai.Image{}, used, noPicture("the provider's picture is neither PNG, JPEG nor WebP")
	}
	return ai.Image{MediaType: kind, Data: data}, used, nil
}

func newImageRequest(req ai.PictureRequest) imageRequest {
	body := imageRequest{Model: req.Model, Prompt: req.Prompt, N: 1}
	switch name := path.Base(strings.ToLower(req.Model)); {
	case strings.HasPrefix(name, "gpt-image"):
		body.Size, body.Quality = sizeOf(req.Shape, "1536x1024", "1024x1536"), "medium"
		body.OutputFormat = strings.TrimPrefix(req.MediaType, "image/")
	case strings.HasPrefix(name, "grok"):
		body.AspectRatio, body.ResponseFormat = aspectOf(req.Shape), "b64_json"
	case strings.HasPrefix(name, "dall-e-3"):
		body.Size, body.ResponseFormat = sizeOf(req.Shape, "1792x1024", "1024x1792"), "b64_json"
	default:
		body.Size, body.ResponseFormat = sizeOf(req.Shape, "1536x1024", "1024x1536"), "b64_json"
	}
	return body
}

func sizeOf(shape ai.Shape, landscape, portrait string) string {
	switch shape {
	case ai.Landscape:
		return landscape
	case ai.Portrait:
		return portrait
	}
	return "1024x1024"
}

func aspectOf(shape ai.Shape) string {
	switch shape {
	case ai.Landscape:
		return "3:2"
	case ai.Portrait:
		return "2:3"
	}
	return "1:1"
}

func noPicture(text string) error {
	return &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "%s", text), Cause: core.FailureProvider}
}

// pictureType is the media type that the first bytes tell, "" for anything but a picture for the web.
func pictureType(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}
