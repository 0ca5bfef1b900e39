package sitehost

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// loadLimit bounds the loading of one set of files.
const loadLimit = 30 * time.Second

// shelf holds sets of files up to a number of bytes, and lets go of those that
// have gone unused for longest.
type shelf struct {
	limit int64

	mu    sync.Mutex
	bytes int64
	slots map[string]*list.Element
	// order holds the *slot values, the last used first.
	order *list.List
}

// slot is the place of one set. Its lock is held while the set is made, so that
// one making serves all who wait.
type slot struct {
	key string
	// bytes belongs to the shelf's lock.
	bytes int64

	mu  sync.Mutex
	set *fileSet
}

func newShelf(limit int64) *shelf {
	return &shelf{limit: limit, slots: map[string]*list.Element{}, order: list.New()}
}

// get returns the set of that name at a key; when another is there, or none, it
// makes it, from the other as far as that goes. What is being made for one caller
// is carried through when that one leaves.
func (s *shelf) get(ctx context.Context, key, name string, make func(ctx context.Context, old *fileSet) (*fileSet, error)) (*fileSet, error) {
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

// slot finds or makes a slot and marks it as used.
func (s *shelf) slot(key string) *slot {
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

// resize notes how large a slot is now and makes room for it. A slot that was
// dropped meanwhile is held by those who use it, and counts no more.
func (s *shelf) resize(at *slot, bytes int64) {
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

func (s *shelf) remove(at *slot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if element := s.slots[at.key]; element != nil && element.Value == at {
		s.drop(at)
	}
}

func (s *shelf) drop(at *slot) {
	s.order.Remove(s.slots[at.key])
	delete(s.slots, at.key)
	s.bytes -= at.bytes
}
