package files

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// pathSet is a set of paths that stand for themselves and all below them.
type pathSet map[core.ProjectPath]bool

// covers reports whether path is one of the set or lies below one.
func (s pathSet) covers(path core.ProjectPath) bool { return s[path] || s.coversAbove(path) }

// coversAbove reports whether path lies below one of the set.
func (s pathSet) coversAbove(path core.ProjectPath) bool {
	for !path.IsRoot() {
		if path = path.Dir(); s[path] {
			return true
		}
	}
	return false
}

func (s pathSet) sorted() []core.ProjectPath {
	return slices.SortedFunc(maps.Keys(s), func(a, b core.ProjectPath) int { return strings.Compare(a.String(), b.String()) })
}

func setOf(paths []core.ProjectPath) pathSet {
	set := make(pathSet, len(paths))
	for _, path := range paths {
		set[path] = true
	}
	return set
}
