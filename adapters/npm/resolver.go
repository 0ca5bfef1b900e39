package npm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/packages"
)

// DefaultRegistry is the public registry.
const DefaultRegistry = "https://registry.npmjs.org"

// Config says where packages come from and where they are stored.
type Config struct {
	// Dir is the store. It is created if it does not exist. Several processes of one
	// machine may share it.
	Dir string
	// Registry is where packages come from. Without a URL it is DefaultRegistry.
	Registry Source
	// Scopes are the registries of single scopes, by "@scope".
	Scopes map[string]Source
	// PrivateNetworks allows the registries to redirect requests to loopback and private
	// addresses that are not their own.
	PrivateNetworks bool
	// Seed holds packages that need no network, as WriteSeed wrote them. It may be nil.
	Seed fs.FS
	// MaxBytes is the maximum size of the store; 0 is DefaultMaxBytes.
	MaxBytes int64
}

// Resolver implements packages.Resolver on a registry and a store on the disk.
type Resolver struct {
	registry registry
	store    store
	seed     *seed
	limits   limits
	maxBytes int64
	installs ctxsync.SingleFlight[string, packages.Set]

	mu   sync.Mutex
	sets map[string]installedSet // by the digest of the ranges
}

// installedSet is a set that this process has installed, and when its use was last recorded in
// the store.
type installedSet struct {
	set   packages.Set
	noted time.Time
}

var _ packages.Resolver = (*Resolver)(nil)

// limits bound the cost of a set of packages.
type limits struct {
	packages        int   // of a set
	setBytes        int64 // unpacked, of what a set adds to the store
	packumentBytes  int64
	tarballBytes    int64
	unpackedBytes   int64 // of a package
	files           int   // of a package
	pathDepth       int
	ratio           int64 // unpacked to packed, above ratioFloorBytes
	ratioFloorBytes int64
}

// The largest packages in use (typescript, next, date-fns) stay below a fifth of these.
var defaultLimits = limits{
	packages:        2000,
	setBytes:        2 << 30,
	packumentBytes:  64 << 20,
	tarballBytes:    128 << 20,
	unpackedBytes:   512 << 20,
	files:           50_000,
	pathDepth:       64,
	ratio:           200,
	ratioFloorBytes: 16 << 20,
}

// installTimeout bounds one installation.
const installTimeout = 10 * time.Minute

// New opens the store. A registry that is not an HTTP address has code
// core.CodeValidationFailed; an unusable directory has core.CodeUnavailable.
func New(config Config) (*Resolver, error) {
	named, err := newUpstreams(config.Registry, config.Scopes)
	if err != nil {
		return nil, err
	}
	store, err := openStore(config.Dir)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the package store cannot be opened")
	}
	seed, err := openSeed(config.Seed)
	if err != nil {
		return nil, err
	}
	return &Resolver{
		registry: registry{
			upstreams: named, client: newClient(&named, config.PrivateNetworks),
			backoff: 250 * time.Millisecond, stallTimeout: defaultStallTimeout, limits: defaultLimits,
		},
		store:    store,
		seed:     seed,
		limits:   defaultLimits,
		maxBytes: cmp.Or(config.MaxBytes, DefaultMaxBytes),
		sets:     make(map[string]installedSet),
	}, nil
}

// Install implements packages.Resolver.
func (r *Resolver) Install(ctx context.Context, dependencies map[string]string) (packages.Set, error) {
	if err := ctx.Err(); err != nil {
		return packages.Set{}, err
	}
	if len(dependencies) == 0 {
		return packages.Set{}, nil
	}
	if len(dependencies) > packages.MaxDependencies {
		return packages.Set{}, core.Errorf(core.CodeValidationFailed,
			"there are %d dependencies, at most %d can be installed", len(dependencies), packages.MaxDependencies)
	}
	ranges := rangesDigest(dependencies)
	if set, found := r.installed(ranges); found {
		return set, nil
	}
	return r.installs.Do(ctx, ranges, func(ctx context.Context) (packages.Set, error) {
		bounded, cancel := context.WithTimeout(ctx, installTimeout)
		defer cancel()
		set, err := r.install(bounded, ranges, dependencies)
		switch {
		case ctx.Err() != nil:
			return packages.Set{}, ctx.Err()
		case bounded.Err() != nil:
			return packages.Set{}, core.Errorf(core.CodeUnavailable, "the packages could not be fetched within %s", installTimeout)
		}
		if err == nil {
			r.remember(ranges, set)
		}
		return set, err
	})
}

// installed returns a set that this process has installed, unless it was removed from the
// store. It records the use from time to time, long before a sweep could count the set as
// unused.
func (r *Resolver) installed(ranges string) (packages.Set, bool) {
	r.mu.Lock()
	held, found := r.sets[ranges]
	noted := time.Since(held.noted) < noteEvery
	r.mu.Unlock()
	if !found {
		return packages.Set{}, false
	}
	if noted {
		_, err := os.Lstat(held.set.Dir)
		return held.set, err == nil
	}
	if !r.store.use(setsDir, held.set.Key) {
		return packages.Set{}, false
	}
	r.remember(ranges, held.set)
	return held.set, true
}

func (r *Resolver) remember(ranges string, set packages.Set) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sets[ranges] = installedSet{set, time.Now()}
}

// install follows the lock of the ranges, or creates one. It writes the lock once
// everything is in the store, so unavailable versions are never locked.
func (r *Resolver) install(ctx context.Context, ranges string, dependencies map[string]string) (packages.Set, error) {
	locked, found, err := r.store.readLock(ranges)
	if err != nil {
		return packages.Set{}, err
	}
	if found {
		return r.materialize(ctx, locked)
	}
	resolved, err := r.resolve(ctx, dependencies)
	if err != nil {
		return packages.Set{}, err
	}
	set, err := r.materialize(ctx, resolved)
	if err != nil {
		return packages.Set{}, err
	}
	winner, err := r.store.writeLock(ranges, resolved)
	if err != nil {
		return packages.Set{}, err
	}
	if winner == nil {
		return set, nil
	}
	return r.materialize(ctx, *winner)
}

// rangesDigest returns the name of a set of ranges.
func rangesDigest(dependencies map[string]string) string {
	text, err := json.Marshal(dependencies)
	if err != nil {
		panic(err) // strings always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// openStore creates the directories of a store. It removes what processes that died a day
// ago left behind, and what the last crash of the machine may have torn.
func openStore(dir string) (store, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return store{}, err
	}
	s := store{dir: absolute}
	if err := durable.Private(absolute); err != nil {
		return store{}, err
	}
	for _, part := range []string{contentDir, instancesDir, setsDir, locksDir, tarballsDir, packumentsDir, unsyncedDir, tmpDir} {
		if err := os.MkdirAll(filepath.Join(absolute, part), 0o755); err != nil {
			return store{}, err
		}
	}
	return s, errors.Join(s.notes().recover(), s.sweepTmp())
}
