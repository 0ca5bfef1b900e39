package merge_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core/merge"
)

func TestMergeOfTwoChanges(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	tests := []struct {
		name, base, ours, theirs, want string
	}{
		{"lines apart", base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n"},
		{"a line between", base, "a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"},
		{"inserted and deleted", base, "a\nnew\nb\nc\nd\ne\n", "a\nb\nc\ne\n", "a\nnew\nb\nc\ne\n"},
		{"both ends", base, "0\n" + base, base + "f\n", "0\n" + base + "f\n"},
		{"the same change", base, "a\nb\nX\nd\ne\n", "a\nb\nX\nd\ne\n", "a\nb\nX\nd\ne\n"},
		{"the same change and one more", base, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\nE\n", "a\nX\nc\nd\nE\n"},
		{"the same insertion and one more", base, "0\n" + base, "0\na\nb\nc\nd\nE\n", "0\na\nb\nc\nd\nE\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"},
		{"no end at the last line", "a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"},
		{"an end that came", "a\nb\nc", "A\nb\nc", "a\nb\nc\n", "A\nb\nc\n"},
		{"an end that went", "a\nb\nc\n", "a\nb\nc", "A\nb\nc\n", "A\nb\nc"},
		{"emptied on both sides", "a\n", "", "", ""},
		{"bytes that are no text", "\xff\n\x00\nz\n", "\xfe\n\x00\nz\n", "\xff\n\x00\ny\n", "\xfe\n\x00\ny\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, conflicts := merge.Merge([]byte(test.base), []byte(test.ours), []byte(test.theirs))
			if len(conflicts) > 0 || string(got) != test.want {
				t.Errorf("got %q with the conflicts %v, want %q", got, conflicts, test.want)
			}
		})
	}
}

func TestConflictsAreToldByTheLinesOfOurs(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	tests := []struct {
		name, base, ours, theirs, want string
	}{
		{"one line", base, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n", "[{2 2}]"},
		{"neighbouring lines", base, "a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n", "[{2 3}]"},
		{"behind inserted lines", base, "0\n1\na\nb\nc\nd\nX\n", "a\nb\nc\nd\nY\n", "[{7 7}]"},
		{"changed and deleted", base, "a\nb\nX\nd\ne\n", "a\nb\nd\ne\n", "[{3 3}]"},
		{"deleted and changed", base, "a\nb\nd\ne\n", "a\nb\nX\nd\ne\n", "[{3 2}]"},
		{"inserted at one place", base, "a\nX\nb\nc\nd\ne\n", "a\nY\nb\nc\nd\ne\n", "[{2 2}]"},
		{"two places", base, "X\nb\nc\nd\nX\n", "Y\nb\nc\nd\nY\n", "[{1 1} {5 5}]"},
		{"one of ours over two of theirs", base, "a\nX\nX\nX\ne\n", "a\nY\nc\nY\ne\n", "[{2 4}]"},
		{"wholly different", base, "1\n2\n", "3\n", "[{1 2}]"},
		{"the ends of lines", "a\nb\n", "a\r\nb\r\n", "A\nb\n", "[{1 2}]"},
		{"the end of the last line", "a", "a\n", "b", "[{1 1}]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			merged, conflicts := merge.Merge([]byte(test.base), []byte(test.ours), []byte(test.theirs))
			if got := fmt.Sprint(conflicts); got != test.want || merged != nil {
				t.Errorf("got %s and %q, want %s and nothing merged", got, merged, test.want)
			}
		})
	}
}

// wantLaws checks the laws that hold for any three texts.
func wantLaws(t *testing.T, base, a, b []byte) {
	t.Helper()
	for name, law := range map[string]struct{ base, ours, theirs, want []byte }{
		"nothing of theirs": {base, a, base, a},
		"nothing of ours":   {base, base, b, b},
		"the same of both":  {base, a, a, a},
	} {
		if got, conflicts := merge.Merge(law.base, law.ours, law.theirs); len(conflicts) > 0 || !bytes.Equal(got, law.want) {
			t.Fatalf("%s: got %q, %v, want %q (base %q)", name, got, conflicts, law.want, base)
		}
	}
	ab, conflicts := merge.Merge(base, a, b)
	ba, others := merge.Merge(base, b, a)
	if len(conflicts) != len(others) || !bytes.Equal(ab, ba) {
		t.Fatalf("got %q and %d conflicts, the other way round %q and %d (base %q, a %q, b %q)", ab, len(conflicts), ba, len(others), base, a, b)
	}
	lines := bytes.Count(a, []byte("\n")) + 1
	for i, c := range conflicts {
		if c.From < 1 || c.To < c.From-1 || c.To > lines || i > 0 && c.From <= conflicts[i-1].To {
			t.Fatalf("got the conflicts %v, want lines of %q in order", conflicts, a)
		}
	}
}

func randomText(random *rand.Rand, lines, words int) []byte {
	var text []byte
	for range random.IntN(lines + 1) {
		text = fmt.Append(text, random.IntN(words), []string{"\n", "\n", "\r\n"}[random.IntN(3)])
	}
	if random.IntN(3) == 0 {
		text = append(text, "end"...)
	}
	return text
}

// edited changes some lines of a text.
func edited(random *rand.Rand, text []byte, words int) []byte {
	lines := slices.Collect(bytes.Lines(text))
	for range random.IntN(4) {
		at := random.IntN(len(lines) + 1)
		to := min(len(lines), at+random.IntN(3))
		lines = slices.Replace(lines, at, to, slices.Collect(bytes.Lines(randomText(random, 2, words)))...)
	}
	return bytes.Join(lines, nil)
}

func TestMergeKeepsItsLawsForRandomTexts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		words := 2 + random.IntN(30)
		base := randomText(random, 20, words)
		wantLaws(t, base, edited(random, base, words), edited(random, base, words))
		wantLaws(t, base, randomText(random, 20, words), randomText(random, 20, words))
	}
}

