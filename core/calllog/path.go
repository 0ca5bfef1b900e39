package calllog

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// plainParameters are the parameters of PocketBase's interface whose values say how an answer
// looks. All others may hold what somebody searched for, or a token.
var plainParameters = []string{"page", "perPage", "sort", "expand", "fields", "skipTotal"}

// ShownPath returns what the log keeps of a path. Parts that look like a token or an e-mail address
// are left out.
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
	// leftOut stands for what the log does not keep.
	leftOut = "…"
	// maxPlainBytes is the longest part of a path that may hold digits; the ids of records have
	// 15 bytes.
	maxPlainBytes = 24
	// maxValueBytes bounds the value of a parameter.
	maxValueBytes = 80
)

// isPrivate reports whether part of a path looks like a token or an address.
func isPrivate(part string) bool {
	return strings.Contains(part, "@") || len(part) > maxPlainBytes && strings.ContainsFunc(part, unicode.IsDigit)
}

// shownQuery returns what the log keeps of the query of a request for data: plainParameters, and
// whether there is a filter or anything else.
func shownQuery(query url.Values) string {
	var shown []string
	others := false
	if query.Has("filter") {
		shown = append(shown, "filter="+leftOut)
	}
	for _, name := range plainParameters {
		if query.Has(name) {
			shown = append(shown, name+"="+cut(query.Get(name), maxValueBytes))
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
