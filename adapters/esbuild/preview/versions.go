package preview

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
)

// versions computes the version of every module of a graph. A version is a digest of the
// module and of the versions of its imports, except imports that can be replaced in the
// page by themselves (see replaceable). So the change of a module propagates to its
// importers, up to the first replaceable one, and no further.
//
// The digest must not cover everything that a module reaches. A page holds a module once
// for every address under which it is imported. If the edit of a component changed the
// versions of all its importers, importers with state (a context, a store, a cache) would
// exist twice, and the two halves of the page would use different copies.
//
// Modules that import each other in a circle share what their digests cover.
type versions struct {
	graph *graph
	// own are the digests of the modules themselves.
	own map[moduleID][sha256.Size]byte

	of map[moduleID]string
	// The rest is Tarjan's algorithm: the order of discovery, the earliest module that
	// each leads back to, and the modules that wait for the end of their circle.
	met, low map[moduleID]int
	waiting  []moduleID
	isIn     map[moduleID]bool
}

// versionsOf computes the versions by module. entries are the modules that pages name.
// They cannot be replaced, because they start something.
func versionsOf(g *graph, own map[moduleID][sha256.Size]byte) map[moduleID]string {
	v := &versions{
		graph: g, own: own, of: make(map[moduleID]string, len(own)),
		met: make(map[moduleID]int), low: make(map[moduleID]int), isIn: make(map[moduleID]bool),
	}
	for _, id := range g.order {
		if v.met[id] == 0 {
			v.visit(id)
		}
	}
	return v.of
}

// replaceable reports whether a new version of a module can replace the old one while its
// importers stay.
func (m *module) replaceable() bool {
	return m.style != nil || m.refresh.boundary || m.refresh.accepts
}

// seen returns what the importers of a module see of it, once it is settled: nothing of a
// replaceable module except the names that a style sheet exports.
func (v *versions) seen(id moduleID) string {
	switch m := v.graph.modules[id]; {
	case !m.replaceable():
		return v.of[id]
	case m.style != nil:
		return string(m.code)
	}
	return ""
}

func (v *versions) visit(id moduleID) {
	v.met[id] = len(v.met) + 1
	v.low[id] = v.met[id]
	v.waiting = append(v.waiting, id)
	v.isIn[id] = true
	for _, target := range v.graph.modules[id].imports {
		if v.graph.modules[target].replaceable() {
			continue
		}
		if v.met[target] == 0 {
			v.visit(target)
			v.low[id] = min(v.low[id], v.low[target])
		} else if v.isIn[target] {
			v.low[id] = min(v.low[id], v.met[target])
		}
	}
	if v.low[id] == v.met[id] {
		first := len(v.waiting) - 1
		for v.waiting[first] != id {
			first--
		}
		v.settle(first)
	}
}

// settle assigns versions to the modules of a circle, which may be a single module.
func (v *versions) settle(first int) {
	circle := slices.Clone(v.waiting[first:])
	v.waiting = v.waiting[:first]
	slices.SortFunc(circle, func(a, b moduleID) int { return slices.Compare(a.parts(), b.parts()) })
	shared := sha256.New()
	for _, id := range circle {
		own := v.own[id]
		shared.Write(own[:])
		for _, target := range v.graph.modules[id].imports {
			fmt.Fprintf(shared, "%q %q\n", target.parts(), v.seen(target))
		}
	}
	sum := shared.Sum(nil)
	for _, id := range circle {
		v.isIn[id] = false
		version := sha256.Sum256(fmt.Appendf(nil, "%q %x", id.parts(), sum))
		v.of[id] = hex.EncodeToString(version[:len(versionSign)/2])
	}
}

func (id moduleID) parts() []string { return []string{id.namespace, id.name, id.suffix} }
