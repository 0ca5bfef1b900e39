package npm

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/Masterminds/semver/v3"
	"golang.org/x/sync/errgroup"

	"github.com/atelierhq/atelier/core"
)

// parallelRequests bounds the parallel requests of one installation.
const parallelRequests = 12

// edge is a dependency whose version is not chosen yet.
type edge struct {
	// by is the key of the package that needs it, "" for the project.
	by   string
	name string
	want spec
	peer bool
	into map[string]string
}

// resolution builds a lock level by level: first the project's dependencies, then theirs,
// and so on. It reuses chosen versions wherever they fit, so that a bundle holds few
// copies. Otherwise it prefers versions of the seed, so that the registry is asked as
// little as possible.
type resolution struct {
	registry   *registry
	limits     limits
	packuments map[string]*packument
	lock       lock
	// optional peers are linked if their package is in the graph for another reason.
	optional []edge

	seed *seed
	// seeded are the packages of the lock that come from the seed, by key.
	seeded map[string]bool
	// outgrown are the names that are no longer taken from the seed.
	outgrown map[string]bool
}

// resolve chooses a version for everything that the dependencies reach. Packages that
// belong together by their peers (react and react-dom) come from the seed together or not
// at all: resolve starts over without the names that do not fit.
func (r *Resolver) resolve(ctx context.Context, dependencies map[string]string) (lock, error) {
	packuments, outgrown := make(map[string]*packument), make(map[string]bool)
	for {
		before := len(outgrown)
		res := &resolution{
			registry:   &r.registry,
			limits:     r.limits,
			packuments: packuments,
			lock:       lock{Roots: make(map[string]string), Packages: make(map[string]*lockedPackage)},
			seed:       r.seed,
			seeded:     make(map[string]bool),
			outgrown:   outgrown,
		}
		if err := res.run(ctx, dependencies); err != nil {
			return lock{}, err
		}
		if len(outgrown) == before {
			return res.lock, nil
		}
	}
}

func (res *resolution) run(ctx context.Context, dependencies map[string]string) error {
	level, err := edgesOf("", dependencies, false, res.lock.Roots)
	for err == nil && len(level) > 0 {
		if err = res.fetch(ctx, level); err == nil {
			level, err = res.choose(level)
		}
	}
	if err == nil {
		res.linkOptionalPeers()
	}
	return err
}

// edgesOf returns the edges of a manifest, sorted by name.
func edgesOf(by string, dependencies map[string]string, peer bool, into map[string]string) ([]edge, error) {
	edges := make([]edge, 0, len(dependencies))
	for _, name := range slices.Sorted(maps.Keys(dependencies)) {
		want, err := parseSpec(name, dependencies[name])
		if err != nil {
			return nil, blame(by, err)
		}
		edges = append(edges, edge{by, name, want, peer, into})
	}
	return edges, nil
}

// blame adds to an error which package asked for the missing one.
func blame(by string, err error) error {
	var coded *core.Error
	if by == "" || !errors.As(err, &coded) {
		return err
	}
	return core.Wrap(coded.Code, coded.Cause, "%s has a dependency that cannot be installed: %s", by, coded.Message)
}

// fetch gets the packuments of a level in parallel.
func (res *resolution) fetch(ctx context.Context, level []edge) error {
	var missing []edge
	for _, e := range level {
		_, chosen := res.reuse(e)
		if !chosen {
			_, chosen = res.fromSeed(e)
		}
		if _, known := res.packuments[e.want.name]; !known && !chosen {
			res.packuments[e.want.name] = nil
			missing = append(missing, e)
		}
	}
	if len(res.packuments) > res.limits.packages {
		return res.tooMany()
	}
	found := make([]*packument, len(missing))
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(parallelRequests)
	for i, e := range missing {
		group.Go(func() (err error) {
			found[i], err = res.registry.packument(groupCtx, e.want.name)
			return blame(e.by, err)
		})
	}
	if err := group.Wait(); err != nil {
		return explain(ctx, err, "the packages cannot be resolved")
	}
	for i, e := range missing {
		res.packuments[e.want.name] = found[i]
	}
	return nil
}

