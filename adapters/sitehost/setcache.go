package sitehost

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// loadLimit bounds the duration of loading one set of files.
const loadLimit = 30 * time.Second

// setCache is an LRU cache of sets of files, bounded in bytes.
type setCache struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	slots map[string]*list.Element
	// order holds the *slot values, the most recently used first.
	order *list.List
}

// slot is the entry of one set. Its lock is held while the set is loaded, so that
// concurrent callers share one load (single flight).
type slot struct {
	key string
	// bytes is guarded by the cache's lock.
	bytes int64

	mu  sync.Mutex
	set *fileSet
}

func newSetCache(limit int64) *setCache {
	return &setCache{limit: limit, slots: map[string]*list.Element{}, order: list.New()}
}

// get returns the set of that name at a key. If the set is missing or has another name,
// get loads it and reuses the old set as far as possible. A load continues when its
// caller leaves.
func (s *setCache) get(ctx context.Context, key, name string, make func(ctx context.Context, old *fileSet) (*fileSet, error)) (*fileSet, error) {
	at := s.slot(key)
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.set != nil && at.set.name == name {
		return at.set, nil
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadLimit)
	defer cancel()
	set, err := make(work, at.set)
	if err != nil {
		if at.set == nil {
			s.remove(at)
		}
		return nil, err
	}
	at.set = set
	s.resize(at, set.bytes)
	return set, nil
}

// slot finds or adds a slot and marks it as used.
func (s *setCache) slot(key string) *slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element := s.slots[key]; element != nil {
		s.order.MoveToFront(element)
		return element.Value.(*slot)
	}
	at := &slot{key: key}
	s.slots[key] = s.order.PushFront(at)
	return at
}

// resize records the size of a slot and makes room for it. A slot that was evicted
// meanwhile no longer counts; its users keep it.
func (s *setCache) resize(at *slot, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element := s.slots[at.key]; element == nil || element.Value != at {
		return
	}
	s.bytes += bytes - at.bytes
	at.bytes = bytes
	for element := s.order.Back(); element != nil && s.bytes > s.limit; {
		last := element.Value.(*slot)
		element = element.Prev()
		if last != at && last.bytes > 0 {
			s.drop(last)
		}
	}
}

func (s *setCache) remove(at *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element := s.slots[at.key]; element != nil && element.Value == at {
		s.drop(at)
	}
}

func (s *setCache) drop(at *slot) {
	s.order.Remove(s.slots[at.key])
	delete(s.slots, at.key)
	s.bytes -= at.bytes
}
