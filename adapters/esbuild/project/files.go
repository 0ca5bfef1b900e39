package project

import (
	"maps"
	"slices"

	"github.com/atelierhq/atelier/ports/build"
)

// Files collects the files of a result by path. A later file replaces an earlier one.
type Files map[string]build.File

// Put adds a file. The content of an immutable file never changes under its
// path.
func (s Files) Put(name string, content []byte, immutable bool) {
	s[name] = build.File{Path: name, Content: content, Immutable: immutable}
}

// Sorted returns the files by path.
func (s Files) Sorted() []build.File {
	files := make([]build.File, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		files = append(files, s[name])
	}
	return files
}
