package attachments_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
)

// The WebP images of one pixel: the standard library writes none.
const (
	webPLossy    = "UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAwA0JaQAA3AA/vuUAAA="
	webPLossless = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="
	webPAlpha    = "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=="
	webPAnimated = "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA"
)

func picture(width, height int) image.Image {
	drawn := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		drawn.Set(i%width, i/width, color.RGBA{uint8(i), uint8(i * 7), uint8(i >> 3), 255})
	}
	return drawn
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func pngOf(t testing.TB, width, height int) []byte {
	return encoded(t, func(out *bytes.Buffer) error { return png.Encode(out, picture(width, height)) })
}

func jpegOf(t testing.TB, width, height int) []byte {
	return encoded(t, func(out *bytes.Buffer) error { return jpeg.Encode(out, picture(width, height), nil) })
}

func gifOf(t testing.TB, width, height int) []byte {
	return encoded(t, func(out *bytes.Buffer) error { return gif.Encode(out, picture(width, height), nil) })
}

func webP(t testing.TB, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// goodImages are complete images by name, with their media types.
func goodImages(t testing.TB) map[string]core.Image {
	padded := append(jpegOf(t, 40, 30), make([]byte, 64)...)
	stray := jpegOf(t, 40, 30)
	stray = append(stray[:2:2], append([]byte{0xff, 0xff}, stray[2:]...)...)
	return map[string]core.Image{
		"png":                     {MediaType: "image/png", Data: pngOf(t, 40, 30)},
		"png of the largest side": {MediaType: "image/png", Data: pngOf(t, 16_384, 1)},
		"jpeg":                    {MediaType: "image/jpeg", Data: jpegOf(t, 40, 30)},
		"jpeg with padding":       {MediaType: "image/jpeg", Data: padded},
		"jpeg with filled gaps":   {MediaType: "image/jpeg", Data: stray},
		"gif":                     {MediaType: "image/gif", Data: gifOf(t, 40, 30)},
		"lossy webp":              {MediaType: "image/webp", Data: webP(t, webPLossy)},
		"lossless webp":           {MediaType: "image/webp", Data: webP(t, webPLossless)},
		"webp with alpha":         {MediaType: "image/webp", Data: webP(t, webPAlpha)},
		"animated webp":           {MediaType: "image/webp", Data: webP(t, webPAnimated)},
	}
}

func TestImagesAreToldByTheirData(t *testing.T) {
	for name, want := range goodImages(t) {
		got, err := attachments.Inspect(want.Data)
		if err != nil || got.MediaType != want.MediaType || !bytes.Equal(got.Data, want.Data) {
			t.Errorf("%s: got %s of %d bytes, %v, want %s of %d", name, got.MediaType, len(got.Data), err, want.MediaType, len(want.Data))
		}
	}
}

// TestAnImageThatIsCutOffIsRefused cuts every image at every length at which the
// first picture is incomplete.
func TestAnImageThatIsCutOffIsRefused(t *testing.T) {
	for name, whole := range goodImages(t) {
		if name == "jpeg with padding" || len(whole.Data) > 10_000 {
			continue
		}
		// A GIF is followed by one byte, its trailer, which readers do not need.
		needed := len(whole.Data)
		if whole.MediaType == "image/gif" {
			needed--
		}
		for length := range needed {
			if _, err := attachments.Inspect(whole.Data[:length]); !core.IsCode(err, core.CodeValidationFailed) {
				t.Fatalf("%s cut at %d of %d: got %v, want code validation_failed", name, length, needed, err)
			}
		}
	}
}

// resized writes another size into the header of a PNG, and its checksum.
func resized(t testing.TB, width, height uint32) []byte {
	data := pngOf(t, 1, 1)
	binary.BigEndian.PutUint32(data[16:], width)
	binary.BigEndian.PutUint32(data[20:], height)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(data[12:29]))
	return data
}

// enlarged writes another size into the header of a file with more than one chunk.
func enlarged(t testing.TB, text string, width, height byte) []byte {
	data := webP(t, text)
	data[26], data[29] = width, height
	return data
}

func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 0xff
	return data
}

