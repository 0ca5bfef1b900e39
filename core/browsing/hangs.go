package browsing

import (
	"context"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxHangs is how often a page may hang, or crash its browser, before it is opened again only with
// other files: until then it would keep a place for a minute each time.
const maxHangs = 2

// hangs remembers the pages that did not load.
type hangs struct {
	store storage.Store

	mu    sync.Mutex
	known *lru.Cache[pageKey, hang]
}

type pageKey struct {
	project core.ID
	path    string
}

// hang is how often a page of a revision of the files did not load.
type hang struct {
	revision int64
	times    int
}

func newHangs(store storage.Store) *hangs {
	return &hangs{store: store, known: lru.New[pageKey](10_000, func(hang) int64 { return 1 })}
}

// check returns core.CodeUnavailable for a page that has hung too often, else the present revision.
func (h *hangs) check(ctx context.Context, page pageKey) (revision int64, err error) {
	if h.store == nil {
		return 0, nil
	}
	state, err := h.store.Tables().Files.State(ctx, page.project)
	if err != nil {
		return 0, err
	}
	found, _ := h.known.Get(page)
	if found.revision == state.Revision && found.times >= maxHangs {
		return 0, core.Errorf(core.CodeUnavailable, "the page has not loaded %d times, so it is opened again when the project's files have changed: look for a loop that does not end", maxHangs)
	}
	return state.Revision, nil
}

// note counts a page that did not load, and forgets one that did.
func (h *hangs) note(page pageKey, revision int64, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !core.IsCode(err, core.CodeUnavailable) {
		if err == nil {
			h.known.Remove(page)
		}
		return
	}
	found, _ := h.known.Get(page)
	if found.revision != revision {
		found = hang{revision: revision}
	}
	found.times++
	h.known.Put(page, found)
}
