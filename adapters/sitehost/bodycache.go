package sitehost

import "sync"

// bodyCache is a cache of the bodies of forms, bounded in bytes, with the CLOCK
// approximation of LRU (second chance). When there is no room, a hand goes around the
// cached forms: a form that was sent since the last round stays for one more, any other
// is evicted. So serving takes no lock.
type bodyCache struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	ring  []cacheEntry
	hand  int
}

// cacheEntry is a cached form with its size in bytes.
type cacheEntry struct {
	form  *form
	bytes int64
}

func newBodyCache(limit int64) *bodyCache { return &bodyCache{limit: limit} }

// keep adds a form that was just read, and makes room for it.
func (c *bodyCache) keep(f *form, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring = append(c.ring, cacheEntry{f, bytes})
	c.bytes += bytes
	// Two rounds clear every mark and then find a form to evict. The newest stays.
	for steps := 2 * len(c.ring); c.bytes > c.limit && len(c.ring) > 1 && steps > 0; steps-- {
		c.advance(f)
	}
}

// advance examines one form, and evicts it or moves the hand on.
func (c *bodyCache) advance(newest *form) {
	c.hand %= len(c.ring)
	at := c.ring[c.hand]
	body := at.form.cached.Load()
	if at.form == newest || body != nil && body.used.Swap(false) {
		c.hand++
		return
	}
	at.form.cached.Store(nil)
	c.bytes -= at.bytes
	last := len(c.ring) - 1
	c.ring[c.hand] = c.ring[last]
	c.ring[last] = cacheEntry{}
	c.ring = c.ring[:last]
}
