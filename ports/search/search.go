// Package search is the port to searching a project's files.
package search

import (
	"context"
	"io/fs"

	"github.com/atelierhq/atelier/core"
)

// Query is a search. Pattern is a regular expression in RE2 syntax, matched line
// by line; Limit is the most matches to return.
type Query struct {
	Pattern string
	Limit   int
}

// Limits of a search.
const (
	DefaultLimit    = 50
	MaxLimit        = 1000
	MaxLineChars    = 500
	MaxPatternBytes = 1000
)

// Engine searches.
type Engine interface {
	// Search returns the first match of each line that matches, sorted by path and
	// line, and whether there are more than query.Limit. A line is searched without
	// its ending, "\n" or "\r\n", and up to its first 64 KiB; invalid UTF-8 in it
	// is matched and shown as the replacement character.
	//
	// It skips files with a NUL byte in their first 8 KiB, anything but regular
	// files and directories, paths for which core.ProjectPath.Generated is true,
	// names that are not a valid ProjectPath, and files that were deleted
	// meanwhile. Any other failure to read has code core.CodeUnavailable.
	//
	// A pattern that is not RE2, is longer than MaxPatternBytes or costs too much
	// to run has code core.CodeInvalidRegex. Soon after ctx ends, Search returns
	// its error.
	Search(ctx context.Context, files fs.FS, query Query) (Found, error)
}

// Found is the result of a search.
type Found struct {
	Matches   []core.Match `json:"matches"`
	Truncated bool         `json:"truncated"`
}
