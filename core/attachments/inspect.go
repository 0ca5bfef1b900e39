package attachments

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"github.com/atelierhq/atelier/core"
)

// Bounds of an image's size in pixels: a small file can hold an image that takes
// gigabytes to decode.
const (
	maxSide   = 16_384
	maxPixels = 100_000_000
)

// format is one kind of image.
type format struct {
	mediaType string
	// begins recognises it by its first bytes.
	begins func(data []byte) bool
	// config reads its header.
	config func(data io.Reader) (image.Config, error)
	// whole walks over its parts, and reports whether the first picture is
	// complete. It only gets data that config could read.
	whole func(data []byte) bool
}

// formats are the formats that models of every vendor can see.
func formats() []format {
	return []format{
		{"image/png", hasPrefix("\x89PNG\r\n\x1a\n"), png.DecodeConfig, wholePNG},
		{"image/jpeg", hasPrefix("\xff\xd8\xff"), jpeg.DecodeConfig, wholeJPEG},
		{"image/gif", hasPrefix("GIF8"), gif.DecodeConfig, wholeGIF},
		{"image/webp", isWebP, webPConfig, wholeWebP},
	}
}

func hasPrefix(magic string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }
}

// Inspect identifies the image in data, from nothing but the data. It accepts PNG,
// JPEG, GIF and WebP images of at most 5 MiB, 16,384 pixels a side and 100 million
// pixels in all. The header must be valid and nothing may be cut off, because some
// servers of models crash on such images. It does not decode the pixels. Everything
// else has code core.CodeValidationFailed.
func Inspect(data []byte) (core.Image, error) {
	if len(data) > core.MaxImageBytes {
		return core.Image{}, tooLarge()
	}
	for _, format := range formats() {
		if format.begins(data) {
			return core.Image{MediaType: format.mediaType, Data: data}, format.check(data)
		}
	}
	return core.Image{}, refuse("url: the data is not a PNG, JPEG, GIF or WebP image")
}

func (f format) check(data []byte) error {
	config, err := f.config(bytes.NewReader(data))
	if err != nil {
		return core.Wrap(core.CodeValidationFailed, err, "url: the data looks like %s, but its header is damaged", f.mediaType)
	}
	width, height := config.Width, config.Height
	if width < 1 || height < 1 || width > maxSide || height > maxSide || width*height > maxPixels {
		return refuse("url: the image has %d × %d pixels, and must have 1 to %d on each side and at most %d in total", width, height, maxSide, maxPixels)
	}
	if !f.whole(data) {
		return refuse("url: the data looks like %s, but is truncated or damaged", f.mediaType)
	}
	return nil
}
