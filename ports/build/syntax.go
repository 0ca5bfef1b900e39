package build

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SyntaxChecker tells whether a single source can be read at all, without the
// project around it. It may be used by many goroutines.
type SyntaxChecker interface {
	// Syntax returns what keeps a source from being read, and nothing for a kind of
	// file that it does not know. The name says what kind a source is: scripts (.js,
	// .jsx, .mjs, .cjs, .ts, .tsx, .mts, .cts), .css, .html, .json, and JSON with
	// comments (.jsonc, tsconfig*.json, jsconfig*.json). Each diagnostic names the
	// source by the name that was given.
	//
	// What ends too early is broken in every kind: a style sheet although its end
	// would close all that is open, and a page, which browsers show in any state, when
	// a tag, a comment, or an element whose end tag may not be left out is never
	// closed. A byte order mark at the beginning counts as nothing.
	//
	// Mistakes are never an error: an error means that the checker itself could not
	// work (core.CodeUnavailable) or that ctx ended.
	Syntax(ctx context.Context, name string, content []byte) ([]core.Diagnostic, error)
}
