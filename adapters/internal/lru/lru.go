// Package lru has a cache that forgets what was least recently used (LRU).
package lru

import (
	"container/list"
	"sync"
)

// Cache is an LRU cache bounded by the weights of its values. It is safe for concurrent
// use.
type Cache[V any] struct {
	limit  int64
	weight func(V) int64

	mu    sync.Mutex
	held  int64
	order *list.List // of entry[V], the most recently used in front
	items map[string]*list.Element
}

type entry[V any] struct {
	key   string
	value V
}

// New returns a cache whose values weigh at most limit together, as measured by weight.
func New[V any](limit int64, weight func(V) int64) *Cache[V] {
	return &Cache[V]{limit: limit, weight: weight, order: list.New(), items: make(map[string]*list.Element)}
}

// Get returns the value of a key and marks it as used.
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

// Put adds a value and evicts the least recently used ones beyond the limit. The last
// value stays, however much it weighs.
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
