package regexsearch

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Alternatives are separated by "·"; if they are folded, "~" begins them.
func TestRequiredLiterals(t *testing.T) {
	for text, want := range map[string]string{
		"handleSubmit": "handleSubmit", `projectStore\.\w+All\(`: "projectStore.", "^import .* from 'react'": " from 'react'", `(\w+) \d+ lazy`: " lazy",
		"(foo)+bar": "foo", "(foobar)?x": "x", "foo(?:x|y)": "foo", "x(abc){2,3}": "abc", "x(abc){0,3}": "x", "ab*": "a", "a": "a", "[a]bc": "abc", "a\ufffdbc": "bc", "": "", `\w+`: "",
		"renderRow|parseInput": "renderRow·parseInput", "foo|fob": "fo", "foo|x": "foo·x", "foo|x*": "", "(ab|cd)(efg|hij|klm)": "efg·hij·klm", "ab|cd|ef|gh|ij|kl|mn|op|qr": "",
		"(?i)FixMe": "~fixme", "(?i)task": "~ta", "(?i)sk": "", "(?i)été12": "~12", "(?i)foo|Bar": "~foo·bar", "x(?i:yz)w": "~yz", "(?i:foo)|BÄR": "~foo·bÄr",
	} {
		p, err := compile(text)
		if err != nil {
			t.Fatal(err)
		}
		got := string(bytes.Join(p.required.texts, []byte("·")))
		if p.required.folded {
			got = "~" + got
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
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
		{[]literal{{"ABC", true}}, []int{0, 8, 17, 24}},
		{[]literal{{"ab", false}, {"bc", false}}, []int{0, 1, 5, 12, 14, 24, 25}},
		{[]literal{{"abab", false}, {"zz", true}}, []int{12, 21}},
		{[]literal{{"absent", false}}, nil},
		{[]literal{{"abc and more", false}}, nil},
	} {
		f := finder{literals: newLiterals(c.literals)}
		for round := range 2 {
			f.begin(block)
			var got []int
			for at := f.next(0); at < len(block); at = f.next(at + 1) {
				got = append(got, at)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%v, round %d: got %d, want %d", c.literals, round, got, c.want)
			}
		}
	}
}

// FuzzRequired checks that a line without the required literals does not match.
func FuzzRequired(f *testing.F) {
	for _, text := range []string{
		"abc|abd|x", "(a|b)*abb", "(?i)abc", "(?i)k", "(?i)ß", "(?i:a)b", "日本|本", "\ufffd", "[\ufffd-\U0010ffff]", "(?:ab){0,2}c", "a||b", `\Qa.b\E`, "a\\nb", "(a*)*", "x?y?z?", "aa|a",
	} {
		for _, line := range []string{"xabcx", "aXbXc", "ABC", "\u212a", "\u1e9e", "日本語", "a\xffb", "\xe2\x82", "\ufffd", "a.b", strings.Repeat("ab", 50)} {
			f.Add(text, []byte(line))
		}
	}
	f.Fuzz(func(t *testing.T, text string, line []byte) {
		if len(text) > 60 || len(line) > 200 || bytes.IndexByte(line, '\n') >= 0 {
			return
		}
		p, err := compile(text)
		if err != nil || len(p.required.texts) == 0 || !regexp.MustCompile(text).Match(line) {
			return
		}
		found := finder{literals: p.required}
		if found.begin(line); found.next(0) == len(line) {
			t.Fatalf("%+q matches %+q, which lacks all of %q", text, line, p.required.texts)
		}
	})
}
