package core

import (
	"cmp"
	"slices"
	"sync"
	"unicode/utf8"
)

// isNFC reports whether text, which is valid UTF-8, is in Unicode normal form C:
// whether decomposing it, sorting its combining marks and composing it again
// changes nothing (Unicode Standard Annex #15). The tables are those of the
// Unicode version that the package unicode has.
func isNFC(text string) bool {
	if isASCII(text) {
		return true
	}
	runes := []rune(text)
	if slices.ContainsFunc(runes, isNeverNFC) {
		return false
	}
	return slices.Equal(runes, compose(decompose(runes)))
}

// NFC returns text in Unicode normal form C. It returns invalid UTF-8 unchanged.
func NFC(text string) string {
	if isASCII(text) || !utf8.ValidString(text) {
		return text
	}
	return string(compose(decompose([]rune(text))))
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// runeRange is the runes from first to last, both included.
type runeRange struct{ first, last rune }

func (r runeRange) compare(to rune) int {
	switch {
	case r.last < to:
		return -1
	case r.first > to:
		return 1
	}
	return 0
}

func isNeverNFC(r rune) bool {
	_, found := slices.BinarySearchFunc(neverNFC, r, runeRange.compare)
	return found
}

// combining returns the canonical combining class of r, 0 for a starter.
func combining(r rune) uint8 {
	if r < combiningClasses[0].first {
		return 0
	}
	i, found := slices.BinarySearchFunc(combiningClasses, r, func(c classRange, r rune) int { return c.compare(r) })
	if !found {
		return 0
	}
	return combiningClasses[i].class
}

// pair is a rune and the mark behind it that compose to one rune.
type pair struct{ base, mark rune }

// pairs indexes the table of composites both ways.
var pairs = sync.OnceValue(func() (index struct {
	composite map[pair]rune
	parts     map[rune]pair
}) {
	index.composite = make(map[pair]rune)
	index.parts = make(map[rune]pair)
	for _, row := range composites {
		list := []rune(row.pairs)
		for i := 0; i < len(list); i += 2 {
			parts := pair{list[i], row.mark}
			index.composite[parts] = list[i+1]
			index.parts[list[i+1]] = parts
		}
	}
	return index
})

// decompose takes every composite apart and sorts the marks behind each starter.
func decompose(runes []rune) []rune {
	out := make([]rune, 0, 2*len(runes))
	for _, r := range runes {
		out = appendParts(out, r)
	}
	for start := 0; start < len(out); start++ {
		end := start
		for end < len(out) && combining(out[end]) != 0 {
			end++
		}
		slices.SortStableFunc(out[start:end], func(a, b rune) int { return cmp.Compare(combining(a), combining(b)) })
		start = end
	}
	return out
}

func appendParts(out []rune, r rune) []rune {
	if isHangulSyllable(r) {
		return appendJamo(out, r)
	}
	if parts, composed := pairs().parts[r]; composed {
		return append(appendParts(out, parts.base), parts.mark)
	}
	return append(out, r)
}

// compose joins every mark to the starter before it, if a composite exists and
// there is neither another starter nor a mark of the same or a higher class in
// between.
func compose(runes []rune) []rune {
	out := runes[:0]
	starter, lastClass := -1, uint8(0)
	for _, r := range runes {
		class := combining(r)
		adjacent := starter == len(out)-1
		if starter >= 0 && (adjacent || lastClass != 0 && lastClass < class) {
			if composite, found := composeTwo(out[starter], r); found {
				out[starter] = composite
				continue
			}
		}
		if class == 0 {
			starter = len(out)
		}
		lastClass = class
		out = append(out, r)
	}
	return out
}

func composeTwo(base, mark rune) (rune, bool) {
	if composite, found := composeJamo(base, mark); found {
		return composite, true
	}
	composite, found := pairs().composite[pair{base, mark}]
	return composite, found
}

// Hangul syllables are composed by arithmetic (The Unicode Standard, section 3.12):
// leading consonants, vowels and trailing consonants; the first trailing one means
// none.
const (
	hangulBase   = 0xac00
	leadBase     = 0x1100
	vowelBase    = 0x1161
	trailBase    = 0x11a7
	leads        = 19
	vowels       = 21
	trails       = 28
	hangulsCount = leads * vowels * trails
)

func isHangulSyllable(r rune) bool { return r >= hangulBase && r < hangulBase+hangulsCount }

func appendJamo(out []rune, syllable rune) []rune {
	s := syllable - hangulBase
	out = append(out, leadBase+s/(vowels*trails), vowelBase+s/trails%vowels)
	if s%trails != 0 {
		out = append(out, trailBase+s%trails)
	}
	return out
}

func composeJamo(base, mark rune) (rune, bool) {
	if base >= leadBase && base < leadBase+leads && mark >= vowelBase && mark < vowelBase+vowels {
		return hangulBase + ((base-leadBase)*vowels+mark-vowelBase)*trails, true
	}
	open := isHangulSyllable(base) && (base-hangulBase)%trails == 0
	if open && mark > trailBase && mark < trailBase+trails {
		return base + mark - trailBase, true
	}
	return 0, false
}
