package files

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// pathSet is a set of paths, each with everything below it.
type pathSet map[core.ProjectPath]bool

// covers reports whether path is in the set or below a path in it.
func (s pathSet) covers(path core.ProjectPath) bool { return s[path] || s.coversAbove(path) }

// coversAbove reports whether path is below a path in the set.
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
