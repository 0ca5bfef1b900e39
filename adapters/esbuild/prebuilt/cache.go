package prebuilt

import (
	"context"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/build"
)

// Cache makes sets, and keeps them in memory and on the disk. Many goroutines may use it.
type Cache struct {
	disk diskCache
	sets *lru.Cache[string, *Set]
	// bundling lets concurrent callers share one bundle (single flight).
	bundling ctxsync.SingleFlight[string, outcome]
}

// maxBytes bounds the sets in memory.
const maxBytes = 256 << 20

// Open returns a cache that keeps sets in dir, which it creates. Several processes may
// share the directory.
func Open(dir string) (*Cache, error) {
	disk, err := openDiskCache(dir)
	if err != nil {
		return nil, err
	}
	return &Cache{disk: disk, sets: lru.New[string](maxBytes, (*Set).size)}, nil
}

// Set returns a set of dependencies from memory, from the disk, or newly bundled. Mistakes
// in the packages are messages.
func (c *Cache) Set(ctx context.Context, mode build.Mode, tree *project.Packages, deps []project.Dependency) (*Set, []api.Message, error) {
	if len(deps) == 0 {
		return &Set{}, nil, nil
	}
	key := Key(mode, tree, deps)
	if found, ok := c.sets.Get(key); ok {
		return found, nil, nil
	}
	// The call goes on when its callers give up, because another caller will want the
	// result soon.
	call := c.bundling.Start(ctx, key, func(ctx context.Context) (outcome, error) {
		set, messages, err := c.load(ctx, key, mode, tree, deps)
		return outcome{set, messages}, err
	})
	bundled, err := call.Wait(ctx)
	return bundled.set, bundled.messages, err
}

// outcome is what bundling a set of dependencies gave: the set, or mistakes in it.
type outcome struct {
	set      *Set
	messages []api.Message
}

// load returns a set from the disk, or newly bundled, and caches it.
func (c *Cache) load(ctx context.Context, key string, mode build.Mode, tree *project.Packages, deps []project.Dependency) (*Set, []api.Message, error) {
	if found, ok := c.disk.read(key); ok {
		c.sets.Put(key, found)
		return found, nil, nil
	}
	set, messages, err := bundle(ctx, key, mode, tree, deps)
	if err != nil || len(messages) > 0 {
		return nil, messages, err
	}
	if err := c.disk.write(key, set); err != nil {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "the build cache cannot be written")
	}
	c.sets.Put(key, set)
	return set, nil, nil
}
