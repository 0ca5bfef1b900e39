package backend

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// textOf returns a value as a text.
func textOf(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case float64:
		return strconv.FormatFloat(value, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// textsOf returns a value as a list of texts, without empty ones.
func textsOf(value any) []string {
	var texts []string
	switch value := value.(type) {
	case []string:
		texts = value
	case []any:
		for _, one := range value {
			texts = append(texts, textOf(one))
		}
	case string:
		if json.Unmarshal([]byte(value), &texts) != nil {
			texts = []string{value}
		}
	default:
		texts = []string{textOf(value)}
	}
	return slices.DeleteFunc(slices.Clone(texts), func(text string) bool { return text == "" })
}

// unique returns a list without what is in it twice. It is not nil.
func unique(texts []string) []string {
	kept := []string{}
	for _, text := range texts {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// numberOf returns a value as a number, and itself if it is none, which check refuses.
func numberOf(value any) any {
	switch value := value.(type) {
	case nil:
		return 0.0
	case bool:
		return truth(value)
	case string:
		if value == "" {
			return 0.0
		}
		if number, err := strconv.ParseFloat(value, 64); err == nil {
			return number
		}
	}
	return value
}

func truth(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

func geoPointOf(value any) any {
	if text, ok := value.(string); ok {
		_ = json.Unmarshal([]byte(text), &value)
	}
	members, _ := value.(map[string]any)
	lon, _ := numberOf(members["lon"]).(float64)
	lat, _ := numberOf(members["lat"]).(float64)
	return map[string]any{"lon": lon, "lat": lat}
}

// plain returns a value as SQLite would hold it: nil, float64 or string.
func plain(value any) any {
	switch value := value.(type) {
	case nil, float64, string:
		return value
	case bool:
		return truth(value)
	case int64:
		return float64(value)
	case int:
		return float64(value)
	}
	return textOf(value)
}

// compare orders two plain values: null, numbers, texts. A text that is a number is compared
// with a number as one.
func compare(a, b any) int {
	left, leftText := a.(string)
	right, rightText := b.(string)
	switch {
	case a == nil || b == nil:
		return cmp.Compare(truth(a != nil), truth(b != nil))
	case leftText && rightText:
		return strings.Compare(left, right)
	case leftText:
		if number, err := strconv.ParseFloat(left, 64); err == nil {
			return cmp.Compare(number, b.(float64))
		}
		return 1
	case rightText:
		return -compare(b, a)
	}
	return cmp.Compare(a.(float64), b.(float64))
}

// like reports whether a text matches a pattern of SQL's LIKE with backslashes as escapes:
// % is any text, _ any character, letters are equal in either case.
func like(text, pattern string) bool {
	t, p := []rune(strings.ToLower(text)), []rune(strings.ToLower(pattern))
	at, in, star, mark := 0, 0, -1, 0
	for at < len(t) {
		switch literal, width := patternRune(p, in); {
		case in < len(p) && p[in] == '%':
			star, mark = in, at
			in++
		case in < len(p) && (p[in] == '_' || literal == t[at]):
			in += width
			at++
		case star >= 0:
			mark++
			at, in = mark, star+1
		default:
			return false
		}
	}
	for in < len(p) && p[in] == '%' {
		in++
	}
	return in == len(p)
}

// patternRune returns the character that a pattern has at a place, and its width there.
func patternRune(pattern []rune, at int) (rune, int) {
	if at+1 < len(pattern) && pattern[at] == '\\' {
		return pattern[at+1], 2
	}
	if at < len(pattern) {
		return pattern[at], 1
	}
	return -1, 1
}

// wildcard returns the pattern of a filter's ~: the text anywhere, unless it has a % itself.
func wildcard(text string) string {
	if strings.Contains(strings.ReplaceAll(text, `\%`, ""), "%") {
		return text
	}
	return "%" + strings.NewReplacer(`\`, `\\`, `_`, `\_`, `\%`, `\%`).Replace(text) + "%"
}
