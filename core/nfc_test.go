package core

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func checkNFC(t *testing.T, text string) {
	t.Helper()
	if got, want := isNFC(text), norm.NFC.IsNormalString(text); got != want {
		t.Fatalf("%+q: got %v, want %v", text, got, want)
	}
}

func TestNFCOfEveryRune(t *testing.T) {
	for r := range everyRune {
		checkNFC(t, string(r))
	}
}

// interestingRunes take part in compositions or in the order of marks.
func interestingRunes() []rune {
	interesting := []rune{'a', '/', '=', 0x1100, 0x1161, 0x11a7, 0x11a8, 0x11c2, 0x11c3, 0xac00, 0xac01, 0xac1c, 0xd7a3, 0xd7a4}
	for _, row := range composites {
		pairs := []rune(row.pairs)
		interesting = append(append(interesting, row.mark), pairs[:2]...)
		interesting = append(interesting, pairs[len(pairs)-2:]...)
	}
	for i := 0; i < len(combiningClasses); i += 5 {
		interesting = append(interesting, combiningClasses[i].first)
	}
	return interesting
}

func TestNFCOfPairs(t *testing.T) {
	interesting := interestingRunes()
	for _, first := range interesting {
		for _, second := range interesting {
			checkNFC(t, string([]rune{first, second}))
		}
	}
}

// The texts stay below 30 marks in a row, where golang.org/x/text asks for a
// joiner of the stream-safe format, which is no part of normal form C.
func TestNFCOfRandomTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	interesting := interestingRunes()
	normal := 0
	for range 8000 {
		runes := make([]rune, 1+random.IntN(12))
		for i := range runes {
			runes[i] = interesting[random.IntN(len(interesting))]
		}
		text := string(runes)
		checkNFC(t, text)
		checkNFC(t, norm.NFD.String(text))
		composed := norm.NFC.String(text)
		checkNFC(t, composed)
		if !isNFC(composed) {
			t.Fatalf("%+q: got not normal, want normal", composed)
		}
		if composed == text {
			normal++
		}
	}
	if normal == 0 {
		t.Error("no random text was normal: the test shows only half of what it should")
	}
}

func TestNFCOfManyMarks(t *testing.T) {
	for text, want := range map[string]bool{
		"a" + strings.Repeat("\u0316", 500):                           true,
		"a" + strings.Repeat("\u0316", 400) + "\u0302":                false,
		strings.Repeat("\u0301", 250) + strings.Repeat("\u0316", 250): false,
	} {
		if got := isNFC(text); got != want {
			t.Errorf("%d marks: got %v, want %v", utf8.RuneCountInString(text), got, want)
		}
	}
}

func FuzzIsNFC(f *testing.F) {
	for _, seed := range []string{"plain.txt", "é", "e\u0301", "\u1ea1\u0302", "\u00e2\u0323", "한글", "\u1112\u1161\u11ab", "\u212b", "\u0958", "\u0344", "a\u0315\u0300", "\u0cc6\u0cc2\u0cd5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) || hasLongRunOfMarks(text) {
			return
		}
		checkNFC(t, text)
	})
}

// hasLongRunOfMarks reports whether a text exceeds the limit of the stream-safe
// format. A rune counts with everything that it decomposes to.
func hasLongRunOfMarks(text string) bool {
	run := 0
	for _, r := range norm.NFD.String(text) {
		if combiningOf(r) == 0 && !isTrailing(r) {
			run = 0
			continue
		}
		if run++; run > 28 {
			return true
		}
	}
	return false
}

// isTrailing reports whether r is a starter that joins the rune before it.
func isTrailing(r rune) bool {
	return unicode.Is(unicode.M, r) || r >= 0x1161 && r < 0x1200 || r == 0x34f
}

func BenchmarkIsNFC(b *testing.B) {
	for name, text := range map[string]string{"ascii": "src/components/ui/button.tsx", "composed": "src/Übersicht/früher.tsx", "hangul": "문서/한글 파일.txt"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				isNFC(text)
			}
		})
	}
}
