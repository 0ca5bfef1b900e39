package backend

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// picked reduces an answer to the members that the parameter fields names.
func picked(answer any, fields string) any {
	members, ok := answer.(map[string]any)
	if items, isList := members["items"].([]any); ok && isList {
		members["items"] = pick(items, fields)
		return members
	}
	if !ok {
		return answer
	}
	return pick(answer, fields)
}

// checkFields refuses modifiers in the parameter fields that are not there.
func checkFields(fields string) error {
	for _, path := range splitFields(fields) {
		_, modifier, isModified := strings.Cut(path, ":")
		if isModified && !excerptPattern.MatchString(strings.TrimSpace(modifier)) {
			return refusal(http.StatusBadRequest, "The parameter fields is malformed.")
		}
	}
	return nil
}

// pick leaves only the members that the parameter fields names: a, expand.b.c, *, text:excerpt(10).
func pick(value any, fields string) any {
	if fields == "" {
		return value
	}
	return pickPaths(value, splitFields(fields))
}

// splitFields splits at commas outside of parentheses.
func splitFields(fields string) []string {
	var parts []string
	depth, start := 0, 0
	for i, c := range fields {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth <= 0:
			parts = append(parts, fields[start:i])
			start = i + 1
		}
	}
	return append(parts, fields[start:])
}

// pickPaths leaves only the members at paths.
func pickPaths(value any, paths []string) any {
	switch value := value.(type) {
	case []any:
		picked := make([]any, len(value))
		for i, one := range value {
			picked[i] = pickPaths(one, paths)
		}
		return picked
	case map[string]any:
		picked := make(map[string]any)
		for _, path := range paths {
			path, modifier, _ := strings.Cut(strings.TrimSpace(path), ":")
			first, _, more := strings.Cut(path, ".")
			for name, member := range value {
				switch {
				case first != "*" && first != name:
				case more:
					picked[name] = pickPaths(member, under(paths, name))
				default:
					picked[name] = excerpt(member, modifier)
				}
			}
		}
		return picked
	}
	return value
}

// under returns the rest of the paths that begin with a name.
func under(paths []string, name string) []string {
	var rest []string
	for _, path := range paths {
		first, further, more := strings.Cut(strings.TrimSpace(path), ".")
		if more && (first == name || first == "*") {
			rest = append(rest, further)
		}
	}
	return rest
}

var (
	excerptPattern = regexp.MustCompile(`^excerpt\(\s*(\d{1,6})\s*(?:,\s*(true|false)\s*)?\)$`)
	tagPattern     = regexp.MustCompile(`<[^>]*>`)
)

// excerpt shortens a text without its markup.
func excerpt(value any, modifier string) any {
	parts := excerptPattern.FindStringSubmatch(modifier)
	text, isText := value.(string)
	if parts == nil || !isText {
		return value
	}
	most, _ := strconv.Atoi(parts[1])
	text = strings.Join(strings.Fields(tagPattern.ReplaceAllString(text, " ")), " ")
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	text = strings.TrimSpace(string([]rune(text)[:most]))
	if parts[2] == "true" {
		text += "..."
	}
	return text
}
