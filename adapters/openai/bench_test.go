package openai_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// BenchmarkStream reads an answer of 3,000 chunks.
func BenchmarkStream(b *testing.B) {
	stream := strings.Repeat("data: "+hello+"\n\n", 3000) + data(finished, done)
	vendor := aitest.CannedTransport{Status: http.StatusOK, Body: func(*http.Request) io.Reader { return strings.NewReader(stream) }}
	provider, err := openAt(vendor.Client())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(stream)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := provider.Generate(b.Context(), ai.Request{}, func(ai.Chunk) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
