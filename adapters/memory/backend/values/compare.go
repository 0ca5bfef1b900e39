package values

import (
	"cmp"
	"strconv"
	"strings"
)

// Compare orders two plain values: null, numbers, texts. A text that is a number is compared
// with a number as one.
func Compare(a, b any) int {
	left, leftText := a.(string)
	right, rightText := b.(string)
	switch {
	case a == nil || b == nil:
		return cmp.Compare(Truth(a != nil), Truth(b != nil))
	case leftText && rightText:
		return strings.Compare(left, right)
	case leftText:
		if number, err := strconv.ParseFloat(left, 64); err == nil {
			return cmp.Compare(number, b.(float64))
		}
		return 1
	case rightText:
		return -Compare(b, a)
	}
	return cmp.Compare(a.(float64), b.(float64))
}

// Like reports whether a text matches a pattern of SQL's LIKE with backslashes as escapes:
// % is any text, _ any character, letters are equal in either case.
func Like(text, pattern string) bool {
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

// Wildcard returns the pattern of a filter's ~: the text anywhere, unless it has a % itself.
func Wildcard(text string) string {
	if strings.Contains(strings.ReplaceAll(text, `\%`, ""), "%") {
		return text
	}
	return "%" + strings.NewReplacer(`\%`, `\%`, `\`, `\\`, `_`, `\_`).Replace(text) + "%"
}

// IsTrue reports whether a condition with this value holds, as in SQL.
func IsTrue(value any) bool {
	number, isNumber := Number(value).(float64)
	return value != nil && isNumber && number != 0
}
