package memory

import (
	"strconv"
	"strings"
)

// packageVersion is major, minor and patch of a version.
type packageVersion [3]int

// String implements fmt.Stringer.
func (v packageVersion) String() string {
	return strconv.Itoa(v[0]) + "." + strconv.Itoa(v[1]) + "." + strconv.Itoa(v[2])
}

func (v packageVersion) less(other packageVersion) bool {
	for i := range v {
		if v[i] != other[i] {
			return v[i] < other[i]
		}
	}
	return false
}

// packageSpan holds the versions from its floor up to, but not including, its ceiling.
type packageSpan struct{ floor, ceiling packageVersion }

func (s packageSpan) holds(v packageVersion) bool { return !v.less(s.floor) && v.less(s.ceiling) }

const endOfVersions = 1 << 30

var allVersions = packageSpan{ceiling: packageVersion{endOfVersions}}

// parsePackageRange parses the ranges of package.json: exact versions, ^, ~, comparisons,
// x and *, joined by spaces or by "||". It returns one span for each branch; ok is false
// for any other text.
func parsePackageRange(text string) (spans []packageSpan, ok bool) {
	for branch := range strings.SplitSeq(text, "||") {
		span := allVersions
		for term := range strings.FieldsSeq(branch) {
			next, ok := parsePackageTerm(term)
			if !ok {
				return nil, false
			}
			span = span.and(next)
		}
		spans = append(spans, span)
	}
	return spans, true
}

func (s packageSpan) and(other packageSpan) packageSpan {
	if s.floor.less(other.floor) {
		s.floor = other.floor
	}
	if other.ceiling.less(s.ceiling) {
		s.ceiling = other.ceiling
	}
	return s
}

func parsePackageTerm(term string) (packageSpan, bool) {
	if term == "latest" {
		return allVersions, true
	}
	number := strings.TrimLeft(term, "^~<>=v")
	v, parts, ok := parsePartialVersion(number)
	if !ok {
		return packageSpan{}, false
	}
	next := v.above(parts)
	switch strings.TrimSuffix(term[:len(term)-len(number)], "v") {
	case "^":
		return packageSpan{v, v.above(min(parts, v.firstNonZero()+1))}, true
	case "~":
		return packageSpan{v, v.above(min(parts, 2))}, true
	case ">=":
		return packageSpan{v, allVersions.ceiling}, true
	case ">":
		return packageSpan{next, allVersions.ceiling}, true
	case "<":
		return packageSpan{packageVersion{}, v}, true
	case "<=":
		return packageSpan{packageVersion{}, next}, true
	case "", "=":
		return packageSpan{v, next}, true
	}
	return packageSpan{}, false
}

// above returns the least version that differs from v within the first parts numbers.
func (v packageVersion) above(parts int) packageVersion {
	if parts == 0 {
		return allVersions.ceiling
	}
	var next packageVersion
	copy(next[:], v[:parts])
	next[parts-1]++
	return next
}

func (v packageVersion) firstNonZero() int {
	for i, n := range v {
		if n != 0 {
			return i
		}
	}
	return len(v) - 1
}

// parsePartialVersion parses up to three numbers and returns how many there are; x and *
// end them.
func parsePartialVersion(text string) (v packageVersion, parts int, ok bool) {
	fields := strings.Split(text, ".")
	if len(fields) > len(v) {
		return v, 0, false
	}
	for _, field := range fields {
		if field == "x" || field == "X" || field == "*" {
			return v, parts, true
		}
		n, err := strconv.ParseUint(field, 10, 24)
		if err != nil {
			return v, 0, false
		}
		v[parts] = int(n)
		parts++
	}
	return v, parts, true
}
