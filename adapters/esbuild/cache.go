package esbuild

import (
	"container/list"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/ports/build"
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

// diskCache keeps pre-built dependencies between runs of the service, one
// directory a set. Losing it costs time only.
type diskCache struct{ dir string }

const (
	manifestName = "manifest.json"
	// unusedAfter is when a set leaves the disk.
	unusedAfter = 30 * 24 * time.Hour
)

func openDiskCache(dir string) (diskCache, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return diskCache{}, err
	}
	cache := diskCache{absolute}
	if err := durable.Private(absolute); err != nil {
		return diskCache{}, err
	}
	return cache, cache.sweep()
}

// sweep removes the sets that nobody has used for long, and what processes that
// died left half made.
func (c *diskCache) sweep() error {
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && time.Since(info.ModTime()) > unusedAfter {
			_ = os.RemoveAll(filepath.Join(c.dir, entry.Name()))
		}
	}
	return nil
}

// read returns a set. One that is not there complete counts as not there: nothing
// here is synced, so a power cut may leave files without their content.
func (c *diskCache) read(key string) (*prebuilt, bool) {
	root, err := os.OpenRoot(filepath.Join(c.dir, key))
	if err != nil {
		return nil, false
	}
	defer root.Close()
	text, err := root.ReadFile(manifestName)
	if err != nil {
		return nil, false
	}
	found, err := decodePrebuilt(text)
	if err != nil || len(found.Sums) == 0 {
		return nil, false
	}
	for _, path := range slices.Sorted(maps.Keys(found.Sums)) {
		content, err := root.ReadFile(filepath.FromSlash(path))
		if err != nil || sumOf(content) != found.Sums[path] {
			return nil, false
		}
		found.Files = append(found.Files, build.File{Path: path, Content: content, Immutable: true})
	}
	now := time.Now()
	_ = os.Chtimes(filepath.Join(c.dir, key), now, now) // only for sweep
	return found, true
}

// write stores a set: complete, or not at all.
func (c *diskCache) write(key string, set *prebuilt) error {
	manifest, err := set.encode()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(c.dir, "tmp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	files := append([]build.File{{Path: manifestName, Content: manifest}}, set.Files...)
	for _, file := range files {
		at := filepath.Join(tmp, filepath.FromSlash(file.Path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(at, file.Content, 0o644); err != nil {
			return err
		}
	}
	final := filepath.Join(c.dir, key)
	err = os.Rename(tmp, final)
	if errors.Is(err, fs.ErrExist) || err != nil && exists(final) {
		return c.replace(tmp, final)
	}
	return err
}

// replace puts a set in the place of one that could not be read.
func (c *diskCache) replace(tmp, final string) error {
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	err := os.Rename(tmp, final)
	if err != nil && exists(final) {
		return nil // another process was quicker
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
