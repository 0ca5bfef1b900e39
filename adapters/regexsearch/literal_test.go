package regexsearch

import (
	"bytes"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// Alternatives are separated by "·", and a folded literal begins with "~".
func TestRequiredLiterals(t *testing.T) {
	long := strings.Repeat("ab", 100)
	for pattern, want := range map[string]string{
		"handleSubmit": "handleSubmit", `projectStore\.\w+All\(`: "projectStore.", "^import .* from 'react'": " from 'react'", `(\w+) \d+ lazy`: " lazy",
		"(foo)+bar": "foo", "(foobar)?x": "", "foo(?:x|y)": "foo", "x(abc){2,3}": "abc", "x(abc){0,3}": "", "ab*": "", "a": "", "[a]bc": "abc", "a\ufffdbc": "bc", "": "", `\w+`: "",
		"renderRow|parseInput": "renderRow·parseInput", "foo|fob": "fo", "foo|x": "", "foo|x*": "", "(ab|cd)(efg|hij|klm)": "efg·hij·klm", "ab|cd|ef|gh|ij|kl|mn|op|qr": "",
		"(?i)FixMe": "~fixme", "(?i)task": "~ta", "(?i)sk": "", "(?i)été12": "~12", "(?i)foo|Bar": "~foo·~bar", "x(?i:yz)w": "~yz", long: long[:maxLiteralBytes],
	} {
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, l := range required(withoutCaptures(tree)) {
			if l.folded {
				l.text = "~" + l.text
			}
			got = append(got, l.text)
		}
		if joined := strings.Join(got, "·"); joined != want {
			t.Errorf("%q: got %q, want %q", pattern, joined, want)
		}
	}
}

func TestFinderFindsEveryPlace(t *testing.T) {
	block := []byte("abc xbc ABC\nabab aBc\nzz abc")
	for _, c := range []struct {
		literals []literal
		want     []int
	}{
		{[]literal{{"abc", false}}, []int{0, 24}},
		{[]literal{{"abc", true}}, []int{0, 8, 17, 24}},
		{[]literal{{"ab", false}, {"bc", false}}, []int{0, 1, 5, 12, 14, 24, 25}},
		{[]literal{{"abab", false}, {"zz", true}}, []int{12, 21}},
		{[]literal{{"absent", false}}, nil},
		{[]literal{{"abc and more", false}}, nil},
	} {
		f := newFinder(probes(c.literals))
		for round := range 2 {
			f.reset()
			var got []int
			for at := f.next(block, 0); at < len(block); at = f.next(block, at+1) {
				got = append(got, at)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, round %d: got %d, want %d", c.literals, round, got, c.want)
			}
		}
	}
}

func FuzzProbe(f *testing.F) {
	f.Add([]byte("xxabcxx"), "abc", true)
	f.Add([]byte("aXb"), "xb", true)
	f.Fuzz(func(t *testing.T, block []byte, text string, folded bool) {
		if text == "" || len(block) > 100 {
			return
		}
		want := bytes.Index(block, []byte(text))
		if folded {
			for i := range len(text) {
				if text[i] >= 0x80 || text[i] >= 'A' && text[i] <= 'Z' {
					return
				}
			}
			want = bytes.Index(asciiLower(block), []byte(text))
		}
		if want < 0 {
			want = len(block)
		}
		finder := newFinder(probes([]literal{{text, folded}}))
		finder.reset()
		if got := finder.next(block, 0); got != want {
			t.Fatalf("%q in %q, folded %v: got %d, want %d", text, block, folded, got, want)
		}
	})
}

func asciiLower(text []byte) []byte {
	lower := slices.Clone(text)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}
