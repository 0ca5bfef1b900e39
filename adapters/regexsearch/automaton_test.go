package regexsearch

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// patterns are expressions of every kind.
func patterns() []string {
	return []string{
		"", "a", "abc", "a*", "a+b?", "a|b", "abc|abd|x", "(a|b)*abb", "[a-c]+d", "[^a]", ".", ".*", "a.c", "(?s)a.c", `\w+`, `\W`, `\d{2,3}`, `\s+x`, `\S`,
		"^a", "a$", "^a$", "^", "$", "^$", "^^a$$", "(?m)^a", "(?m)b$", `\Aa`, `a\z`, `\ba`, `a\b`, `\Ba`, `a\B`, `\b`, `\B`, `\bword\b`, `a\b\b`, `x*\b`,
		"(?i)abc", "(?i)é", "(?i)k", "(?i)ß", "(?i)[a-f]+", "(?i:a)b", "é", "[à-ü]+", `\p{L}+`, `\P{L}`, `\p{Greek}`, "日本|本", "[^\x00-\x7f]", "\ufffd", "[\ufffd-\U0010ffff]",
		"(?:ab){2}", "(?:ab){0,2}c", "a{3}", "a{2,}", "(?U)a+", "a+?b", "(a)(b)", "(?P<name>a)", "(?:)", "()", "a||b", "[[:alpha:]]+", `\Qa.b\E`, `\x{41}`, `\.`, "a\\nb", "[\\n-x]$", "$[\\n-x]?", "(?m)^a|[\\n-x]z",
		"(a*)*", "(a|a)*b", "(((a?){4}){4})a", "[ab]*a[ab]{4}", "x?y?z?", "^(a|b)|c$", `(^|\s)a($|\s)`, "aa|a", "a|aa", "b.*a", ".*a", "a.*",
	}
}

func lines() []string {
	return []string{
		"", "a", "b", "ab", "abc", "abb", "aabb", "xabcx", "a b", " a ", "word", "a word here", "words", "aXbXc", "A", "ABC", "K", "\u212a", "é", "É", "ß", "\u1e9e",
		"naïve café", "日本語", "本日", "αβγ", "a\xffb", "\xff", "\xe2\x82", "a\xe2\x82b", "\xff\xfe\xfd", "\ufffd", "😀a😀", "a.b", "12", "1234", "x12y", "aaaa", "abababab", "cab", "\x00", "a\tb", "a\vb", "baaa", "zzz", "a_b", "_a", "-a-",
		strings.Repeat("ab", 50), strings.Repeat("a", 40) + "b",
	}
}

// checkLeftmost compares the automaton with the package regexp.
func checkLeftmost(t *testing.T, pattern string, line []byte) {
	t.Helper()
	expr, err := compile(pattern)
	if err != nil {
		return
	}
	want := -1
	if at := regexp.MustCompile(pattern).FindIndex(line); at != nil {
		want = at[0]
	}
	f := newFinder(expr.probes)
	f.reset()
	first := f.next(line, 0)
	if len(expr.probes) > 0 && want >= 0 && first == len(line) {
		t.Fatalf("%+q matches %+q, which lacks all of %v", pattern, line, expr.probes)
	}
	if expr.program == nil {
		if first != want && (first < len(line) || want >= 0) {
			t.Fatalf("%+q in %+q: got %d, want %d", pattern, line, first, want)
		}
		return
	}
	a := newAutomaton(expr.program)
	for round := range 2 { // the second uses the transitions of the first
		if got := a.leftmost(line); got != want {
			t.Fatalf("%+q in %+q, round %d: got %d, want %d", pattern, line, round, got, want)
		}
	}
}

func TestMatchesAreThoseOfThePackageRegexp(t *testing.T) {
	for _, pattern := range patterns() {
		for _, line := range lines() {
			checkLeftmost(t, pattern, []byte(line))
		}
	}
}

func FuzzLeftmost(f *testing.F) {
	for i, pattern := range patterns() {
		f.Add(pattern, []byte(lines()[i%len(lines())]))
	}
	f.Fuzz(func(t *testing.T, pattern string, line []byte) {
		if len(pattern) > 60 || len(line) > 200 || bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		checkLeftmost(t, pattern, line)
	})
}

func TestAutomatonForgetsAndGoesOn(t *testing.T) {
	pattern := "c[ab]{18}a|xyz"
	expr, err := compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	a := newAutomaton(expr.program)
	want := regexp.MustCompile(pattern)
	largest, forgot := 0, false
	seed := uint32(1)
	for range 20_000 {
		line := make([]byte, 60)
		for i := range line {
			seed = seed*1664525 + 1013904223
			line[i] = "abababababababcx"[seed>>28]
		}
		wanted := -1
		if at := want.FindIndex(line); at != nil {
			wanted = at[0]
		}
		if got := a.leftmost(line); got != wanted {
			t.Fatalf("%s: got %d, want %d", line, got, wanted)
		}
		forgot = forgot || len(a.next) < largest
		largest = max(largest, len(a.next))
	}
	if !forgot || largest > maxTransitions+int(a.width) {
		t.Errorf("got %d transitions at most, forgotten %v; want it to forget at %d", largest, forgot, maxTransitions)
	}
}
