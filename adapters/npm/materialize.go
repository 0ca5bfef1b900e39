package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

// materialize makes a locked set available and fetches only what the store lacks.
func (r *Resolver) materialize(ctx context.Context, locked lock) (packages.Set, error) {
	instances := locked.instances()
	set := packages.Set{Key: locked.key(instances)}
	set.Dir = r.store.path(setsDir, set.Key)
	if r.store.use(setsDir, set.Key) {
		return set, nil
	}
	missing := r.missing(&locked, instances)
	if err := r.fetchContent(ctx, missing); err != nil {
		return packages.Set{}, explain(ctx, err, "the packages cannot be stored")
	}
	modules := nodeModules{&r.store, instances}
	for _, pkg := range missing {
		if err := ctx.Err(); err != nil {
			return packages.Set{}, err
		}
		if err := modules.makeInstance(pkg); err != nil {
			return packages.Set{}, core.Wrap(core.CodeUnavailable, err, "the packages cannot be stored")
		}
	}
	if err := modules.makeSet(set.Key, locked.Roots); err != nil {
		return packages.Set{}, core.Wrap(core.CodeUnavailable, err, "the packages cannot be stored")
	}
	return set, nil
}

// missing returns the packages whose instance the store lacks, by key.
func (r *Resolver) missing(locked *lock, instances map[string]string) []*lockedPackage {
	var missing []*lockedPackage
	for _, key := range slices.Sorted(maps.Keys(locked.Packages)) {
		if !r.store.use(instancesDir, instances[key]) {
			missing = append(missing, locked.Packages[key])
		}
	}
	return missing
}

// fetchContent downloads and unpacks in parallel what is missing, and renames it into
// place once it is complete.
func (r *Resolver) fetchContent(ctx context.Context, missing []*lockedPackage) error {
	scratch, err := r.store.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var unpacked atomic.Int64
	fetched := make([]bool, len(missing))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallelRequests)
	for i, pkg := range missing {
		if r.store.use(contentDir, pkg.contentName()) {
			continue
		}
		fetched[i] = true
		group.Go(func() error {
			return r.unpack(groupCtx, pkg, filepath.Join(scratch, pkg.contentName()), &unpacked)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var names []string
	for i, pkg := range missing {
		if fetched[i] {
			names = append(names, pkg.contentName())
		}
	}
	if len(names) == 0 {
		return nil
	}
	note, err := r.store.notes().write(scratch, names)
	if err != nil {
		return err
	}
	if note != "" {
		r.store.notes().syncLater(note)
	}
	for _, name := range names {
		if err := r.store.adopt(filepath.Join(scratch, name), contentDir, name); err != nil {
			return err
		}
	}
	return nil
}

// unpack verifies the archive of a package against its digest and extracts it to dir.
func (r *Resolver) unpack(ctx context.Context, pkg *lockedPackage, dir string, unpacked *atomic.Int64) error {
	packed, err := r.openArchive(ctx, pkg)
	if err != nil {
		return err
	}
	defer packed.Close()
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	x := &extraction{ctx: ctx, name: pkg.key(), root: root, limits: r.limits, setBytes: unpacked}
	return explain(ctx, x.run(packed), "the archive of "+pkg.key()+" cannot be unpacked")
}

// nodeModules makes the node_modules directories of a lock. instances are the names of its
// packages' directories, by key.
type nodeModules struct {
	store     *store
	instances map[string]string
}

// makeInstance creates the directory of a package with its dependencies around it.
func (n nodeModules) makeInstance(pkg *lockedPackage) error {
	tmp, err := n.store.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	if err := hardLink(n.store.path(contentDir, pkg.contentName()), filepath.Join(tmp, "node_modules", pkg.Name)); err != nil {
		return err
	}
	instance := n.instances[pkg.key()]
	for name, key := range pkg.Dependencies {
		if name == pkg.Name {
			continue // a dependency on itself needs no link
		}
		target := n.store.path(instancesDir, n.instances[key], "node_modules", packageNameOf(key))
		if err := n.link(target, tmp, n.store.path(instancesDir, instance), name); err != nil {
			return err
		}
	}
	return n.store.adopt(tmp, instancesDir, instance)
}

// makeSet creates the directory that a project's builds read.
func (n nodeModules) makeSet(key string, roots map[string]string) error {
	tmp, err := n.store.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for name, at := range roots {
		target := n.store.path(instancesDir, n.instances[at], "node_modules", packageNameOf(at))
		if err := n.link(target, tmp, n.store.path(setsDir, key), name); err != nil {
			return err
		}
	}
	return n.store.adopt(tmp, setsDir, key)
}

// link creates tmp/node_modules/name, a link that leads to target once tmp has moved to
// final. Links are relative, so that a store can be moved as a whole.
func (n nodeModules) link(target, tmp, final, name string) error {
	at := filepath.Join("node_modules", filepath.FromSlash(name))
	relative, err := filepath.Rel(filepath.Dir(filepath.Join(final, at)), target)
	if err != nil {
		return err
	}
	at = filepath.Join(tmp, at)
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return os.Symlink(relative, at)
}

// hardLink copies a tree by hard links to its files.
func hardLink(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return os.MkdirAll(filepath.Join(to, relative), 0o755)
		}
		return os.Link(path, filepath.Join(to, relative))
	})
}

// packageNameOf returns the name of a key "name@version".
func packageNameOf(key string) string {
	for i := len(key) - 1; i > 0; i-- {
		if key[i] == '@' {
			return key[:i]
		}
	}
	return key
}

// contentName returns the directory name of a package's files, made of its key and
// digest. The key keeps two packages with the same content apart.
func (p *lockedPackage) contentName() string {
	sum := sha256.Sum256([]byte(p.key() + " " + p.Integrity))
	return hex.EncodeToString(sum[:16])
}
