package prebuilt

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/ports/build"
)

// diskCache is a write-through cache of pre-built dependencies that survives restarts,
// with one directory for each set. Losing it costs only time.
type diskCache struct{ dir string }

const (
	manifestName = "manifest.json"
	// unusedAfter is how long a set must be unused before it is removed from the disk.
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

// sweep removes sets that have long been unused, and unfinished directories of dead
// processes.
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

// read returns a set. An incomplete one counts as missing: nothing here is synced, so a
// power cut may leave files without their content.
func (c *diskCache) read(key string) (*Set, bool) {
	root, err := os.OpenRoot(filepath.Join(c.dir, key))
	if err != nil {
		return nil, false
	}
	defer root.Close()
	text, err := root.ReadFile(manifestName)
	if err != nil {
		return nil, false
	}
	found, err := decodeSet(text)
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
	_ = os.Chtimes(filepath.Join(c.dir, key), now, now) // the time only matters to sweep
	return found, true
}

// write stores a set completely or not at all.
func (c *diskCache) write(key string, set *Set) error {
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

// replace replaces a set that could not be read.
func (c *diskCache) replace(tmp, final string) error {
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	err := os.Rename(tmp, final)
	if err != nil && exists(final) {
		return nil // another process was faster
	}
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
