// Package compress makes the compressed forms in which sites and previews are
// sent.
package compress

import (
	"bytes"
	"compress/gzip"
	"io"

	"github.com/andybalholm/brotli"

	"github.com/atelierhq/atelier/ports/sites"
)

// Effort says how long compression may take.
type Effort int

// The efforts. Once is for content that is sent many times, Quick for content for which a
// client waits.
const (
	Quick Effort = iota
	Once
)

// levels are those of brotli and gzip. Brotli's above 9 take ten times as long
// and gain a few percent.
var levels = map[Effort]struct{ brotli, gzip int }{
	Quick: {1, 2},
	Once:  {9, gzip.BestCompression},
}

// onceWindow is brotli's window in bits for the effort Once. The library sizes its tables by
// the window, not by the content: its default of 22 bits takes 35 MB for each file and twice
// the time, and saves 0.8 % of the bytes.
const onceWindow = 16

// Form returns content in an encoding, or nil if that would be no smaller.
func Form(content []byte, as sites.Encoding, effort Effort) []byte {
	var out bytes.Buffer
	writer := newWriter(&out, as, effort)
	// Writing to memory never fails.
	_, _ = writer.Write(content)
	_ = writer.Close()
	if out.Len() >= len(content) {
		return nil
	}
	return bytes.Clone(out.Bytes())
}

func newWriter(out io.Writer, as sites.Encoding, effort Effort) io.WriteCloser {
	if as == sites.Brotli {
		options := brotli.WriterOptions{Quality: levels[effort].brotli}
		if effort == Once {
			options.LGWin = onceWindow
		}
		return brotli.NewWriterOptions(out, options)
	}
	// The level is a valid constant, so this never fails.
	writer, _ := gzip.NewWriterLevel(out, levels[effort].gzip)
	return writer
}
