package sitehost

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/ports/sites"
)

// asset is one file, ready to be sent. Its headers are computed once; its forms are
// loaded into memory on demand.
type asset struct {
	// content is set if the file is in memory anyway, as those of previews are.
	content   []byte
	length    int64
	immutable bool
	// tag is the opening quote and the hash of the content, with which the entity tag of
	// every representation begins.
	tag         string
	contentType []string
	control     []string
	// plain is the uncompressed form. The compressed forms are nil if compression is not
	// worthwhile.
	plain, brotli, gzip *form
	// stream opens content that is too large for memory; otherwise nil.
	stream func(context.Context) (io.ReadSeekCloser, error)
}

// maxHeld is the largest content that is loaded into memory, in bytes. Larger files are
// sent from the disk.
const maxHeld = 4 << 20

// newAsset returns the asset of a file whose content is in memory. control is
// Cache-Control for a file whose name does not change with its content.
func newAsset(name string, content []byte, immutable bool, control []string) *asset {
	sum := sha256.Sum256(content)
	a := describe(sites.Entry{Path: name, Size: int64(len(content)), Immutable: immutable}, sum[:], control)
	a.content = content
	a.plain = pinned(a.tag, content)
	if sites.Packable(name, a.length) {
		a.brotli, a.gzip = quickForm(a.tag, content, sites.Brotli), quickForm(a.tag, content, sites.Gzip)
	}
	return a
}

// describe returns an asset without its forms.
func describe(entry sites.Entry, sum []byte, control []string) *asset {
	a := &asset{
		length:      entry.Size,
		immutable:   entry.Immutable,
		tag:         `"` + base64.RawURLEncoding.EncodeToString(sum[:15]),
		contentType: []string{typeOf(entry.Path)},
		control:     control,
	}
	if entry.Immutable {
		a.control = forEver
	}
	return a
}

// isPage reports whether the asset is a page that people open.
func (a *asset) isPage() bool { return a.contentType[0] == mediaTypes[".html"] }

// assetBytes is an estimate of the memory of an asset without its content.
const assetBytes = 600

// size is an estimate of the memory that the asset takes for its whole life.
func (a *asset) size() int64 { return assetBytes + int64(len(a.content)) }

// serve sends the asset with status 200, 206 or 304.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	a.announce(header)
	if r.Header.Get("Range") != "" || a.stream != nil {
		a.servePart(w, r)
		return
	}
	sent, body, err := a.choose(r.Context(), r.Header.Get("Accept-Encoding"))
	if err != nil {
		a.fail(w, r)
		return
	}
	if a.isKnown(r.Header.Get("If-None-Match")) {
		header["Etag"] = sent.etag
		delete(header, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	sent.announce(header, body)
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		// Nobody is left to tell when the client is gone.
		_, _ = w.Write(body.content)
	}
}

// announce sets the headers that all representations of the asset share.
func (a *asset) announce(header http.Header) {
	header["Content-Type"], header["Cache-Control"] = a.contentType, a.control
	if a.brotli != nil {
		header["Vary"] = byEncoding
	}
}

// servePart lets the standard library handle range and conditional requests.
func (a *asset) servePart(w http.ResponseWriter, r *http.Request) {
	w.Header()["Etag"] = []string{a.tag + `"`}
	content, err := a.open(r.Context())
	if err != nil {
		a.fail(w, r)
		return
	}
	defer content.Close()
	http.ServeContent(w, r, "", time.Time{}, content)
}

func (a *asset) open(ctx context.Context) (io.ReadSeekCloser, error) {
	if a.stream != nil {
		return a.stream(ctx)
	}
	body, err := a.plain.get(ctx)
	if err != nil {
		return nil, err
	}
	return inMemory{bytes.NewReader(body.content)}, nil
}

// inMemory is a content that needs no closing.
type inMemory struct{ *bytes.Reader }

// Close implements io.Closer.
func (inMemory) Close() error { return nil }

// serveAs sends the asset in answer to a request for something else.
func (a *asset) serveAs(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	header["Content-Type"], header["Cache-Control"] = a.contentType, noCache
	content, err := a.open(r.Context())
	if err != nil {
		a.fail(w, r)
		return
	}
	defer content.Close()
	if length, err := content.Seek(0, io.SeekEnd); err == nil {
		header.Set("Content-Length", strconv.FormatInt(length, 10))
	}
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		a.fail(w, r)
		return
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		// Nobody is left to tell when the client is gone.
		_, _ = io.Copy(w, content)
	}
}

// fail answers that the content cannot be read at the moment.
func (a *asset) fail(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"Etag", "Vary"} {
		w.Header().Del(name)
	}
	w.Header().Set("Retry-After", "5")
	showNotice(w, r, http.StatusServiceUnavailable, unavailable())
}

// isKnown reports whether one of the client's entity tags belongs to this content, in any
// encoding: all of them decode to the same.
func (a *asset) isKnown(tags string) bool {
	return tags != "" && (strings.Contains(tags, a.tag) || tags == "*")
}

// typeOf derives the media type from the name. For the usual files of sites the result is
// the same on every machine.
func typeOf(name string) string {
	ext := strings.ToLower(path.Ext(name))
	if known, found := mediaTypes[ext]; found {
		return known
	}
	if guessed := mime.TypeByExtension(ext); guessed != "" {
		return guessed
	}
	return "application/octet-stream"
}

var mediaTypes = map[string]string{
	".avif":        "image/avif",
	".css":         "text/css; charset=utf-8",
	".gif":         "image/gif",
	".htm":         "text/html; charset=utf-8",
	".html":        "text/html; charset=utf-8",
	".ico":         "image/x-icon",
	".jpeg":        "image/jpeg",
	".jpg":         "image/jpeg",
	".js":          "text/javascript; charset=utf-8",
	".json":        "application/json",
	".map":         "application/json",
	".md":          "text/markdown; charset=utf-8",
	".mjs":         "text/javascript; charset=utf-8",
	".mp3":         "audio/mpeg",
	".mp4":         "video/mp4",
	".otf":         "font/otf",
	".pdf":         "application/pdf",
	".png":         "image/png",
	".svg":         "image/svg+xml",
	".ttf":         "font/ttf",
	".txt":         "text/plain; charset=utf-8",
	".wasm":        "application/wasm",
	".wav":         "audio/wav",
	".webm":        "video/webm",
	".webmanifest": "application/manifest+json",
	".webp":        "image/webp",
	".woff":        "font/woff",
	".woff2":       "font/woff2",
	".xml":         "application/xml",
}
