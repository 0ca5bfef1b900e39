package attachments_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
)

func dataURL(data []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// load loads one attachment of the type image.
func load(t testing.TB, guard *memory.Guard, url string) ([]core.Image, error) {
	t.Helper()
	return attachments.NewLoader(guard).Load(t.Context(), []attachments.Source{attachments.Parse([]byte(url)).OfType("image")})
}

func TestADataURLIsWhatItsDataSays(t *testing.T) {
	text := base64.StdEncoding.EncodeToString(jpegOf(t, 40, 30))
	for _, head := range []string{
		"data:image/jpeg;base64,", "data:image/png;base64,", "data:;base64,", "DATA:text/html;charset=utf-8;BASE64,", "data:image/svg+xml;base64,",
	} {
		images, err := load(t, memory.NewGuard(), head+text)
		if err != nil || len(images) != 1 || images[0].MediaType != "image/jpeg" || len(images[0].Data) == 0 {
			t.Errorf("%s: got %d images, %v, want one JPEG", head, len(images), err)
		}
	}
}

func TestADataURLOfAnythingElseIsRefused(t *testing.T) {
	good := base64.StdEncoding.EncodeToString(bytes.Repeat(pngOf(t, 3, 3), 3))
	for name, url := range map[string]string{
		"nothing":             "",
		"only the scheme":     "data:",
		"no data":             "data:image/png;base64,",
		"no comma":            "data:image/png;base64" + good,
		"no base64":           "data:image/png," + good,
		"base64 as a type":    "data:base64," + good,
		"percent-encoded":     "data:image/png;base64," + strings.ReplaceAll(good, "+", "%2B") + "%3D",
		"url-safe base64":     "data:image/png;base64," + strings.NewReplacer("+", "-", "/", "_").Replace(good),
		"no padding":          "data:image/png;base64," + strings.TrimRight(base64.StdEncoding.EncodeToString(pngOf(t, 5, 3)), "=") + "A",
		"a line break":        "data:image/png;base64," + good[:20] + "\n" + good[20:],
		"a space":             "data:image/png;base64, " + good,
		"loose bits":          "data:image/png;base64,iVBORw0KGgp=",
		"no base64 at all":    "data:image/png;base64,~~~~",
		"a text":              "data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte("hello there, this is text")),
		"a page":              "data:image/jpeg;base64," + base64.StdEncoding.EncodeToString([]byte("<html></html>")),
		"an SVG":              "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString([]byte("<svg xmlns='http://www.w3.org/2000/svg'/>")),
		"5 MiB and one byte":  dataURL(append(pngOf(t, 8, 8), make([]byte, core.MaxImageBytes)...)[:core.MaxImageBytes+1]),
		"far more than 5 MiB": "data:image/png;base64," + strings.Repeat("AAAA", core.MaxImageBytes),
		"an endless head":     "data:image/png;" + strings.Repeat("x", 1<<20) + ";base64," + good,
	} {
		_, err := load(t, memory.NewGuard(), url)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "attachments[0].url") {
			t.Errorf("%s: got %v, want code validation_failed and the member's name", name, err)
		}
	}
}

func TestFiveMiBAreTaken(t *testing.T) {
	data := append(pngOf(t, 8, 8), make([]byte, core.MaxImageBytes)...)[:core.MaxImageBytes]
	images, err := load(t, memory.NewGuard(), dataURL(data))
	if err != nil || !bytes.Equal(images[0].Data, data) {
		t.Errorf("got %v, want the image", err)
	}
}

func TestParseKeepsNothingOfItsText(t *testing.T) {
	data := pngOf(t, 3, 3)
	for _, url := range []string{dataURL(data), "https://images.example.com/a.png"} {
		text := []byte(url)
		source := attachments.Parse(text)
		clear(text)
		guard := memory.NewGuard().Handle("images.example.com", serving(data))
		images, err := attachments.NewLoader(guard).Load(t.Context(), []attachments.Source{source})
		if err != nil || !bytes.Equal(images[0].Data, data) {
			t.Errorf("%.40s: got %v, want the image", url, err)
		}
	}
}

func TestTheAttachmentThatIsWrongIsNamed(t *testing.T) {
	good := []byte(dataURL(pngOf(t, 3, 3)))
	loader := attachments.NewLoader(memory.NewGuard())
	for want, wrong := range map[string]attachments.Source{
		"attachments[2].type must":      attachments.Parse(good).OfType("file"),
		"attachments[2].url must be":    attachments.Parse([]byte("images.example.com/a.png")),
		"attachments[2].url: the data":  attachments.Parse([]byte("data:image/png;base64,AAAA")),
		"attachments[2].url must have":  attachments.Parse([]byte("https://images.example.com/" + strings.Repeat("a", 8192))),
		"attachments[2].url must be ba": attachments.Parse([]byte("data:image/png,AAAA")),
	} {
		sources := []attachments.Source{attachments.Parse(good), attachments.Parse(good), wrong}
		_, err := loader.Load(t.Context(), sources)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want code validation_failed and %q", err, want)
		}
	}
}

func TestAMessageHasEightImagesAtMost(t *testing.T) {
	loader, good := attachments.NewLoader(memory.NewGuard()), attachments.Parse([]byte(dataURL(pngOf(t, 3, 3))))
	var sources []attachments.Source
	for want := range 9 {
		images, err := loader.Load(t.Context(), sources)
		if err != nil || len(images) != want {
			t.Errorf("got %d images, %v, want %d", len(images), err, want)
		}
		sources = append(sources, good)
	}
	_, err := loader.Load(t.Context(), sources)
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "at most 8") {
		t.Errorf("nine: got %v, want code validation_failed", err)
	}
}

// FuzzParse checks that every accepted data URL holds an image.
func FuzzParse(f *testing.F) {
	f.Add(dataURL(pngOf(f, 3, 3)))
	f.Add("data:,")
	f.Add("DATA:;;;base64,====")
	f.Add("data:image/png;base64," + strings.Repeat("\r\n", 300))
	f.Fuzz(func(t *testing.T, url string) {
		images, err := load(t, memory.NewGuard(), url)
		if err != nil {
			return
		}
		if _, err := attachments.Inspect(images[0].Data); err != nil {
			t.Errorf("got %v, want an image", err)
		}
	})
}