// TestEditsOfDifferentLinesMergeAsIfMadeOneAfterTheOther replaces, deletes and adds
// in blocks of five lines of their own.
func TestEditsOfDifferentLinesMergeAsIfMadeOneAfterTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		var base, ours, theirs, both strings.Builder
		for block := range 1 + random.IntN(40) {
			plain := fmt.Sprintf("%d\n%d a\n%d b\n%d c\n%d\n", block, block, block, block, block)
			changed := fmt.Sprintf("%d\n", block) + strings.Repeat(fmt.Sprintf("new %d\n", random.IntN(99)), random.IntN(4)) + fmt.Sprintf("%d\n", block)
			base.WriteString(plain)
			switch random.IntN(3) {
			case 0:
				ours.WriteString(changed)
				theirs.WriteString(plain)
				both.WriteString(changed)
			case 1:
				ours.WriteString(plain)
				theirs.WriteString(changed)
				both.WriteString(changed)
			default:
				ours.WriteString(plain)
				theirs.WriteString(plain)
				both.WriteString(plain)
			}
		}
		got, conflicts := merge.Merge([]byte(base.String()), []byte(ours.String()), []byte(theirs.String()))
		if len(conflicts) > 0 || string(got) != both.String() {
			t.Fatalf("got %q with the conflicts %v, want %q", got, conflicts, both.String())
		}
	}
}

// TestChangesOfTheSameLineAlwaysConflict changes one line differently on both sides,
// among other changes.
func TestChangesOfTheSameLineAlwaysConflict(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		lines := 1 + random.IntN(30)
		at := random.IntN(lines)
		text := func(at int, marked string, other int) []byte {
			var out []byte
			for i := range lines {
				switch i {
				case at:
					out = fmt.Appendf(out, "%s\n", marked)
				case other:
					out = fmt.Appendf(out, "other %s\n", marked)
				default:
					out = fmt.Appendf(out, "line %d\n", i)
				}
			}
			return out
		}
		_, conflicts := merge.Merge(text(-1, "", -1), text(at, "ours", random.IntN(lines)), text(at, "theirs", random.IntN(lines)))
		if !slices.ContainsFunc(conflicts, func(c merge.Conflict) bool { return c.From <= at+1 && at+1 <= c.To }) {
			t.Fatalf("got the conflicts %v, want line %d among them", conflicts, at+1)
		}
	}
}

// large is a text whose every line is marked.
func large(lines int, mark string, every int) []byte {
	var out []byte
	for i := range lines {
		if i%every == 0 {
			out = fmt.Appendf(out, "%s ", mark)
		}
		out = fmt.Appendf(out, "line %d\n", i)
	}
	return out
}

func TestLargeTextsMergeOrConflict(t *testing.T) {
	const lines = 20_000
	base := large(lines, "", lines+1)
	ours := append([]byte("first\n"), base...)
	theirs := append(slices.Clone(base), "last\n"...)
	got, conflicts := merge.Merge(base, ours, theirs)
	if want := append(slices.Clone(ours), "last\n"...); len(conflicts) > 0 || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %d conflicts, want both lines", len(got), len(conflicts))
	}
	if _, conflicts := merge.Merge(base, large(lines, "ours", 1), large(lines, "theirs", 1)); len(conflicts) != 1 {
		t.Errorf("every line changed: got %d conflicts, want one", len(conflicts))
	}
	if _, conflicts := merge.Merge(base, large(lines, "ours", 2), large(lines, "theirs", 2)); len(conflicts) == 0 {
		t.Errorf("every other line changed: got no conflict, want some")
	}
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte("a\nb\nc\n"), []byte("a\nB\nc\n"), []byte("a\nb\nC"))
	f.Add([]byte("a\r\nb"), []byte(""), []byte("b\na\r\nb\n"))
	f.Add([]byte(""), []byte("x"), []byte("\n\n"))
	f.Fuzz(wantLaws)
}

func BenchmarkMergeOfWhollyDifferentTexts(b *testing.B) {
	base, ours, theirs := large(20_000, "", 20_001), large(20_000, "ours", 1), large(20_000, "theirs", 1)
	for b.Loop() {
		merge.Merge(base, ours, theirs)
	}
}

func TestMarks(t *testing.T) {
	labels := merge.Labels{Ours: "mine", Theirs: "yours"}
	marked, _ := merge.Marked([]byte("a\r\n"), []byte("b\r\n"), []byte("c\r\n"), labels)
	for text, want := range map[string]bool{
		string(marked): true, "<<<<<<< mine\n": true, "a\n>>>>>>> yours": true, "": false, "a\n=======\nb\n": false,
		"<<<<<<< HEAD\n": false, "see <<<<<<< mine\n": false, "<<<<<<< mine too\n": false,
	} {
		if got := labels.Mark([]byte(text)); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
