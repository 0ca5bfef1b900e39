package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

// DefaultRegistry is the public registry.
const DefaultRegistry = "https://registry.npmjs.org"

// Config says where packages come from and where they are kept.
type Config struct {
	// Dir is the store. It is made when it is not there. Several processes may
	// share one.
	Dir string
	// Registry is the address of the registry, DefaultRegistry when empty.
	Registry string
	// Client does the requests; nil takes one with sensible time limits.
	Client *http.Client
}

// Resolver implements packages.Resolver on a registry and a store on the disk.
type Resolver struct {
	registry registry
	store    store
	limits   limits
	installs flights[packages.Set]

	mu   sync.Mutex
	sets map[string]packages.Set // by the digest of the ranges
}

var _ packages.Resolver = (*Resolver)(nil)

// limits bound what a set of packages may cost.
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

// The largest packages in use (typescript, next, date-fns) stay below a fifth of
// these.
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

// New opens the store. A registry that is no http address has code
// core.CodeValidationFailed, a directory that cannot be used
// core.CodeUnavailable.
func New(config Config) (*Resolver, error) {
	address := strings.TrimSuffix(config.Registry, "/")
	if address == "" {
		address = DefaultRegistry
	}
	base, err := url.Parse(address)
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, core.Errorf(core.CodeValidationFailed, "the package registry must be an http address")
	}
	client := config.Client
	if client == nil {
		client = newClient()
	}
	store, err := openStore(config.Dir)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the package store cannot be opened")
	}
	return &Resolver{
		registry: registry{base: base, client: client, retryAfter: 250 * time.Millisecond, limits: defaultLimits},
		store:    store,
		limits:   defaultLimits,
		sets:     make(map[string]packages.Set),
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
	ranges := rangesDigest(dependencies)
	if set, found := r.known(ranges); found {
		return set, nil
	}
	return r.installs.do(ctx, ranges, func(ctx context.Context) (packages.Set, error) {
		set, err := r.install(ctx, ranges, dependencies)
		if ctx.Err() != nil {
			return packages.Set{}, ctx.Err()
		}
		if err == nil {
			r.remember(ranges, set)
		}
		return set, err
	})
}

// known returns a set that this process has installed, unless somebody removed
// it from the store.
func (r *Resolver) known(ranges string) (packages.Set, bool) {
	r.mu.Lock()
	set, found := r.sets[ranges]
	r.mu.Unlock()
	if !found {
		return set, false
	}
	_, err := os.Lstat(set.Dir)
	return set, err == nil
}

func (r *Resolver) remember(ranges string, set packages.Set) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sets[ranges] = set
}

// install follows the lock of the ranges, or makes one. The lock is written when
// everything is there, so versions that cannot be had lock nothing.
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

// rangesDigest names a set of ranges.
func rangesDigest(dependencies map[string]string) string {
	text, err := json.Marshal(dependencies)
	if err != nil {
		panic(err) // strings always marshal
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// openStore makes the directories of a store and removes what processes that
// died a day ago left behind.
func openStore(dir string) (store, error) {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return store{}, err
	}
	s := store{dir: absolute}
	for _, part := range []string{contentDir, instancesDir, setsDir, locksDir, tmpDir} {
		if err := os.MkdirAll(filepath.Join(absolute, part), 0o755); err != nil {
			return store{}, err
		}
	}
	return s, s.sweep()
}
