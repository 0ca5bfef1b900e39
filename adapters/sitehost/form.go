package sitehost

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/atelierhq/atelier/adapters/internal/compress"
	"github.com/atelierhq/atelier/ports/sites"
)

// form is a representation of an asset. Its body may be evicted at any time, and is then
// read again on demand.
type form struct {
	etag     []string
	encoding []string
	// read loads the body; a nil body means that there is no such form yet. cache counts
	// the body while it is in memory. A pinned form has neither.
	read  func(context.Context) ([]byte, error)
	cache *bodyCache

	cached  atomic.Pointer[cachedBody]
	reading sync.Mutex
}

// cachedBody is a body in memory, which is immutable. used is set whenever it is sent.
type cachedBody struct {
	content []byte
	length  []string
	used    atomic.Bool
}

func newCachedBody(body []byte) *cachedBody {
	return &cachedBody{content: body, length: []string{strconv.Itoa(len(body))}}
}

// pinned returns the form of a content that is in memory anyway.
func pinned(tag string, content []byte) *form {
	f := newForm(tag, "", nil, nil)
	f.cached.Store(newCachedBody(content))
	return f
}

// quickForm returns a compressed form that is made on first use and lives as long as its
// asset.
func quickForm(tag string, content []byte, as sites.Encoding) *form {
	return newForm(tag, as, nil, func(context.Context) ([]byte, error) {
		return compress.Form(content, as, compress.Quick), nil
	})
}

func newForm(tag string, as sites.Encoding, cache *bodyCache, read func(context.Context) ([]byte, error)) *form {
	f := &form{etag: []string{tag + `"`}, cache: cache, read: read}
	if as != "" {
		f.etag, f.encoding = []string{tag + "-" + string(as) + `"`}, []string{string(as)}
	}
	return f
}

// get returns the body, and reads it if needed: once for all concurrent callers (single
// flight).
func (f *form) get(ctx context.Context) (*cachedBody, error) {
	if body := f.cached.Load(); body != nil {
		if !body.used.Load() {
			body.used.Store(true)
		}
		return body, nil
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	if body := f.cached.Load(); body != nil {
		return body, nil
	}
	content, err := f.read(ctx)
	if err != nil || content == nil {
		return nil, err
	}
	body := newCachedBody(content)
	f.cached.Store(body)
	if f.cache != nil {
		f.cache.keep(f, int64(len(content)))
	}
	return body, nil
}

// announce sets the headers of a representation that is sent whole.
func (f *form) announce(header http.Header, body *cachedBody) {
	header["Etag"], header["Content-Length"] = f.etag, body.length
	if f.encoding != nil {
		header["Content-Encoding"] = f.encoding
	}
}

// choose returns the smallest form that a client accepts.
func (a *asset) choose(ctx context.Context, accepted string) (*form, *cachedBody, error) {
	if a.brotli != nil && accepted != "" {
		brotli, zipped := compress.Accepted(accepted)
		for _, offer := range []struct {
			wanted bool
			form   *form
		}{{brotli, a.brotli}, {zipped, a.gzip}} {
			if !offer.wanted {
				continue
			}
			// Without a compressed form, the plain content is sent.
			if body, err := offer.form.get(ctx); err == nil && body != nil && len(body.content) > 0 {
				return offer.form, body, nil
			}
		}
	}
	body, err := a.plain.get(ctx)
	return a.plain, body, err
}
