package sitehost

import "sync"

// memory is a cache of the bodies of forms, bounded in bytes, with the CLOCK
// approximation of LRU (second chance). When there is no room, a hand goes around the
// cached forms: a form that was sent since the last round stays for one more, any other
// is evicted. So serving takes no lock.
type memory struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	ring  []kept
	hand  int
}

// kept is a cached form with its size in bytes.
type kept struct {
	form  *form
	bytes int64
}

func newMemory(limit int64) *memory { return &memory{limit: limit} }

// keep adds a form that was just read, and makes room for it.
func (m *memory) keep(f *form, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ring = append(m.ring, kept{f, bytes})
	m.bytes += bytes
	// Two rounds clear every mark and then find a form to evict. The newest stays.
	for turns := 2 * len(m.ring); m.bytes > m.limit && len(m.ring) > 1 && turns > 0; turns-- {
		m.turn(f)
	}
}

// turn examines one form.
func (m *memory) turn(newest *form) {
	m.hand %= len(m.ring)
	at := m.ring[m.hand]
	now := at.form.now.Load()
	if at.form == newest || now != nil && now.used.Swap(false) {
		m.hand++
		return
	}
	at.form.now.Store(nil)
	m.bytes -= at.bytes
	last := len(m.ring) - 1
	m.ring[m.hand] = m.ring[last]
	m.ring[last] = kept{}
	m.ring = m.ring[:last]
}
