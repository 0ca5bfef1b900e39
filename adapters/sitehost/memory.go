package sitehost

import "sync"

// memory bounds the bodies of forms that are held, in bytes. When there is no room
// it goes around those that it holds, like the hand of a clock: what was sent since
// the last round stays for one more, what was not is given back. So serving takes no
// lock.
type memory struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	ring  []kept
	hand  int
}

// kept is a form that holds so many bytes.
type kept struct {
	form  *form
	bytes int64
}

func newMemory(limit int64) *memory { return &memory{limit: limit} }

// keep counts a form that was just read, and makes room for it.
func (m *memory) keep(f *form, bytes int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ring = append(m.ring, kept{f, bytes})
	m.bytes += bytes
	// Two rounds clear every mark and then find something. The newest stays.
	for turns := 2 * len(m.ring); m.bytes > m.limit && len(m.ring) > 1 && turns > 0; turns-- {
		m.turn(f)
	}
}

// turn looks at one form.
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
