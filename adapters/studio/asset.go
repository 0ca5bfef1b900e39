package studio

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/ports/sites"
)

// asset is one file of the build. Its compressed forms are made on first use.
type asset struct {
	name, kind, caching, tag string
	plain                    []byte
	brotli, gzip             func() []byte
}

func newAsset(name string, content []byte) *asset {
	digest := sha256.Sum256(content)
	caching := "no-cache"
	// Names below assets contain the digest of the content.
	if strings.HasPrefix(name, "assets/") {
		caching = "public, max-age=31536000, immutable"
	}
	return &asset{
		name: name, kind: kindOf(name), caching: caching, plain: content,
		tag:    base64.RawURLEncoding.EncodeToString(digest[:12]),
		brotli: sync.OnceValue(func() []byte { return compress.Form(content, sites.Brotli, compress.Once) }),
		gzip:   sync.OnceValue(func() []byte { return compress.Form(content, sites.Gzip, compress.Once) }),
	}
}

func kindOf(name string) string {
	switch extension := path.Ext(name); extension {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".woff2":
		return "font/woff2"
	case ".webmanifest":
		return "application/manifest+json"
	default:
		if kind := mime.TypeByExtension(extension); kind != "" {
			return kind
		}
		return "application/octet-stream"
	}
}

func (a *asset) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", a.kind)
	header.Set("Cache-Control", a.caching)
	header.Set("Vary", "Accept-Encoding")
	body, encoding := a.form(r.Header.Get("Accept-Encoding"))
	tag := a.tag
	if encoding != "" {
		header.Set("Content-Encoding", encoding)
		tag += "-" + encoding
	}
	header.Set("ETag", `"`+tag+`"`)
	http.ServeContent(w, r, a.name, time.Time{}, bytes.NewReader(body))
}

// form returns the smallest form that a client accepts, and its encoding, "" for none.
func (a *asset) form(accepted string) ([]byte, string) {
	brotli, zipped := compress.Accepted(accepted)
	if brotli {
		if form := a.brotli(); form != nil {
			return form, "br"
		}
	}
	if zipped {
		if form := a.gzip(); form != nil {
			return form, "gzip"
		}
	}
	return a.plain, ""
}
