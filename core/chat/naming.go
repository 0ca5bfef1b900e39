package chat

import (
	"fmt"
	"slices"

	"github.com/atelierhq/atelier/core"
)

// maxNamedPath is how many characters of a path the name of a version shows, the last
// ones.
const maxNamedPath = 48

// versionName names a version by the paths that it changed and what was done to them. A
// path without a recorded action, such as the old one of a renamed file, counts only if
// there is no other.
func versionName(changed []core.ProjectPath, actions map[string]core.FileAction) string {
	var paths []string
	for _, path := range changed {
		if _, told := actions[path.String()]; told {
			paths = append(paths, path.String())
		}
	}
	if len(paths) == 0 {
		for _, path := range changed {
			paths = append(paths, path.String())
		}
	}
	switch len(paths) {
	case 0:
		return "Change files"
	case 1:
		return verbOf(paths, actions) + " " + shorten(paths[0])
	case 2:
		return verbOf(paths, actions) + " " + shorten(paths[0]) + " and " + shorten(paths[1])
	}
	return fmt.Sprintf("%s %s and %d more", verbOf(paths, actions), shorten(paths[0]), len(paths)-1)
}

// verbOf is the verb for what was done to the paths, if it is the same for all.
func verbOf(paths []string, actions map[string]core.FileAction) string {
	first := actions[paths[0]]
	if slices.ContainsFunc(paths, func(path string) bool { return actions[path] != first }) {
		return "Change"
	}
	switch first {
	case core.FileCreated:
		return "Add"
	case core.FileDeleted:
		return "Delete"
	case core.FileRenamed:
		return "Rename to"
	}
	return "Change"
}

func shorten(path string) string {
	if runes := []rune(path); len(runes) > maxNamedPath {
		return "…" + string(runes[len(runes)-maxNamedPath+1:])
	}
	return path
}
