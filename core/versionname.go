package core

import (
	"fmt"
	"slices"
)

// maxNamedPath is how many characters of a path the name of a version shows, the last
// ones.
const maxNamedPath = 48

// NameOfChanges names a version that the agent made, by the paths that it changed and what was done to them.
// It is the name of each such version to which no person gave another, and has no word of a message: everybody
// sees the versions of a public project, but not its chats.
func NameOfChanges(paths []string, actions map[string]FileAction) string {
	switch len(paths) {
	case 0:
		return "Change files"
	case 1:
		return verbOf(paths, actions) + " " + endOf(paths[0])
	case 2:
		return verbOf(paths, actions) + " " + endOf(paths[0]) + " and " + endOf(paths[1])
	}
	return fmt.Sprintf("%s %s and %d more", verbOf(paths, actions), endOf(paths[0]), len(paths)-1)
}

// verbOf is the verb for what was done to the paths, if it is the same for all.
func verbOf(paths []string, actions map[string]FileAction) string {
	first := actions[paths[0]]
	if slices.ContainsFunc(paths, func(path string) bool { return actions[path] != first }) {
		return "Change"
	}
	switch first {
	case FileCreated:
		return "Add"
	case FileDeleted:
		return "Delete"
	case FileRenamed:
		return "Rename to"
	}
	return "Change"
}

func endOf(path string) string {
	if runes := []rune(path); len(runes) > maxNamedPath {
		return "…" + string(runes[len(runes)-maxNamedPath+1:])
	}
	return path
}
