package memory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/packages"
)

// Packages is a package registry and a package store in one, for programs without a
// network. The registry is in memory. Installed sets, which tools read from the disk, are
// in a temporary directory that Close removes.
//
// While nothing has been published, every package exists, in the version with which the
// requested range begins.
type Packages struct {
	mu        sync.Mutex
	published map[string]map[packageVersion]storedPackage
	offline   bool
	dir       string
	locks     map[string]packages.Set
}

var _ packages.Resolver = (*Packages)(nil)

// PublishedPackage is one version of a package. Version is three numbers. Files are by
// path within the package; a missing package.json is generated.
type PublishedPackage struct {
	Name         string
	Version      string
	Dependencies map[string]string
	Files        map[string]string
}

type storedPackage struct {
	PublishedPackage
	digest string
}

// NewPackages returns an empty registry.
func NewPackages() *Packages {
	return &Packages{
		published: make(map[string]map[packageVersion]storedPackage),
		locks:     make(map[string]packages.Set),
	}
}

// Publish adds a version of a package to the registry, or replaces it. A version
// that is not three numbers has code core.CodeValidationFailed.
func (p *Packages) Publish(pkg PublishedPackage) error {
	v, parts, ok := parsePartialVersion(pkg.Version)
	if !ok || parts != len(v) {
		return core.Errorf(core.CodeValidationFailed, "%q is not a version", pkg.Version)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.published[pkg.Name] == nil {
		p.published[pkg.Name] = make(map[packageVersion]storedPackage)
	}
	pkg = withManifest(pkg)
	p.published[pkg.Name][v] = storedPackage{pkg, packageDigest(pkg.Files)}
	return nil
}

// Tamper changes a file of a published version but not its digest, as a broken mirror
// would.
func (p *Packages) Tamper(name, version, path, content string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v, _, _ := parsePartialVersion(version)
	if pkg, found := p.published[name][v]; found {
		pkg.Files[path] = content
	}
}

// SetOffline makes the registry unreachable, or reachable again.
func (p *Packages) SetOffline(offline bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.offline = offline
}

// Close removes the installed sets.
func (p *Packages) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.locks)
	dir := p.dir
	p.dir = ""
	return os.RemoveAll(dir)
}

// Install implements packages.Resolver.
func (p *Packages) Install(ctx context.Context, dependencies map[string]string) (packages.Set, error) {
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
	p.mu.Lock()
	defer p.mu.Unlock()
	ranges := packageDigest(dependencies)
	if set, locked := p.locks[ranges]; locked {
		return set, nil
	}
	tree := make(map[string]string)
	if err := p.lay(tree, "node_modules", dependencies, nil); err != nil {
		return packages.Set{}, err
	}
	set, err := p.store(tree)
	if err != nil {
		return packages.Set{}, core.Wrap(core.CodeUnavailable, err, "the packages cannot be stored")
	}
	p.locks[ranges] = set
	return set, nil
}

