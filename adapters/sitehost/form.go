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
	// read loads the body; a nil body means that there is no such form yet. memory counts
	// the body while it is held. A pinned form has neither.
	read   func(context.Context) ([]byte, error)
	memory *memory

	now     atomic.Pointer[held]
	reading sync.Mutex
}

// held is a body in memory, which is immutable. used is set whenever it is sent.
type held struct {
	body   []byte
	length []string
	used   atomic.Bool
	// head is computed by headOnce.
	head atomic.Pointer[[]byte]
}

func newHeld(body []byte) *held {
	return &held{body: body, length: []string{strconv.Itoa(len(body))}}
}

// pinned returns the form of a content that is in memory anyway.
func pinned(tag string, content []byte) *form {
	f := newForm(tag, "", nil, nil)
	f.now.Store(newHeld(content))
	return f
}

// quickForm returns a compressed form that is made on first use and lives as long as its
// asset.
func quickForm(tag string, content []byte, as sites.Encoding) *form {
	return newForm(tag, as, nil, func(context.Context) ([]byte, error) {
		return compress.Form(content, as, compress.Quick), nil
	})
}

func newForm(tag string, as sites.Encoding, memory *memory, read func(context.Context) ([]byte, error)) *form {
	f := &form{etag: []string{tag + `"`}, memory: memory, read: read}
	if as != "" {
		f.etag, f.encoding = []string{tag + "-" + string(as) + `"`}, []string{string(as)}
	}
	return f
}

// get returns the body, and reads it if needed: once for all concurrent callers (single
// flight).
func (f *form) get(ctx context.Context) (*held, error) {
	if now := f.now.Load(); now != nil {
		if !now.used.Load() {
			now.used.Store(true)
		}
		return now, nil
	}
	f.reading.Lock()
	defer f.reading.Unlock()
	if now := f.now.Load(); now != nil {
		return now, nil
	}
	body, err := f.read(ctx)
	if err != nil || body == nil {
		return nil, err
	}
	now := newHeld(body)
	f.now.Store(now)
	if f.memory != nil {
		f.memory.keep(f, int64(len(body)))
	}
	return now, nil
}

// announce sets the headers of a representation that is sent whole.
func (f *form) announce(header http.Header, body *held) {
	header["Etag"], header["Content-Length"] = f.etag, body.length
	if f.encoding != nil {
		header["Content-Encoding"] = f.encoding
	}
}

// choose returns the smallest form that a client accepts.
func (a *asset) choose(ctx context.Context, accepted string) (*form, *held, error) {
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
			if now, err := offer.form.get(ctx); err == nil && now != nil && len(now.body) > 0 {
				return offer.form, now, nil
			}
		}
	}
	now, err := a.plain.get(ctx)
	return a.plain, now, err
}
