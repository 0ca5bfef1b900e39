package sitehost

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/andybalholm/brotli"
)

const (
	// minCompressed is the least content worth compressing, in bytes: below it the
	// answer fits into one packet either way.
	minCompressed = 512
	// maxAwaited is the largest content, in bytes, whose compression the first
	// request waits for: some tens of milliseconds. Larger ones are compressed
	// behind an answer that goes out as it is.
	maxAwaited = 512 << 10
	// brotliLevel and gzipLevel are near the best: each file is compressed once.
	brotliLevel = 9
	gzipLevel   = gzip.BestCompression
)

// packed is a compressed form that is made when it is first asked for.
type packed struct {
	begun atomic.Bool
	once  sync.Once
	done  atomic.Pointer[form]
}

// compressible reports whether the content is text of some size. What images,
// fonts and archives are made of is compressed already.
func (a *asset) compressible() bool {
	if len(a.content) < minCompressed {
		return false
	}
	kind, _, _ := strings.Cut(a.contentType[0], ";")
	switch kind {
	case "application/json", "application/manifest+json", "application/wasm", "application/xml",
		"image/svg+xml", "font/ttf", "font/otf", "image/x-icon", "application/javascript":
		return true
	}
	return strings.HasPrefix(kind, "text/")
}

// choose returns the form to send to a client that accepts these encodings.
func (a *asset) choose(accepted string) *form {
	brotli, zipped := acceptedEncodings(accepted)
	if brotli {
		if made := a.pack(&a.brotli, brotliCoded); made != nil {
			return made
		}
	}
	if zipped {
		if made := a.pack(&a.gzip, gzipCoded); made != nil {
			return made
		}
	}
	return &a.plain
}

// pack returns the compressed form, or nil while it is not there yet and when it
// would be no smaller.
func (a *asset) pack(p *packed, encoding []string) *form {
	if made := p.done.Load(); made != nil {
		return useful(made)
	}
	if len(a.content) > maxAwaited {
		if p.begun.CompareAndSwap(false, true) {
			go func() { p.done.Store(a.compress(encoding)) }()
		}
		return nil
	}
	p.once.Do(func() { p.done.Store(a.compress(encoding)) })
	return useful(p.done.Load())
}

func useful(made *form) *form {
	if made.body == nil {
		return nil
	}
	return made
}

// compress returns a form without a body when compression gains nothing.
func (a *asset) compress(encoding []string) *form {
	var out bytes.Buffer
	var writer io.WriteCloser = brotli.NewWriterLevel(&out, brotliLevel)
	if encoding[0] == gzipCoded[0] {
		// The level is a valid constant, the only thing that can be wrong.
		writer, _ = gzip.NewWriterLevel(&out, gzipLevel)
	}
	// Writing to memory does not fail.
	_, _ = writer.Write(a.content)
	_ = writer.Close()
	if out.Len() >= len(a.content) {
		return &form{}
	}
	made := a.form(bytes.Clone(out.Bytes()), encoding)
	return &made
}

// acceptedEncodings reads Accept-Encoding, whose members may be refused by a
// weight of zero. A wildcard is not taken as an offer.
func acceptedEncodings(accepted string) (brotli, zipped bool) {
	for accepted != "" {
		var member string
		member, accepted, _ = strings.Cut(accepted, ",")
		coding, weight, _ := strings.Cut(member, ";")
		if isZero(weight) {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(coding)) {
		case "br":
			brotli = true
		case "gzip", "x-gzip":
			zipped = true
		}
	}
	return brotli, zipped
}

// isZero reports whether a weight such as "q=0.000" refuses.
func isZero(weight string) bool {
	value, found := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(weight, " ", "")), "q=")
	return found && strings.Trim(value, "0.") == ""
}