// choose gives every edge of a level its version and returns the edges of the next level.
// Peers come last, because the version that they ask for is often chosen on the same
// level.
func (res *resolution) choose(level []edge) ([]edge, error) {
	slices.SortStableFunc(level, func(a, b edge) int {
		switch {
		case a.peer == b.peer:
			return 0
		case a.peer:
			return 1
		}
		return -1
	})
	var next []edge
	for _, e := range level {
		added, err := res.chooseOne(e)
		if err != nil {
			return nil, err
		}
		next = append(next, added...)
	}
	return next, nil
}

func (res *resolution) chooseOne(e edge) ([]edge, error) {
	if key, found := res.reuse(e); found {
		res.compare(e, key)
		e.into[e.name] = key
		return nil, nil
	}
	chosen, seeded := res.fromSeed(e)
	if !seeded {
		var err error
		if chosen, err = res.packuments[e.want.name].pick(e.want); err != nil {
			return nil, blame(e.by, err)
		}
	}
	integrity, err := integrityOf(&chosen)
	if err != nil {
		return nil, err
	}
	pkg := &lockedPackage{
		Name: chosen.Name, Version: chosen.Version, Tarball: chosen.Dist.Tarball, Integrity: integrity,
		Dependencies: make(map[string]string),
	}
	e.into[e.name] = pkg.key()
	if res.lock.Packages[pkg.key()] != nil {
		return nil, nil
	}
	res.lock.Packages[pkg.key()] = pkg
	res.seeded[pkg.key()] = seeded
	if len(res.lock.Packages) > res.limits.packages {
		return nil, res.tooMany()
	}
	return res.needs(pkg, &chosen)
}

func (res *resolution) tooMany() error {
	return core.Errorf(core.CodeValidationFailed, "the dependencies need more than %d packages", res.limits.packages)
}

// fromSeed finds the version of the seed that fits an edge.
func (res *resolution) fromSeed(e edge) (manifest, bool) {
	if res.outgrown[e.want.name] {
		return manifest{}, false
	}
	return res.seed.pick(e.want)
}

// compare finds peers for which the seed is too old, and packages of the seed whose peer
// came from elsewhere although the seed has it too.
func (res *resolution) compare(e edge, key string) {
	if !e.peer {
		return
	}
	target := res.lock.Packages[key]
	v, err := semver.StrictNewVersion(target.Version)
	if res.seeded[key] && (err != nil || e.want.versions == nil || !e.want.versions.holds(v)) {
		res.outgrown[target.Name] = true
	}
	if res.seeded[e.by] && !res.seeded[key] && res.seed.has(e.want.name) {
		res.outgrown[packageNameOf(e.by)] = true
	}
}

// needs returns the edges of a newly chosen package.
func (res *resolution) needs(pkg *lockedPackage, m *manifest) ([]edge, error) {
	needed := m.needed()
	edges, err := edgesOf(pkg.key(), needed, false, pkg.Dependencies)
	if err != nil {
		return nil, err
	}
	peers, optional := make(map[string]string), make(map[string]string)
	for name, text := range m.PeerDependencies {
		_, also := needed[name]
		switch {
		case m.PeerDependenciesMeta[name].Optional:
			optional[name] = text
		case !also:
			peers[name] = text
		}
	}
	peerEdges, err := edgesOf(pkg.key(), peers, true, pkg.Dependencies)
	if err != nil {
		return nil, err
	}
	for name, text := range optional {
		if want, err := parseSpec(name, text); err == nil {
			res.optional = append(res.optional, edge{pkg.key(), name, want, true, pkg.Dependencies})
		}
	}
	return append(edges, peerEdges...), nil
}

// reuse finds a fitting version that is already chosen. A peer takes the project's own
// version, even out of range: two copies of a library that expects to be alone break more
// than an untested version.
func (res *resolution) reuse(e edge) (key string, found bool) {
	if e.peer {
		if key, found := res.lock.Roots[e.name]; found {
			return key, true
		}
	}
	if e.want.versions == nil {
		return "", false
	}
	var best *semver.Version
	for at, pkg := range res.lock.Packages {
		if pkg.Name != e.want.name {
			continue
		}
		v, err := semver.StrictNewVersion(pkg.Version)
		if err == nil && e.want.versions.holds(v) && (best == nil || v.GreaterThan(best) || v.Equal(best) && at > key) {
			best, key = v, at
		}
	}
	return key, best != nil
}

func (res *resolution) linkOptionalPeers() {
	for _, e := range res.optional {
		if _, linked := e.into[e.name]; linked {
			continue
		}
		if key, found := res.reuse(e); found {
			e.into[e.name] = key
		}
	}
}
