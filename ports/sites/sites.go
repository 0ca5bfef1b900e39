// Package sites is the port to the published builds.
package sites

import (
	"bytes"
	"cmp"
	"context"
	"io/fs"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Store keeps every deployment's files, immutable from the moment they are put.
// A failure of the disk, and content that is no longer what was put, have code
// core.CodeUnavailable.
type Store interface {
	// Put stores a deployment durably: after a crash it is there complete or not
	// at all. One that exists has code core.CodeConflict.
	Put(ctx context.Context, deployment core.ID, files []File) error
	// Open returns the files of a deployment, sorted by path, or
	// core.CodeNotFound.
	Open(ctx context.Context, deployment core.ID) ([]File, error)
	// Remove deletes a deployment. One that is not there is no error.
	Remove(ctx context.Context, deployment core.ID) error
}

// File is one file of a site, by its path without a leading slash. Immutable
// files carry their content's hash in their name.
type File struct {
	Path      string
	Content   []byte
	Immutable bool
}

// Arrange returns a copy of files, contents included, sorted by path byte by
// byte. Paths that a directory could not hold together have code
// core.CodeInvalidPath: what fs.ValidPath refuses, NUL, paths over 1024 and names over 255 bytes,
// one path twice, and a path that is a file and a directory.
func Arrange(files []File) ([]File, error) {
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	seen := make(map[string]bool, len(sorted))
	for i, file := range sorted {
		if !storable(file.Path) || seen[file.Path] {
			return nil, core.Errorf(core.CodeInvalidPath, "a site cannot hold the path %q", file.Path)
		}
		seen[file.Path] = true
		sorted[i].Content = bytes.Clone(file.Content)
	}
	for _, file := range sorted {
		for i, c := range file.Path {
			if c == '/' && seen[file.Path[:i]] {
				return nil, core.Errorf(core.CodeInvalidPath, "%q is a file and a directory", file.Path[:i])
			}
		}
	}
	return sorted, nil
}

func storable(path string) bool {
	if !fs.ValidPath(path) || path == "." || strings.ContainsRune(path, 0) || len(path) > core.MaxPathBytes {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		if len(name) > core.MaxSegmentBytes {
			return false
		}
	}
	return true
}
