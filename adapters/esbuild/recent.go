package esbuild

import (
	"container/list"
	"sync"
)

// recent keeps the values that were used last, as many as their weights allow.
type recent[V any] struct {
	limit  int64
	weight func(V) int64

	mu    sync.Mutex
	held  int64
	order *list.List // of recentItem[V], the last used in front
	items map[string]*list.Element
}

type recentItem[V any] struct {
	key   string
	value V
}

func newRecent[V any](limit int64, weight func(V) int64) *recent[V] {
	return &recent[V]{limit: limit, weight: weight, order: list.New(), items: make(map[string]*list.Element)}
}

func (r *recent[V]) get(key string) (value V, found bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	element, found := r.items[key]
	if !found {
		return value, false
	}
	r.order.MoveToFront(element)
	return element.Value.(recentItem[V]).value, true
}

func (r *recent[V]) put(key string, value V) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if element, found := r.items[key]; found {
		r.held -= r.weight(element.Value.(recentItem[V]).value)
		r.order.Remove(element)
	}
	r.items[key] = r.order.PushFront(recentItem[V]{key, value})
	r.held += r.weight(value)
	for r.held > r.limit && r.order.Len() > 1 {
		last := r.order.Back()
		item := r.order.Remove(last).(recentItem[V])
		delete(r.items, item.key)
		r.held -= r.weight(item.value)
	}
}
