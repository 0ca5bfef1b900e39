package npm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// lock is the result of resolving a set of ranges.
type lock struct {
	// Roots maps the entries of package.json to keys of Packages.
	Roots map[string]string `json:"roots"`
	// Packages are keyed by "name@version".
	Packages map[string]*lockedPackage `json:"packages"`
}

// lockedPackage is one version with its chosen dependencies.
type lockedPackage struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Tarball string `json:"tarball"`
	// Integrity is one digest as Subresource Integrity.
	Integrity string `json:"integrity"`
	// Dependencies maps the names under which the package imports others to keys of
	// Packages.
	Dependencies map[string]string `json:"dependencies,omitempty"`
}

func (p *lockedPackage) key() string { return p.Name + "@" + p.Version }

// instances returns the directory name of every package of the lock: its own name and
// version, and a digest of everything that it reaches. The digest includes the edges,
// because the same packages can be wired in different ways.
func (l *lock) instances() map[string]string {
	names := make(map[string]string, len(l.Packages))
	for key := range l.Packages {
		names[key] = l.instance(key)
	}
	return names
}

// maxReadableBytes keeps a directory's name below NAME_MAX.
const maxReadableBytes = 120

func (l *lock) instance(key string) string {
	reached := l.reach(key)
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n", key)
	for _, at := range slices.Sorted(maps.Keys(reached)) {
		pkg := l.Packages[at]
		fmt.Fprintf(digest, "%q %q\n", at, pkg.Integrity)
		for _, name := range slices.Sorted(maps.Keys(pkg.Dependencies)) {
			fmt.Fprintf(digest, "\t%q %q\n", name, pkg.Dependencies[name])
		}
	}
	readable := strings.ReplaceAll(key, "/", "+")
	readable = readable[:min(len(readable), maxReadableBytes)]
	return readable + "-" + hex.EncodeToString(digest.Sum(nil)[:16])
}

// reach returns key and all its transitive dependencies.
func (l *lock) reach(key string) map[string]bool {
	reached := map[string]bool{key: true}
	for queue := []string{key}; len(queue) > 0; queue = queue[1:] {
		for _, next := range l.Packages[queue[0]].Dependencies {
			if !reached[next] {
				reached[next] = true
				queue = append(queue, next)
			}
		}
	}
	return reached
}

// key returns a name of the whole set, derived from its content.
func (l *lock) key(instances map[string]string) string {
	digest := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(l.Roots)) {
		fmt.Fprintf(digest, "%q %q\n", name, instances[l.Roots[name]])
	}
	return hex.EncodeToString(digest.Sum(nil)[:16])
}

// sound reports whether every edge leads to a package. A lock that others wrote may be
// broken.
func (l *lock) sound() bool {
	known := func(edges map[string]string) bool {
		for name, key := range edges {
			if checkName(name) != nil || l.Packages[key] == nil {
				return false
			}
		}
		return true
	}
	for key, pkg := range l.Packages {
		if pkg == nil || pkg.key() != key || checkName(pkg.Name) != nil || !known(pkg.Dependencies) {
			return false
		}
	}
	return known(l.Roots)
}
