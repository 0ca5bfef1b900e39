package build

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// SyntaxChecker checks whether a single source can be parsed, without the project
// around it. It may be used by many goroutines.
type SyntaxChecker interface {
	// Syntax returns the syntax errors of a source, and nothing for an unknown kind of
	// file. The name decides the kind: scripts (.js, .jsx, .mjs, .cjs, .ts, .tsx,
	// .mts, .cts), .css, .html, .json, and JSON with comments (.jsonc, tsconfig*.json,
	// jsconfig*.json). Each diagnostic has the given name.
	//
	// A source that ends too early is an error in every kind. That includes a style
	// sheet whose end would close everything open, and a page with an unclosed tag,
	// comment, or element that requires an end tag, which browsers would show. A byte
	// order mark at the beginning is ignored.
	//
	// Syntax errors are never the method's error: that means that the checker itself
	// failed (core.CodeUnavailable) or that ctx ended.
	Syntax(ctx context.Context, name string, content []byte) ([]core.Diagnostic, error)
}
