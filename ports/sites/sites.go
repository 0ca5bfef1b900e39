// Package sites is the port to the published builds.
package sites

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Store stores every deployment's files, which are immutable. It may be used by many goroutines.
// A missing deployment, or a missing file of one, has code core.CodeNotFound. A failure of the
// disk, and corrupted content, has core.CodeUnavailable.
type Store interface {
	// Put stores a deployment durably and atomically: after a crash it is complete or does not
	// exist. It returns core.CodeConflict if it exists, and core.CodeInvalidPath for paths that
	// Arrange refuses.
	Put(ctx context.Context, deployment core.ID, files []File) error
	// List returns the entries of a deployment, sorted by path.
	List(ctx context.Context, deployment core.ID) ([]Entry, error)
	// Read returns the whole content of a file from List, and checks its digest.
	Read(ctx context.Context, deployment core.ID, entry Entry) ([]byte, error)
	// Stream opens the content of a file from List without reading it into memory. It only checks
	// the size against the entry. The caller closes it.
	Stream(ctx context.Context, deployment core.ID, entry Entry) (io.ReadSeekCloser, error)
	// Pack makes the compressed forms of a deployment's Packable files, once per content across
	// all deployments. It is idempotent and cheap if they exist already.
	Pack(ctx context.Context, deployment core.ID) error
	// Packed returns the compressed form of a file from List. It is empty if compression gains
	// nothing; made is false until Pack has made it.
	Packed(ctx context.Context, deployment core.ID, entry Entry, as Encoding) (content []byte, made bool, err error)
	// Remove deletes a deployment, and its contents that no other uses. It is idempotent: a
	// missing one is no error.
	Remove(ctx context.Context, deployment core.ID) error
}

// Checker checks the storage of a Store. An adapter with such storage implements it, too.
type Checker interface {
	// Check returns core.CodeUnavailable if deployments cannot be stored. It makes a test write
	// and removes it.
	Check(ctx context.Context) error
}

// File is one file of a site, by its path without a leading slash. Immutable
// files carry their content's hash in their name.
type File struct {
	Path      string
	Content   []byte
	Immutable bool
}

// Entry is a file as a deployment lists it. Size is in bytes, Digest the SHA-256
// of the content in hexadecimal.
type Entry struct {
	Path      string `json:"path"`
	Size      int64  `json:"size"`
	Digest    string `json:"sha256"`
	Immutable bool   `json:"immutable"`
}

// Describe returns the entry of a file.
func Describe(file File) Entry {
	sum := sha256.Sum256(file.Content)
	return Entry{file.Path, int64(len(file.Content)), hex.EncodeToString(sum[:]), file.Immutable}
}

// Encoding is a compressed form, by its name in Content-Encoding.
type Encoding string

// The compressed forms.
const (
	Brotli Encoding = "br"
	Gzip   Encoding = "gzip"
)

// Sizes of files that have compressed forms, in bytes: smaller ones fit into one
// packet either way, larger ones are not held in memory.
const (
	MinPackable = 512
	MaxPackable = 16 << 20
)

// Packable reports whether a file is worth compressing. Images, fonts, films and archives are
// compressed already.
func Packable(path string, size int64) bool {
	if size < MinPackable || size > MaxPackable {
		return false
	}
	switch strings.ToLower(path[strings.LastIndexByte(path, '.')+1:]) {
	case "html", "htm", "css", "js", "mjs", "cjs", "json", "map", "svg", "xml", "txt", "md", "csv", "wasm", "ttf", "otf", "ico", "webmanifest", "rss", "atom":
		return true
	}
	return false
}

// Arrange returns a copy of files, contents included, sorted by path byte by byte. It returns
// core.CodeInvalidPath for paths that a directory could not hold together: those that
// fs.ValidPath refuses, NUL, paths over 1024 and names over 255 bytes, duplicates, and a path
// that is both a file and a directory.
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
