package esbuild

import "testing"

func TestTheLeastRecentlyUsedIsForgotten(t *testing.T) {
	cache := newRecent(10, func(v int) int64 { return int64(v) })
	cache.put("a", 4)
	cache.put("b", 4)
	cache.get("a")
	cache.put("c", 4)
	for key, want := range map[string]bool{"a": true, "b": false, "c": true} {
		if _, got := cache.get(key); got != want {
			t.Errorf("%s: got %v, want %v", key, got, want)
		}
	}
	cache.put("d", 100)
	if _, found := cache.get("d"); !found {
		t.Error("got nothing, want the last one kept however large")
	}
	cache.put("d", 1)
	cache.put("e", 1)
	if _, found := cache.get("d"); !found || cache.held != 2 {
		t.Errorf("got weight %d, want 2", cache.held)
	}
}
