package lru

import "testing"

func TestTheLeastRecentlyUsedIsForgotten(t *testing.T) {
	cache := New[string](10, func(v int) int64 { return int64(v) })
	cache.Put("a", 4)
	cache.Put("b", 4)
	cache.Get("a")
	cache.Put("c", 4)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, got := cache.Get(key); got != want {
			t.Errorf("%s: got %v, want %v", key, got, want)
		}
	}
	cache.Put("d", 100)
	if _, found := cache.Get("d"); !found {
		t.Error("got nothing, want the last one kept however large")
	}
	cache.Put("d", 1)
	cache.Put("e", 1)
	if _, found := cache.Get("d"); !found || cache.held != 2 {
		t.Errorf("got weight %d, want 2", cache.held)
	}
	cache.Remove("e")
	cache.Remove("e")
	if _, found := cache.Get("e"); found || cache.held != 1 {
		t.Errorf("got weight %d, want the removed one gone", cache.held)
	}
}
