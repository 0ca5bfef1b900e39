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

// form is a representation of an asset. What it holds may be given back at any
// time, and is read again when it is asked for.
type form struct {
	etag     []string
	encoding []string
	// read brings the body; nil says that there is no such form yet. memory is
	// where it counts while it is held; a pinned form has neither.
	read   func(context.Context) ([]byte, error)
	memory *memory

	now     atomic.Pointer[held]
	reading sync.Mutex
}

// held is a body in memory, which nobody changes. used is set whenever it is
// sent.
type held struct {
	body   []byte
	length []string
	used   atomic.Bool
	// head is made by headOnce.
	head atomic.Pointer[[]byte]
}

func newHeld(body []byte) *held {
	return &held{body: body, length: []string{strconv.Itoa(len(body))}}
}

// pinned is the form of a content that is in memory for other reasons.
func pinned(tag string, content []byte) *form {
	f := newForm(tag, "", nil, nil)
	f.now.Store(newHeld(content))
	return f
}

// quickForm is a compressed form that is made when it is first asked for and goes
// with its asset.
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

// get returns what the form holds, and reads it if need be: once for all who wait.
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

// announce says what the header has to say of a representation that is sent whole.
func (f *form) announce(header http.Header, body *held) {
	header["Etag"], header["Content-Length"] = f.etag, body.length
	if f.encoding != nil {
		header["Content-Encoding"] = f.encoding
	}
}

// choose finds the smallest form that a client accepts.
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
			// Without a compressed form there is still the content.
			if now, err := offer.form.get(ctx); err == nil && now != nil && len(now.body) > 0 {
				return offer.form, now, nil
			}
		}
	}
	now, err := a.plain.get(ctx)
	return a.plain, now, err
}
