package sitehost

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// asset is one file, ready to be sent. Headers are made once.
type asset struct {
	content   []byte
	immutable bool
	// tag is the opening quote and the hash of the content: every representation's
	// entity tag begins with it.
	tag         string
	contentType []string
	control     []string
	// plain, and below it the compressed forms of what is worth compressing.
	plain  form
	brotli packed
	gzip   packed
}

// form is a representation of an asset.
type form struct {
	body     []byte
	etag     []string
	length   []string
	encoding []string
}

// newAsset makes the asset of a file of a site. control is Cache-Control for a
// file whose name does not change with its content.
func newAsset(name string, content []byte, immutable bool, control []string) *asset {
	sum := sha256.Sum256(content)
	a := &asset{
		content:     content,
		immutable:   immutable,
		tag:         `"` + base64.RawURLEncoding.EncodeToString(sum[:15]),
		contentType: []string{typeOf(name)},
		control:     control,
	}
	if immutable {
		a.control = forEver
	}
	a.plain = a.form(content, nil)
	return a
}

func (a *asset) form(body []byte, encoding []string) form {
	etag := a.tag + `"`
	if encoding != nil {
		etag = a.tag + "-" + encoding[0] + `"`
	}
	return form{body, []string{etag}, []string{strconv.Itoa(len(body))}, encoding}
}

// size is an estimate of the memory that the asset takes: both compressed forms
// together are seldom larger than the content.
func (a *asset) size() int64 {
	if a.compressible() {
		return 2 * int64(len(a.content))
	}
	return int64(len(a.content))
}

// serve sends the asset with status 200, 206 or 304.
func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header["Content-Type"], header["Cache-Control"] = a.contentType, a.control
	compressible := a.compressible()
	if compressible {
		header["Vary"] = byEncoding
	}
	if r.Header.Get("Range") != "" {
		header["Etag"] = a.plain.etag
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(a.content))
		return
	}
	sent := &a.plain
	if compressible {
		sent = a.choose(r.Header.Get("Accept-Encoding"))
	}
	header["Etag"] = sent.etag
	if a.isKnown(r.Header.Get("If-None-Match")) {
		delete(header, "Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	a.send(w, r, sent, http.StatusOK)
}

// serveAs sends the asset as the answer to a request that asked for something
// else.
func (a *asset) serveAs(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	header["Content-Type"], header["Cache-Control"] = a.contentType, noCache
	a.send(w, r, &a.plain, status)
}

func (a *asset) send(w http.ResponseWriter, r *http.Request, sent *form, status int) {
	header := w.Header()
	header["Content-Length"] = sent.length
	if sent.encoding != nil {
		header["Content-Encoding"] = sent.encoding
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		// A client that has gone has no use for an error.
		_, _ = w.Write(sent.body)
	}
}

// isKnown reports whether one of the entity tags that a client has is of this
// content, in whatever encoding: all of them decode to the same.
func (a *asset) isKnown(tags string) bool {
	return tags != "" && (strings.Contains(tags, a.tag) || tags == "*")
}

// typeOf guesses the media type from the name, the same on every machine for what
// sites are made of.
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
