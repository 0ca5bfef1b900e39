// Package lru has a cache that forgets what was least recently used (LRU).
package lru

import (
	"container/list"
	"sync"
)

// Cache keeps the values that were used last, as many as their weights allow. It may be
// used by many goroutines.
type Cache[V any] struct {
	limit  int64
	weight func(V) int64

	mu    sync.Mutex
	held  int64
	order *list.List // of entry[V], the last used in front
	items map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
}

// New returns a cache whose values weigh at most limit together, as weight weighs them.
func New[V any](limit int64, weight func(V) int64) *Cache[V] {
	return &Cache[V]{limit: limit, weight: weight, order: list.New(), items: make(map[string]*list.Element)}
}

// Get returns the value of a key, and counts as a use of it.
func (r *Cache[V]) Get(key string) (value V, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	element, found := r.items[key]
	if !found {
		return value, false
	}
	r.order.MoveToFront(element)
	return element.Value.(entry[V]).value, true
}

// Put keeps a value and forgets as many of the least recently used as are too much. The
// last one stays, however much it weighs.
func (r *Cache[V]) Put(key string, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if element, found := r.items[key]; found {
		r.held -= r.weight(element.Value.(entry[V]).value)
		r.order.Remove(element)
	}
	r.items[key] = r.order.PushFront(entry[V]{key, value})
	r.held += r.weight(value)
	for r.held > r.limit && r.order.Len() > 1 {
		last := r.order.Back()
		item := r.order.Remove(last).(entry[V])
		delete(r.items, item.key)
		r.held -= r.weight(item.value)
	}
}
