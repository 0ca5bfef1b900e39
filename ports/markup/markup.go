// Package markup is how single values are changed in style sheets and markup that
// people write by hand, without touching anything around them.
package markup

import (
	"context"
	"strings"
)

// Patch sets one property of what a selector names.
//
// In a style sheet, Selector is that of a rule, compared without regard to white
// space and comments, and Property the name of a declaration. Of several such
// rules the last that has the property counts, else the first; those inside of
// @media and the like count where there is none outside.
//
// In markup, Selector is CSS: tag, "*", "#id", ".class", "[attr]" with any
// operator, ":nth-of-type()", ":nth-child()" and their first and last forms,
// joined by descendant, ">", "+" and "~". The first element in the source that it
// matches is meant. Every element has the attribute data-loc with the value
// "path:line:column" of its "<": lines and columns count from 1, columns in UTF-16
// code units. Property is "textContent", an attribute, or a CSS property, which
// goes to the inline style; names may be written as in HTML, CSS or the DOM.
type Patch struct {
	Selector string `json:"selector"`
	Property string `json:"property"`
	Value    string `json:"value"`
}

// Edit puts Text in the place of the bytes from Start up to, without, End.
type Edit struct {
	Start, End int
	Text       string
}

// Bounds of what is patched, in bytes.
const (
	MaxBytes = 1 << 20
	// MaxScriptBytes is that of JSX and TSX: their parser takes up to 4 KiB of stack
	// for a byte that nests, and a stack that is full ends the process.
	MaxScriptBytes = 128 << 10
)

// Patcher finds out what patches change in a source. It may be used by many
// goroutines.
type Patcher interface {
	// Patch returns the edits that carry out the patches, in the order of the source
	// and without overlaps. All selectors are resolved against content as it is
	// given; of patches for the same property the last one counts. The content with
	// the edits made (Splice) can be parsed, has the same elements and rules but for
	// what textContent replaces, and the values that were asked for: a value never
	// ends the text, attribute or declaration that it is put into. The same patches
	// on the outcome change nothing more.
	//
	// The name's extension says what content is: .css, .html, .jsx or .tsx. The name
	// is also the path in data-loc.
	//
	// All or nothing: otherwise the error has the code
	//   - core.CodeUnsupportedFile for another kind of file, or one that is not UTF-8
	//     or cannot be followed exactly,
	//   - core.CodePayloadTooLarge for one above MaxBytes or MaxScriptBytes,
	//   - core.CodeBuildFailed, with diagnostics, for one that cannot be parsed,
	//   - core.CodeSelectorNotFound when a patch matches nothing that stands in the
	//     source as a plain value: no element or rule, or one whose value is computed,
	//   - core.CodeValidationFailed for a selector, property or value that is malformed
	//     or would run code: event handlers, script addresses, raw HTML.
	// When ctx ends, it is ctx's error.
	Patch(ctx context.Context, name string, content []byte, patches []Patch) ([]Edit, error)
}

// Splice returns content with the edits made. They stand in the order of content
// and do not overlap.
func Splice(content []byte, edits []Edit) []byte {
	var out strings.Builder
	done := 0
	for _, edit := range edits {
		out.Write(content[done:edit.Start])
		out.WriteString(edit.Text)
		done = edit.End
	}
	out.Write(content[done:])
	return []byte(out.String())
}
