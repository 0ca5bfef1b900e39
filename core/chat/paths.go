package chat

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// pathsOfEvents returns the paths of changed files. For a renamed file the events
// have only the new path; the old one is in the intent.
func pathsOfEvents(changed []core.FileChanged, intent *core.Intent) []core.ProjectPath {
	var paths []core.ProjectPath
	for _, file := range changed {
		if path, err := core.ParsePath(file.Path); err == nil {
			paths = append(paths, path)
		}
		if file.Action == core.FileRenamed && intent != nil && intent.Shown() == file.Path {
			paths = append(paths, pathsOfIntent(*intent)...)
		}
	}
	return paths
}

// pathsOfIntent returns the paths that a change is about.
func pathsOfIntent(intent core.Intent) []core.ProjectPath {
	var paths []core.ProjectPath
	for _, text := range []string{intent.Path, intent.To} {
		if path, err := core.ParsePath(text); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func containsPath(paths []core.ProjectPath, path core.ProjectPath) bool {
	return slices.ContainsFunc(paths, func(above core.ProjectPath) bool { return above.Contains(path) })
}

// maxChangedPaths bounds how many paths a run's row names one by one.
const maxChangedPaths = 1000

// pathUnion returns the union of paths and more, sorted. If there are too many, it
// replaces the deepest by their directories.
func pathUnion(paths, more []core.ProjectPath) []core.ProjectPath {
	all := slices.Concat(paths, more)
	for {
		slices.SortFunc(all, func(a, b core.ProjectPath) int { return strings.Compare(a.String(), b.String()) })
		all = slices.Compact(all)
		deepest := 0
		for _, path := range all {
			deepest = max(deepest, strings.Count(path.String(), "/"))
		}
		if len(all) <= maxChangedPaths || deepest == 0 {
			return all
		}
		for i, path := range all {
			if strings.Count(path.String(), "/") == deepest {
				all[i] = path.Dir()
			}
		}
	}
}
