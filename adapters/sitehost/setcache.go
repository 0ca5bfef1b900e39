package sitehost

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/lru"
)

// loadLimit bounds the duration of loading one set of files.
const loadLimit = 30 * time.Second

// setCache is an LRU cache of sets of files, bounded in bytes.
type setCache struct {
	sets *lru.Cache[string, *fileSet]
	// loads has a lock for each key, held while its set is loaded, so that concurrent
	// callers share one load (single flight).
	loads ctxsync.KeyedMutex[string]
}

func newSetCache(limit int64) *setCache {
	return &setCache{sets: lru.New[string](limit, func(set *fileSet) int64 { return set.bytes })}
}

// get returns the set of that name at a key. If the set is missing or has another name,
// get loads it and reuses the old set as far as possible. A load continues when its
// caller leaves.
func (s *setCache) get(ctx context.Context, key, name string, load func(ctx context.Context, old *fileSet) (*fileSet, error)) (*fileSet, error) {
	if set, _ := s.sets.Get(key); set != nil && set.name == name {
		return set, nil
	}
	unlock, err := s.loads.Lock(ctx, key)
	if err != nil {
		return nil, err
	}
	defer unlock()
	old, _ := s.sets.Get(key)
	if old != nil && old.name == name {
		return old, nil
	}
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), loadLimit)
	defer cancel()
	set, err := load(work, old)
	if err != nil {
		return nil, err
	}
	s.sets.Put(key, set)
	return set, nil
}