func TestWhatIsNoImageIsRefused(t *testing.T) {
	tall := webP(t, webPLossy)
	tall[26] = 0xff // 255 pixels wide, in a file of one chunk: what the picture says counts.
	inner := webP(t, webPAlpha)
	inner[len(inner)-18] = 9
	for name, refused := range map[string]struct {
		data []byte
		says string
	}{
		"nothing":                      {nil, "not a PNG"},
		"a text":                       {[]byte("hello, this is a text"), "not a PNG"},
		"a page":                       {[]byte("<!doctype html><html><body>hi</body></html>"), "not a PNG"},
		"an SVG":                       {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "not a PNG"},
		"a BMP":                        {append([]byte("BM"), make([]byte, 100)...), "not a PNG"},
		"another RIFF":                 {[]byte("RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00"), "not a PNG"},
		"only a PNG's signature":       {[]byte("\x89PNG\r\n\x1a\n"), "header is damaged"},
		"a text that begins as a PNG":  {[]byte("\x89PNG\r\n\x1a\n" + strings.Repeat("not a picture ", 20)), "header is damaged"},
		"a text that begins as a JPEG": {[]byte("\xff\xd8\xff" + strings.Repeat("not a picture ", 20)), "header is damaged"},
		"a text that begins as a GIF":  {[]byte("GIF89a" + strings.Repeat("not a picture ", 20)), "pixels"},
		"a text that begins as a WebP": {[]byte("RIFF\x20\x00\x00\x00WEBPVP8 \x10\x00\x00\x00" + strings.Repeat("x", 40)), "header is damaged"},
		"a PNG with damaged pixels":    {flipped(pngOf(t, 40, 30), 60), "truncated or damaged"},
		"a PNG of nothing":             {resized(t, 0, 1), "header is damaged"},
		"a PNG that is too wide":       {resized(t, 16_385, 1), "pixels"},
		"a PNG that is too high":       {resized(t, 1, 16_385), "pixels"},
		"a PNG of too many pixels":     {resized(t, 10_001, 10_000), "pixels"},
		"a PNG of far too many":        {resized(t, 1<<31-1, 1<<31-1), ""},
		"a WebP of too many pixels":    {enlarged(t, webPAlpha, 0xff, 0xff), "pixels"},
		"a WebP larger than its file":  {inner, "truncated or damaged"},
	} {
		_, err := attachments.Inspect(refused.data)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), refused.says) {
			t.Errorf("%s: got %v, want code validation_failed and %q", name, err, refused.says)
		}
	}
	if _, err := attachments.Inspect(tall); err != nil {
		t.Errorf("a wide picture: got %v, want nil", err)
	}
}

// TestASizeIsTakenUpToItsBounds covers images at the bounds, whose size is checked
// before their completeness.
func TestASizeIsTakenUpToItsBounds(t *testing.T) {
	if _, err := attachments.Inspect(resized(t, 10_000, 10_000)); err != nil {
		t.Errorf("100 million pixels: got %v, want nil", err)
	}
	large := append(pngOf(t, 8, 8), make([]byte, core.MaxImageBytes)...)
	if _, err := attachments.Inspect(large[:core.MaxImageBytes]); err != nil {
		t.Errorf("5 MiB: got %v, want nil", err)
	}
	_, err := attachments.Inspect(large[:core.MaxImageBytes+1])
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "5 MiB") {
		t.Errorf("5 MiB and a byte: got %v, want code validation_failed", err)
	}
}

// FuzzInspect compares accepted images with what the standard library reads.
func FuzzInspect(f *testing.F) {
	for _, good := range goodImages(f) {
		f.Add(good.Data)
	}
	f.Add(resized(f, 10_000, 10_000))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := attachments.Inspect(data)
		if err != nil {
			if !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("got %v, want code validation_failed", err)
			}
			return
		}
		if !bytes.Equal(got.Data, data) {
			t.Error("got other data than was given")
		}
		if got.MediaType == "image/webp" {
			return
		}
		config, kind, err := image.DecodeConfig(bytes.NewReader(data))
		if err != nil || "image/"+kind != got.MediaType || config.Width*config.Height > 100_000_000 {
			t.Errorf("got %s, want %s of %v, %v", got.MediaType, kind, config, err)
		}
	})
}
