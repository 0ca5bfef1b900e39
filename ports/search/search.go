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

// Limits of a search (contract, section 5).
const (
	DefaultLimit    = 50
	MaxLimit        = 1000
	MaxLineChars    = 500
	MaxPatternBytes = 1000
)

// Engine searches.
type Engine interface {
	// Search returns one match for each line that matches, sorted by path and
	// line, and whether there are more than query.Limit. Files with a NUL byte in
	// their first 8 KiB, and what core.ProjectPath.Generated says, are passed
	// over; so is the rest of a line behind its first 64 KiB.
	//
	// A pattern that is not RE2, or that costs too much to run, has code
	// core.CodeInvalidRegex. The search ends with ctx.
	Search(ctx context.Context, files fs.FS, query Query) (Found, error)
}

// Found is what a search found.
type Found struct {
	Matches   []core.Match `json:"matches"`
	Truncated bool         `json:"truncated"`
}
