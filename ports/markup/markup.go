// Package markup is the port that changes single values in style sheets and markup that
// people write by hand, without touching anything around them.
package markup

import (
	"context"
	"strings"
)

// Patch sets one property of the element or rule that a selector names.
//
// In a style sheet, Selector is that of a rule, compared ignoring white space and
// comments, and Property is the name of a declaration. Of several such rules the last
// one with the property counts, else the first. Rules inside of @media and similar ones
// only count if there is none outside.
//
// In markup, Selector is CSS: tag, "*", "#id", ".class", "[attr]" with any operator,
// ":nth-of-type()", ":nth-child()" and their first and last forms, joined by
// descendant, ">", "+" and "~". It selects the first matching element in the source.
// Every element has the attribute data-loc with the value "path:line:column" of its
// "<": lines and columns count from 1, columns in UTF-16 code units. Property is
// "textContent", an attribute, or a CSS property, which goes to the inline style; names
// may be written as in HTML, CSS or the DOM.
//
// With As, a CSS property of an element becomes a class of Tailwind instead. The class
// replaces those of the same variant that set nothing but what it sets, and the same
// declaration in the inline style; it takes the place of the first one. Values that name
// tokens of the theme as Tailwind does, var(--color-amber-700), var(--text-lg) or
// calc(var(--spacing) * 4), become the classes of these tokens; others become keywords or
// arbitrary values. An empty value removes the classes. In a call such as cn("p-4", x),
// or in a template, a text is edited that always counts, unless another part of the
// expression sets the property.
type Patch struct {
	Selector string `json:"selector"`
	Property string `json:"property"`
	Value    string `json:"value"`
	// As is AsClass, or "".
	As string `json:"as,omitempty"`
	// Variant restricts a class to a state or to widths, such as "hover" or "md:hover".
	Variant string `json:"variant,omitempty"`
	// Dialect says how the project writes classes. Clients cannot say it.
	Dialect Dialect `json:"-"`
	// Shown is the text that the page shows now, for textContent. If the element's text is
	// computed, or Selector is "", the patch sets the only literal of the source that says
	// the same: a string, or what a component gets as its text or as a property.
	Shown string `json:"shown,omitempty"`
	// Action changes the place of the element instead of a value; all patches of a call have
	// one, or none. Elements from loops and other expressions cannot be arranged, nor what is
	// all that a component shows. ActionBefore and ActionAfter move it beside its sibling that
	// Target selects, ActionWrap puts it into a new element, with all up to Target if that is
	// not "", and ActionDuplicate adds a copy, without ids and keys. None of them is idempotent.
	Action string `json:"action,omitempty"`
	Target string `json:"target,omitempty"`
}

// Values of Patch.Action.
const (
	ActionDelete    = "delete"
	ActionDuplicate = "duplicate"
	ActionWrap      = "wrap"
	ActionBefore    = "before"
	ActionAfter     = "after"
)

// Dialect is how a project writes classes of Tailwind. The zero value is the way of version 4 without
// options.
type Dialect struct {
	// Three means version 3, in which the mark of important classes leads ("hover:!p-4").
	Three bool `json:"three,omitzero"`
	// Prefix belongs to every class: to its name in version 3, as in "hover:-tw-ml-2" for "tw-", and as the
	// first variant in version 4, as in "tw:hover:-ml-2" for "tw". A class without it is none of Tailwind's.
	Prefix string `json:"prefix,omitzero"`
	// Separator stands between variants in version 3; "" is a colon.
	Separator string `json:"separator,omitzero"`
}

// AsClass is the value of Patch.As.
const AsClass = "class"

// Edit replaces the bytes from Start up to, but not including, End by Text.
type Edit struct {
	Start, End int
	Text       string
}

// Bounds of the patched files, in bytes.
const (
	MaxBytes = 1 << 20
	// MaxScriptBytes is the bound for scripts, JSX and TSX among them: their parser takes up to 4 KiB of
	// stack for each nesting byte, and a full stack kills the process.
	MaxScriptBytes = 128 << 10
)

// Patcher computes the edits of patches in a source. It may be used by many goroutines.
type Patcher interface {
	// Patch returns the edits that carry out the patches, in the order of the source
	// and without overlaps. All selectors are resolved against the given content; of
	// patches for the same property the last one counts. The content with the edits
	// made (Splice) can be parsed and has the requested values. It has the same
	// elements and rules, except for those that textContent replaces: a value never
	// ends its text, attribute or declaration. It is idempotent: the same patches on
	// the result change nothing.
	//
	// The name's extension decides the kind of content: .css, .html, .jsx or .tsx, or a
	// script without elements, .js, .mjs, .ts or .mts, which only takes patches without a
	// selector. The name is also the path in data-loc.
	//
	// It is all or nothing. The error is ctx's when ctx ends, or has the code
	//   - core.CodeUnsupportedFile for another kind of file, or one that is not UTF-8
	//     or cannot be followed exactly,
	//   - core.CodePayloadTooLarge for one above MaxBytes or MaxScriptBytes,
	//   - core.CodeBuildFailed, with diagnostics, for one that cannot be parsed,
	//   - core.CodeSelectorNotFound when a patch matches nothing in the
	//     source as a plain value: no element or rule, or one whose value is computed,
	//   - core.CodeValidationFailed for a selector, property or value that is malformed
	//     or would run code: event handlers, script addresses, raw HTML.
	Patch(ctx context.Context, name string, content []byte, patches []Patch) ([]Edit, error)
}

// Splice returns content with the edits made. They are in the order of content and do
// not overlap.
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
