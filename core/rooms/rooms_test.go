package rooms_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core/rooms"
	"github.com/atelierhq/atelier/ports/replica"
)

// edited returns a text with edits applied, and checks that they meet a replica's
// rules.
func edited(t testing.TB, text string, edits []replica.Edit) string {
	t.Helper()
	var made strings.Builder
	at := 0
	for _, e := range edits {
		if e.At < at || e.Delete < 0 || e.At+e.Delete > len(text) {
			t.Fatalf("edit %+v of %q is out of order or out of bounds, among %+v", e, text, edits)
		}
		for _, place := range []int{e.At, e.At + e.Delete} {
			if place < len(text) && !utf8.RuneStart(text[place]) {
				t.Fatalf("edit %+v of %q cuts a character", e, text)
			}
		}
		if !utf8.ValidString(e.Insert) {
			t.Fatalf("edit %+v of %q inserts a part of a character", e, text)
		}
		made.WriteString(text[at:e.At] + e.Insert)
		at = e.At + e.Delete
	}
	return made.String() + text[at:]
}

func TestDiffIsMinimal(t *testing.T) {
	tests := []struct {
		name, before, after string
		want                []replica.Edit
	}{
		{"nothing", "a\nb\n", "a\nb\n", nil},
		{"from nothing", "", "a\n", []replica.Edit{{Insert: "a\n"}}},
		{"to nothing", "a\n", "", []replica.Edit{{Delete: 2}}},
		{"a word in a line", "a\none two three\nb\n", "a\none 2 three\nb\n", []replica.Edit{{At: 6, Delete: 3, Insert: "2"}}},
		{"two lines apart", "a\nb\nc\n", "x\nb\nz\n", []replica.Edit{{Delete: 1, Insert: "x"}, {At: 4, Delete: 1, Insert: "z"}}},
		{"a line between", "a\nc\n", "a\nb\nc\n", []replica.Edit{{At: 2, Insert: "b\n"}}},
		{"a character of which a byte stays", "é", "è", []replica.Edit{{Delete: 2, Insert: "è"}}},
		{"characters that end alike", "a\U0001F600b", "a\U0001F500b", []replica.Edit{{At: 1, Delete: 4, Insert: "\U0001F500"}}},
		{"a repeated end", "aa", "aaa", []replica.Edit{{At: 2, Insert: "a"}}},
		{"other line ends", "a\nb\n", "a\r\nb\r\n", []replica.Edit{{At: 1, Insert: "\r"}, {At: 3, Insert: "\r"}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := rooms.Diff(test.before, test.after)
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if made := edited(t, test.before, got); made != test.after {
				t.Errorf("got %q, want %q", made, test.after)
			}
		})
	}
}

func TestRebase(t *testing.T) {
	tests := []struct{ name, read, wrote, room, want string }{
		{"the room did not change", "a\nb\n", "a\nB\n", "a\nb\n", "a\nB\n"},
		{"the writer changed nothing", "a\nb\n", "a\nb\n", "a\nx\nb\n", "a\nx\nb\n"},
		{"other lines", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"},
		{"both wrote at one place", "a\nb\n", "a\nw\nb\n", "a\nr\nb\n", "a\nr\nw\nb\n"},
		{"both wrote at the end", "a\n", "a\nw\n", "a\nr\n", "a\nr\nw\n"},
		{"both made the same change", "a\nb\nc\n", "a\nX\nc\n", "a\nX\nc\n", "a\nX\nc\n"},
		{"the same change and another", "a\nb\nc\n", "a\nX\nC\n", "a\nX\nc\n", "a\nX\nC\n"},
		{"the writer deleted what somebody typed in", "keep\ndelete this\nkeep\n", "keep\nkeep\n", "keep\ndelete NEW this\nkeep\n", "keep\nNEW keep\n"},
		{"the room deleted what the writer changed", "keep\nchange this\nkeep\n", "keep\nchange NEW this\nkeep\n", "keep\nkeep\n", "keep\nNEW keep\n"},
		{"both rewrote a line", "a\nold\nb\n", "a\nwriter\nb\n", "a\nroom\nb\n", "a\nroomwriter\nb\n"},
		{"the room was emptied", "a\nb\n", "a\nB\n", "", "B"},
		{"the writer emptied it", "a\nb\n", "", "a\nnew\nb\n", "new\n"},
		{"nothing was read", "", "w", "r", "rw"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := edited(t, test.room, rooms.Rebase(test.read, test.wrote, test.room)); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestRebaseLosesNothing lets each side write characters of its own, so that they can
// be counted afterwards.
func TestRebaseLosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		read := randomText(random)
		wrote := changed(random, read, "ωΩ😀")
		room := changed(random, read, "ρР🎈")
		wantNothingLost(t, read, wrote, room)
	}
}

func randomText(random *rand.Rand) string {
	var text strings.Builder
	for range random.IntN(30) {
		text.WriteString([]string{"a", "b", "ü", "字", "\n", "\n", "line\n", "\r\n", "🇩🇪"}[random.IntN(9)])
	}
	return text.String()
}

// changed deletes parts of a text and writes marks into it.
func changed(random *rand.Rand, text, marks string) string {
	all := []rune(marks)
	for range random.IntN(4) {
		runes := []rune(text)
		from := random.IntN(len(runes) + 1)
		to := min(len(runes), from+random.IntN(6))
		inserted := ""
		for range random.IntN(4) {
			inserted += string(all[random.IntN(len(all))]) + []string{"", "", "\n"}[random.IntN(3)]
		}
		text = string(runes[:from]) + inserted + string(runes[to:])
	}
	return text
}

// wantNothingLost checks that a rebase keeps every mark that either side wrote. A
// change that both sides make counts once, so they write different marks.
func wantNothingLost(t testing.TB, read, wrote, room string) {
	t.Helper()
	edits := rooms.Rebase(read, wrote, room)
	got := edited(t, room, edits)
	for _, side := range []string{wrote, room} {
		for _, mark := range "ωΩ😀ρР🎈" {
			want := strings.Count(side, string(mark))
			if strings.ContainsRune(read, mark) || want == 0 {
				continue
			}
			if found := strings.Count(got, string(mark)); found != want {
				t.Fatalf("%c: got %d in %q, want %d (read %q, wrote %q, room %q)", mark, found, got, want, read, wrote, room)
			}
		}
	}
	if read == wrote && got != room || read == room && got != wrote {
		t.Fatalf("got %q, want the text of the only side that changed (read %q, wrote %q, room %q)", got, read, wrote, room)
	}
}

func FuzzDiff(f *testing.F) {
	f.Add("a\nb\n", "a\nc\n")
	f.Add("é😀", "è😁")
	f.Fuzz(func(t *testing.T, before, after string) {
		if !utf8.ValidString(before) || !utf8.ValidString(after) {
			return
		}
		if got := edited(t, before, rooms.Diff(before, after)); got != after {
			t.Fatalf("got %q, want %q", got, after)
		}
	})
}

func FuzzRebase(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nω\nc\n", "aρ\nb\n")
	f.Add("", "ω", "ρ")
	f.Add("字字", "字", "🎈")
	f.Fuzz(func(t *testing.T, read, wrote, room string) {
		if utf8.ValidString(read) && utf8.ValidString(wrote) && utf8.ValidString(room) &&
			!strings.ContainsAny(wrote, "ρР🎈") && !strings.ContainsAny(room, "ωΩ😀") {
			wantNothingLost(t, read, wrote, room)
		}
	})
}
