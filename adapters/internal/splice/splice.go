// Package splice finds the bytes of a style sheet or a page that a patch changes.
// It is what the adapters of ports/markup have in common; they bring along how
// JSX is parsed.
package splice

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/markup"
)

// Locate returns the offsets of the "<" of elements and fragments in JSX or TSX, in
// ascending order, and none for scripts without. It must include all elements in expressions; the scanner finds those
// that are children of others. Text that cannot be parsed has code core.CodeBuildFailed.
type Locate func(ctx context.Context, name, text string) ([]int, error)

// Patch implements markup.Patcher.
func Patch(ctx context.Context, locate Locate, name string, content []byte, patches []markup.Patch) ([]markup.Edit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	text, err := textOf(name, content)
	if err != nil {
		return nil, err
	}
	for _, patch := range patches {
		if strings.ContainsFunc(patch.Selector+patch.Target+patch.Property+patch.Value, isForbidden) {
			return nil, invalid("a patch has a control character, or is not UTF-8 text")
		}
	}
	patchElements := patchElements
	if acts := func(patch markup.Patch) bool { return patch.Action != "" || patch.Target != "" }; slices.ContainsFunc(patches, acts) {
		if extension(name) == ".css" {
			return nil, invalid("a style sheet has no elements to arrange")
		}
		patchElements = arrangeElements
	}
	switch extension(name) {
	case ".css":
		return patchStyles(ctx, name, text, patches)
	case ".html":
		return patchElements(ctx, htmlSource{}, name, text, patches)
	case ".jsx", ".tsx":
		return patchElements(ctx, jsxSource{ctx, locate}, name, text, patches)
	case ".js", ".mjs", ".ts", ".mts":
		if slices.ContainsFunc(patches, func(patch markup.Patch) bool { return patch.Selector != "" || patch.Shown == "" }) {
			return nil, core.Errorf(core.CodeUnsupportedFile, "a script has no elements: only a text that the page shows can be patched in it, without a selector")
		}
		return patchElements(ctx, jsxSource{ctx, locate}, name, text, patches)
	}
	return nil, core.Errorf(core.CodeUnsupportedFile, "only .css, .html, .jsx, .tsx, .js, .mjs, .ts and .mts files can be patched")
}

// isForbidden reports whether a character is allowed in no text.
func isForbidden(r rune) bool {
	return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r", r) || r == utf8.RuneError
}

func extension(name string) string { return strings.ToLower(path.Ext(name)) }

func textOf(name string, content []byte) (string, error) {
	limit := markup.MaxBytes
	if ext := extension(name); ext != ".css" && ext != ".html" {
		limit = markup.MaxScriptBytes
	}
	if len(content) > limit {
		return "", core.Errorf(core.CodePayloadTooLarge, "%s is larger than %d bytes", name, limit)
	}
	if !utf8.Valid(content) {
		return "", core.Errorf(core.CodeUnsupportedFile, "%s is not UTF-8 text", name)
	}
	return string(content), nil
}

// span is a range of bytes.
type span struct{ start, end int }

func (s span) in(text string) string { return text[s.start:s.end] }

func (s span) with(text string) markup.Edit {
	return markup.Edit{Start: s.start, End: s.end, Text: text}
}

func insertion(at int, text string) markup.Edit { return markup.Edit{Start: at, End: at, Text: text} }

// ordered sorts edits by position, drops those that change nothing, and refuses those
// that overlap.
func ordered(text string, edits []markup.Edit) ([]markup.Edit, error) {
	edits = slices.DeleteFunc(edits, func(e markup.Edit) bool { return text[e.Start:e.End] == e.Text })
	slices.SortStableFunc(edits, func(a, b markup.Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	for i := 1; i < len(edits); i++ {
		if edits[i].Start < edits[i-1].End {
			return nil, core.Errorf(core.CodeValidationFailed, "two patches overlap")
		}
	}
	return edits, nil
}

func notFound(format string, args ...any) error {
	return core.Errorf(core.CodeSelectorNotFound, format, args...)
}

func invalid(format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, format, args...)
}

// errChanged is for edits whose result is not the source with other values.
func errChanged() error {
	return invalid("the patches would change more than single values")
}

// broken is the error for a source that cannot be parsed.
func broken(name, text string, at int, message string) error {
	failure := core.Errorf(core.CodeBuildFailed, "%s cannot be parsed: %s", name, message)
	places := newPlaces(text)
	line, column := places.of(min(at, len(text)))
	failure.Diagnostics = []core.Diagnostic{{Path: name, Line: line, Column: column, Message: message}}
	return failure
}

// places converts ascending offsets to lines and columns.
type places struct {
	text         string
	at           int
	line, column int
}

func newPlaces(text string) *places { return &places{text: text, line: 1, column: 1} }

// of returns the place of an offset: both numbers count from 1, columns in UTF-16 code
// units. A byte order mark takes no column.
func (p *places) of(offset int) (line, column int) {
	for p.at < offset {
		r, size := utf8.DecodeRuneInString(p.text[p.at:])
		p.at += size
		switch {
		case r == '\r' && strings.HasPrefix(p.text[p.at:], "\n"):
			p.at++
			fallthrough
		case r == '\n', r == '\r', r == '\u2028', r == '\u2029':
			p.line, p.column = p.line+1, 1
		case r == '\ufeff' && p.at == size:
		case r > 0xffff:
			p.column += 2
		default:
			p.column++
		}
	}
	return p.line, p.column
}

// newlineOf returns the text's line ending.
func newlineOf(text string) string {
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// indentAt returns the text before an offset on its line, and whether that is white space
// alone.
func indentAt(text string, at int) (indent string, alone bool) {
	start := strings.LastIndexAny(text[:at], "\r\n") + 1
	before := strings.TrimPrefix(text[start:at], "\ufeff")
	length := len(before) - len(strings.TrimLeft(before, " \t"))
	return before[:length], length == len(before)
}
