package esbuild

import (
	"maps"
	"slices"

	"github.com/atelierhq/atelier/ports/build"
)

// shelf collects the files of a result by path. What is put later replaces what
// was there.
type shelf map[string]build.File

func (s shelf) put(name string, content []byte, immutable bool) {
	s[name] = build.File{Path: name, Content: content, Immutable: immutable}
}

func (s shelf) sorted() []build.File {
	files := make([]build.File, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		files = append(files, s[name])
	}
	return files
}
