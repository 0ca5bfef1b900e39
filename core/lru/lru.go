// Package lru has a cache that forgets what was least recently used (LRU).
package lru

import (
	"container/list"
	"sync"
)

// Cache is an LRU cache bounded by the weights of its values. It is safe for concurrent
// use.
type Cache[K comparable, V any] struct {
	limit  int64
	weight func(V) int64

	mu    sync.Mutex
	held  int64
	order *list.List // of entry[K, V], the most recently used in front
	items map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
}

// New returns a cache whose values weigh at most limit together, as measured by weight.
func New[K comparable, V any](limit int64, weight func(V) int64) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, weight: weight, order: list.New(), items: make(map[K]*list.Element)}
}

// Get returns the value of a key and marks it as used.
func (c *Cache[K, V]) Get(key K) (value V, found bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	element, found := c.items[key]
	if !found {
		return value, false
	}
	c.order.MoveToFront(element)
	return element.Value.(entry[K, V]).value, true
}

// Remove removes a key and its value, if it is there.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, found := c.items[key]; found {
		c.removeLocked(element)
	}
}

// Put adds a value and evicts the least recently used ones beyond the limit. The last
// value stays, however much it weighs.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element, found := c.items[key]; found {
		c.removeLocked(element)
	}
	c.items[key] = c.order.PushFront(entry[K, V]{key, value})
	c.held += c.weight(value)
	for c.held > c.limit && c.order.Len() > 1 {
		c.removeLocked(c.order.Back())
	}
}

func (c *Cache[K, V]) removeLocked(element *list.Element) {
	removed := c.order.Remove(element).(entry[K, V])
	delete(c.items, removed.key)
	c.held -= c.weight(removed.value)
}
