package compress_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/ports/sites"
)

func TestFormsDecodeToTheContent(t *testing.T) {
	content := []byte(strings.Repeat("body { margin: 0 } ", 1000))
	for _, effort := range []compress.Effort{compress.Quick, compress.Once} {
		for as, open := range map[sites.Encoding]func(io.Reader) (io.Reader, error){
			sites.Brotli: func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
			sites.Gzip:   func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		} {
			form := compress.Form(content, as, effort)
			reader, err := open(bytes.NewReader(form))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(reader)
			if err != nil || !bytes.Equal(got, content) || len(form) > len(content)/10 {
				t.Errorf("%s: got %d bytes of %d, %v, want the content in a tenth of its size", as, len(got), len(form), err)
			}
		}
	}
}

func TestWhatGainsNothingHasNoForm(t *testing.T) {
	for _, content := range []string{"", "x", "\x00\xff\x17"} {
		if form := compress.Form([]byte(content), sites.Gzip, compress.Once); form != nil {
			t.Errorf("%q: got %d bytes, want none", content, len(form))
		}
	}
}

// TestAFormTakesLittleMemory compresses content of the size of the largest bundles.
func TestAFormTakesLittleMemory(t *testing.T) {
	content := []byte(strings.Repeat("body { margin: 0 } ", 20_000))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	compress.Form(content, sites.Brotli, compress.Once)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("got %d bytes for one form of %d, want less than 8 MiB", got, len(content))
	}
}