// packageName matches names that a registry accepts.
var packageName = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$`)

// lay adds the files of the dependencies, and of their dependencies, to tree. A package
// lies beside the first package that needs it. above holds the packages that are visible
// there already.
func (p *Packages) lay(tree map[string]string, dir string, dependencies map[string]string, above map[string]packageVersion) error {
	visible := make(map[string]packageVersion, len(above)+len(dependencies))
	maps.Copy(visible, above)
	var added []PublishedPackage
	for _, name := range slices.Sorted(maps.Keys(dependencies)) {
		if !packageName.MatchString(name) {
			return core.Errorf(core.CodeValidationFailed, "%q is not a valid package name", name)
		}
		spans, ok := parsePackageRange(dependencies[name])
		if !ok {
			return core.Errorf(core.CodeValidationFailed, "%s: %q is not a version range", name, dependencies[name])
		}
		if v, found := above[name]; found && slices.ContainsFunc(spans, func(s packageSpan) bool { return s.holds(v) }) {
			continue
		}
		v, pkg, err := p.pick(name, dependencies[name], spans)
		if err != nil {
			return err
		}
		visible[name] = v
		added = append(added, pkg)
	}
	for _, pkg := range added {
		at := dir + "/" + pkg.Name
		for path, content := range pkg.Files {
			tree[at+"/"+path] = content
		}
		if err := p.lay(tree, at+"/node_modules", pkg.Dependencies, visible); err != nil {
			return err
		}
	}
	return nil
}

// pick returns the newest version of a package within the spans.
func (p *Packages) pick(name, text string, spans []packageSpan) (packageVersion, PublishedPackage, error) {
	if p.offline {
		return packageVersion{}, PublishedPackage{}, core.Errorf(core.CodeUnavailable, "the package registry cannot be reached")
	}
	if len(p.published) == 0 {
		v := spans[0].floor
		return v, withManifest(PublishedPackage{Name: name, Version: v.String()}), nil
	}
	versions, found := p.published[name]
	if !found {
		return packageVersion{}, PublishedPackage{}, core.Errorf(core.CodeValidationFailed, "there is no package %q", name)
	}
	best, found := packageVersion{}, false
	for v := range versions {
		if (!found || best.less(v)) && slices.ContainsFunc(spans, func(s packageSpan) bool { return s.holds(v) }) {
			best, found = v, true
		}
	}
	if !found {
		return best, PublishedPackage{}, core.Errorf(core.CodeValidationFailed, "no version of %q satisfies %q", name, text)
	}
	pkg := versions[best]
	if packageDigest(pkg.Files) != pkg.digest {
		return best, PublishedPackage{}, core.Errorf(core.CodeUnavailable, "the content of %s@%s does not match its integrity", name, pkg.Version)
	}
	return best, pkg.PublishedPackage, nil
}

// store writes a tree to the disk, read-only.
func (p *Packages) store(tree map[string]string) (packages.Set, error) {
	if p.dir == "" {
		dir, err := os.MkdirTemp("", "atelier-packages-")
		if err != nil {
			return packages.Set{}, err
		}
		p.dir = dir
	}
	set := packages.Set{Key: packageDigest(tree)}
	set.Dir = filepath.Join(p.dir, set.Key)
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return packages.Set{}, err
	}
	defer root.Close()
	if err := root.RemoveAll(set.Key); err != nil {
		return packages.Set{}, err
	}
	for path, content := range tree {
		name := set.Key + "/" + path
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return packages.Set{}, err
		}
		if err := root.WriteFile(name, []byte(content), 0o444); err != nil {
			return packages.Set{}, err
		}
	}
	return set, nil
}

// withManifest adds the files that every package has.
func withManifest(pkg PublishedPackage) PublishedPackage {
	pkg.Files = maps.Clone(pkg.Files)
	if pkg.Files == nil {
		pkg.Files = make(map[string]string)
	}
	if _, given := pkg.Files["package.json"]; !given {
		manifest, err := json.Marshal(map[string]any{"name": pkg.Name, "version": pkg.Version, "dependencies": pkg.Dependencies})
		if err != nil {
			panic(err) // strings always marshal
		}
		pkg.Files["package.json"] = string(manifest)
	}
	return pkg
}

// packageDigest returns a digest of a set of texts.
func packageDigest(texts map[string]string) string {
	data, err := json.Marshal(texts)
	if err != nil {
		panic(err) // strings always marshal
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// packageVersion is major, minor and patch of a version.
type packageVersion [3]int

// String implements fmt.Stringer.
func (v packageVersion) String() string {
	return strconv.Itoa(v[0]) + "." + strconv.Itoa(v[1]) + "." + strconv.Itoa(v[2])
}

func (v packageVersion) less(other packageVersion) bool {
	for i := range v {
		if v[i] != other[i] {
			return v[i] < other[i]
		}
	}
	return false
}

// packageSpan holds the versions from its floor up to, but not including, its ceiling.
type packageSpan struct{ floor, ceiling packageVersion }

func (s packageSpan) holds(v packageVersion) bool { return !v.less(s.floor) && v.less(s.ceiling) }

const endOfVersions = 1 << 30

var allVersions = packageSpan{ceiling: packageVersion{endOfVersions}}

// parsePackageRange parses the ranges of package.json: exact versions, ^, ~, comparisons,
// x and *, joined by spaces or by "||". It returns one span for each branch; ok is false
// for any other text.
func parsePackageRange(text string) (spans []packageSpan, ok bool) {
	for branch := range strings.SplitSeq(text, "||") {
		span := allVersions
		for term := range strings.FieldsSeq(branch) {
			next, ok := parsePackageTerm(term)
			if !ok {
				return nil, false
			}
			span = span.and(next)
		}
		spans = append(spans, span)
	}
	return spans, true
}

func (s packageSpan) and(other packageSpan) packageSpan {
	if s.floor.less(other.floor) {
		s.floor = other.floor
	}
	if other.ceiling.less(s.ceiling) {
		s.ceiling = other.ceiling
	}
	return s
}

func parsePackageTerm(term string) (packageSpan, bool) {
	if term == "latest" {
		return allVersions, true
	}
	number := strings.TrimLeft(term, "^~<>=v")
	v, parts, ok := parsePartialVersion(number)
	if !ok {
		return packageSpan{}, false
	}
	next := v.above(parts)
	switch strings.TrimSuffix(term[:len(term)-len(number)], "v") {
	case "^":
		return packageSpan{v, v.above(min(parts, v.firstNonZero()+1))}, true
	case "~":
		return packageSpan{v, v.above(min(parts, 2))}, true
	case ">=":
		return packageSpan{v, allVersions.ceiling}, true
	case ">":
		return packageSpan{next, allVersions.ceiling}, true
	case "<":
		return packageSpan{packageVersion{}, v}, true
	case "<=":
		return packageSpan{packageVersion{}, next}, true
	case "", "=":
		return packageSpan{v, next}, true
	}
	return packageSpan{}, false
}

// above returns the least version that differs from v within the first parts numbers.
func (v packageVersion) above(parts int) packageVersion {
	if parts == 0 {
		return allVersions.ceiling
	}
	var next packageVersion
	copy(next[:], v[:parts])
	next[parts-1]++
	return next
}

func (v packageVersion) firstNonZero() int {
	for i, n := range v {
		if n != 0 {
			return i
		}
	}
	return len(v) - 1
}

// parsePartialVersion parses up to three numbers and returns how many there are; x and *
// end them.
func parsePartialVersion(text string) (v packageVersion, parts int, ok bool) {
	fields := strings.Split(text, ".")
	if len(fields) > len(v) {
		return v, 0, false
	}
	for _, field := range fields {
		if field == "x" || field == "X" || field == "*" {
			return v, parts, true
		}
		n, err := strconv.ParseUint(field, 10, 24)
		if err != nil {
			return v, 0, false
		}
		v[parts] = int(n)
		parts++
	}
	return v, parts, true
}
