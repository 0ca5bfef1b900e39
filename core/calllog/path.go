package calllog

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// plainParameters are parameters of PocketBase's API whose values only format the answer.
// Other parameters may contain search terms or tokens.
var plainParameters = []string{"page", "perPage", "sort", "expand", "fields", "skipTotal"}

// ShownPath returns the part of a path that the log keeps. It omits parts that look like a
// token or an e-mail address.
func ShownPath(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if isPrivate(part) {
			parts[i] = leftOut
		}
	}
	return strings.Join(parts, "/")
}

const (
	// leftOut replaces what the log does not keep.
	leftOut = "…"
	// maxPlainBytes is the longest part of a path that may have digits. Ids of records have 15 bytes.
	maxPlainBytes = 24
	// maxValueBytes bounds the value of a parameter.
	maxValueBytes = 80
)

// isPrivate reports whether part of a path looks like a token or an e-mail address.
func isPrivate(part string) bool {
	return strings.Contains(part, "@") || len(part) > maxPlainBytes && strings.ContainsFunc(part, unicode.IsDigit)
}

// shownQuery returns the part of a query that the log keeps: plainParameters, and whether
// there is a filter or anything else.
func shownQuery(query url.Values) string {
	var shown []string
	others := false
	if query.Has("filter") {
		shown = append(shown, "filter="+leftOut)
	}
	for _, name := range plainParameters {
		if query.Has(name) {
			shown = append(shown, name+"="+core.Shorten(query.Get(name), maxValueBytes))
		}
	}
	for name := range query {
		others = others || name != "filter" && !slices.Contains(plainParameters, name)
	}
	if others {
		shown = append(shown, leftOut)
	}
	if len(shown) == 0 {
		return ""
	}
	return "?" + strings.Join(shown, "&")
}
