// Package searchtest tests a search.Engine against its port.
package searchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// Run tests a search.Engine against its contract.
func Run(t *testing.T, open func(t *testing.T) search.Engine) {
	clauses := []struct {
		name  string
		check func(t *testing.T, engine search.Engine)
	}{
		{"a match has its path, line, column and text", findsPlaces},
		{"matches are sorted by path, byte by byte, then by line", sorts},
		{"a line counts once, with its first match", countsLinesOnce},
		{"the limit keeps the first matches and tells exactly whether there are more", limits},
		{"nothing found is an empty list", findsNothing},
		{"matches are those of the package regexp", matchesAsRegexp},
		{"no match spans two lines", staysWithinLines},
		{"line endings are no part of a line", dropsLineEndings},
		{"only the first 64 KiB of a line are searched", cutsLines},
		{"the text is cut at 500 characters and always UTF-8", showsText},
		{"binary files are passed over", skipsBinaries},
		{"generated files, the repository, links and unholdable names are passed over", skipsNames},
		{"a file that is gone is passed over, one that cannot be read is unavailable", readsFiles},
		{"a pattern that is not RE2 is refused", refusesPatterns},
		{"a costly pattern is refused or ends", boundsCost},
		{"the end of the context ends the search", honoursContext},
		{"many searches at a time find the same", runsInParallel},
		{"a search leaves no goroutine behind", leaksNothing},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.check(t, open(t)) })
	}
}

// tree makes the files of a project from their contents.
func tree(contents map[string]string) fstest.MapFS {
	files := fstest.MapFS{}
	for name, content := range contents {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

func find(t *testing.T, engine search.Engine, files fs.FS, pattern string, limit int) search.Found {
	t.Helper()
	found, err := engine.Search(t.Context(), files, search.Query{Pattern: pattern, Limit: limit})
	if err != nil {
		t.Fatalf("search for %q: %v", pattern, err)
	}
	return found
}

// places writes matches as path:line:column, which is easy to compare.
func places(found search.Found) []string {
	list := []string{}
	for _, m := range found.Matches {
		list = append(list, fmt.Sprintf("%s:%d:%d", m.Path, m.Line, m.Column))
	}
	return list
}

func wantPlaces(t *testing.T, engine search.Engine, files fs.FS, pattern string, want ...string) {
	t.Helper()
	if got := places(find(t, engine, files, pattern, search.MaxLimit)); !slices.Equal(got, want) {
		t.Errorf("%q: got %q, want %q", pattern, got, want)
	}
}

func findsPlaces(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{"src/ü.ts": "one\n\n  é two 2\nthree"})
	found := find(t, engine, files, `tw\w+ \d`, 10)
	want := []core.Match{{Path: core.MustPath("src/ü.ts"), Line: 3, Column: 6, Text: "  é two 2"}}
	if !reflect.DeepEqual(found.Matches, want) || found.Truncated {
		t.Errorf("got %+v, want %+v, not truncated", found, want)
	}
	wantPlaces(t, engine, files, "one", "src/ü.ts:1:1")
	wantPlaces(t, engine, files, "three", "src/ü.ts:4:1")
	wantPlaces(t, engine, files, "hre+", "src/ü.ts:4:2")
	wantPlaces(t, engine, files, "(?i)É", "src/ü.ts:3:3")
}

func sorts(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{"a/b/x": "m", "a-b": "m", "a.txt": "m", "a/x": "m\nn\nm", "ab": "m", "B": "m", "é": "m", "a/B": "m", "a/b.x": "m", "a0/x": "m"})
	wantPlaces(t, engine, files, "m",
		"B:1:1", "a-b:1:1", "a.txt:1:1", "a/B:1:1", "a/b.x:1:1", "a/b/x:1:1", "a/x:1:1", "a/x:3:1", "a0/x:1:1", "ab:1:1", "é:1:1")
}

func countsLinesOnce(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{"f": "a a a\nb\nxaa\n"})
	wantPlaces(t, engine, files, "a", "f:1:1", "f:3:2")
	wantPlaces(t, engine, files, "a+", "f:1:1", "f:3:2")
	wantPlaces(t, engine, files, "a$", "f:1:5", "f:3:3")
	wantPlaces(t, engine, files, "", "f:1:1", "f:2:1", "f:3:1")
}

func limits(t *testing.T, engine search.Engine) {
	contents := map[string]string{}
	for i := range 150 {
		contents[fmt.Sprintf("d%02d/f%03d", i%7, i)] = "x needle\nno\nneedle 2 \n"
	}
	files := tree(contents)
	all := find(t, engine, files, "ne+dle", 300)
	if len(all.Matches) != 300 || all.Truncated {
		t.Fatalf("got %d matches, truncated %v, want all 300, not truncated", len(all.Matches), all.Truncated)
	}
	for _, limit := range []int{1, 2, 3, 64, 299} {
		for _, pattern := range []string{"ne+dle", "needle"} {
			some := find(t, engine, files, pattern, limit)
			if !some.Truncated || !reflect.DeepEqual(some.Matches, all.Matches[:limit]) {
				t.Errorf("%q, limit %d: got %d matches, truncated %v, want the first of all, truncated", pattern, limit, len(some.Matches), some.Truncated)
			}
		}
	}
}

func findsNothing(t *testing.T, engine search.Engine) {
	for _, files := range []fs.FS{fstest.MapFS{}, tree(map[string]string{"f": "", "g": "x\n"})} {
		found := find(t, engine, files, "absent|gone", 10)
		encoded, err := json.Marshal(found)
		if want := `{"matches":[],"truncated":false}`; err != nil || string(encoded) != want {
			t.Errorf("got %s, %v, want %s", encoded, err, want)
		}
	}
}

// searchedPatterns are expressions of every kind.
func searchedPatterns() []string {
	return []string{
		"foo", "fo+", "foo|bar", "foo.*bar", "^foo", "bar$", "^$", "^foo$", "(?i)foo", "(?i)straße", `\bfoo\b`, `\Bo`, `\w+\s+!==\s+\w+`, `[a-z]{3}\d{2}`, `(\w+) \d+ bar`,
		"[^a-z]+$", `\p{Lu}`, "é", "[à-ü]", "日.本", ".", "..", ".{10,20}", "(?s).", `\S+$`, "a*", "(foo)?", "(a|b)+c", "o{2}", "[[:punct:]]", `\x{e9}`, "\ufffd", `\Afoo`, `bar\z`, "(?m)^bar$", "(?U)f.*o", "f.*?o", "o.*o",
	}
}

func matchesAsRegexp(t *testing.T, engine search.Engine) {
	random := rand.New(rand.NewPCG(3, 4))
	words := []string{"foo", "bar", "Foo", "FOO", " ", "  ", "\t", "a", "b", "c", "é", "Ü", "日本", "日x本", "abc12", "!==", "42", "_", ".", "-", "\xff", "straße", "\n", "\n", "\n"}
	contents := map[string]string{}
	for i := range 40 {
		var content strings.Builder
		for range random.IntN(400) {
			content.WriteString(words[random.IntN(len(words))])
		}
		contents[fmt.Sprintf("f%02d", i)] = content.String()
	}
	files := tree(contents)
	for _, pattern := range searchedPatterns() {
		if got, want := places(find(t, engine, files, pattern, 100_000)), placesByRegexp(contents, pattern); !slices.Equal(got, want) {
			t.Errorf("%q: got %d matches, want %d; the first that differs is %s", pattern, len(got), len(want), firstDifference(got, want))
		}
	}
}

func placesByRegexp(contents map[string]string, pattern string) []string {
	expr := regexp.MustCompile(pattern)
	list := []string{}
	for i := range len(contents) {
		name := fmt.Sprintf("f%02d", i)
		text := strings.TrimSuffix(contents[name], "\n")
		if contents[name] == "" {
			continue
		}
		for number, line := range strings.Split(text, "\n") {
			if at := expr.FindStringIndex(line); at != nil {
				list = append(list, fmt.Sprintf("%s:%d:%d", name, number+1, at[0]+1))
			}
		}
	}
	return list
}

func firstDifference(got, want []string) string {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			return fmt.Sprintf("got %q, want %q", got[min(i, len(got)):min(i+1, len(got))], want[min(i, len(want)):min(i+1, len(want))])
		}
	}
	return "none"
}

func staysWithinLines(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{"f": "a\nb\na b\n"})
	wantPlaces(t, engine, files, "a\nb")
	wantPlaces(t, engine, files, "\n")
	wantPlaces(t, engine, files, `a\s+b`, "f:3:1")
	wantPlaces(t, engine, files, "(?s)a.b", "f:3:1")
	wantPlaces(t, engine, files, "a[^x]b", "f:3:1")
	wantPlaces(t, engine, files, `\Ab\z`, "f:2:1")
}

func dropsLineEndings(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{"dos": "ab\r\n\r\na\rb\r\nlast\r", "unix": "ab\n\nlast", "ended": "x\n", "twice": "x\n\n"})
	wantPlaces(t, engine, files, "b$", "dos:1:2", "dos:3:3", "unix:1:2")
	wantPlaces(t, engine, files, "^$", "dos:2:1", "twice:2:1", "unix:2:1")
	wantPlaces(t, engine, files, "\r", "dos:3:2", "dos:4:5")
	if got := find(t, engine, files, "^ab", 1).Matches[0].Text; got != "ab" {
		t.Errorf("got the text %q, want %q", got, "ab")
	}
}

func cutsLines(t *testing.T, engine search.Engine) {
	const line = 64 << 10
	fill := func(n int) string { return strings.Repeat(".", n) }
	files := tree(map[string]string{
		"fits":   fill(line-6) + "needle\nx\nneedle",
		"dos":    fill(line-6) + "needle\r\nx\r\nneedle",
		"over":   fill(line-5) + "needle\nx\nneedle",
		"far":    fill(3<<20) + "needle\nneedle\n" + fill(5<<20) + "needle" + fill(2<<20) + "\n" + fill(line) + "\nneedle",
		"single": fill(2<<20) + "needle",
	})
	for _, pattern := range []string{"needle", "ne+dle", "(?i)NEEDLE"} {
		wantPlaces(t, engine, files, pattern, "dos:1:65531", "dos:3:1", "far:2:1", "far:5:1", "fits:1:65531", "fits:3:1", "over:3:1")
	}
	wantPlaces(t, engine, files, `n\w*$`, "dos:1:65531", "dos:3:1", "far:2:1", "far:5:1", "fits:1:65531", "fits:3:1", "over:1:65532", "over:3:1")
	wantPlaces(t, engine, files, `^\.+$`, "far:1:1", "far:3:1", "far:4:1", "single:1:1")
}

func showsText(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{
		"bytes": "\xff\xe9needle\x80 \xe2\x82",
		"exact": "needle" + strings.Repeat("é", 494),
		"long":  strings.Repeat("日", 600) + "needle",
		"mixed": "needle" + strings.Repeat("\xff", 600),
	})
	found := find(t, engine, files, "needle", 10)
	want := []string{"\ufffd\ufffdneedle\ufffd \ufffd\ufffd", "needle" + strings.Repeat("é", 494), strings.Repeat("日", 500), "needle" + strings.Repeat("\ufffd", 494)}
	for i, match := range found.Matches {
		if match.Text != want[i] {
			t.Errorf("%s: got the text %+q, want %+q", match.Path, match.Text, want[i])
		}
	}
	if got, want := places(found), []string{"bytes:1:3", "exact:1:1", "long:1:1801", "mixed:1:1"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	encoded, err := json.Marshal(found)
	var back struct{ Matches []struct{ Text string } }
	if err != nil || json.Unmarshal(encoded, &back) != nil || back.Matches[0].Text != want[0] {
		t.Errorf("got %v, %+v back from JSON, want the text unchanged", err, back.Matches)
	}
}

func skipsBinaries(t *testing.T, engine search.Engine) {
	fill := strings.Repeat("x\n", 4096)
	files := tree(map[string]string{
		"first": "\x00 needle", "middle": "needle\nab\x00c", "edge": fill[:8191] + "\x00needle", "behind": fill[:8192] + "\x00needle\n", "none": "needle",
	})
	wantPlaces(t, engine, files, "needle", "behind:4097:2", "none:1:1")
}

func skipsNames(t *testing.T, engine search.Engine) {
	contents := map[string]string{}
	for _, name := range []string{
		"node_modules/a.js", "src/node_modules/b/c.js", "dist/a.js", "build/a.js", ".next/a.js", ".svelte-kit/a.js", ".vite/a.js",
		".git/config", ".GIT/config", "sub/.git/HEAD", "git~1/x", "a:b", "con.txt", "bad\nname", "trailing.", "e\u0301.txt", "dir /x", "a\\b",
		"kept.js", "src/dist/kept.js", ".github/kept.yml", ".env", ".gitignore",
	} {
		contents[name] = "needle"
	}
	files := tree(contents)
	files["link"] = &fstest.MapFile{Data: []byte("kept.js"), Mode: fs.ModeSymlink}
	files["pipe"] = &fstest.MapFile{Data: []byte("needle"), Mode: fs.ModeNamedPipe}
	files["device"] = &fstest.MapFile{Data: []byte("needle"), Mode: fs.ModeDevice}
	wantPlaces(t, engine, files, "needle", ".env:1:1", ".github/kept.yml:1:1", ".gitignore:1:1", "kept.js:1:1", "src/dist/kept.js:1:1")
}

// faultyTree is a tree that calls opened before each file or directory is
// opened, and fails with what that returns.
type faultyTree struct {
	fs.FS
	opened func(name string) error
}

// Open implements fs.FS.
func (f faultyTree) Open(name string) (fs.File, error) {
	if err := f.opened(name); err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.FS.Open(name)
}

func readsFiles(t *testing.T, engine search.Engine) {
	files := tree(map[string]string{"a": "needle", "b/c": "needle", "d/e": "needle", "f": "needle"})
	for _, gone := range []string{"a", "b", "b/c", "."} {
		broken := faultyTree{files, func(name string) error {
			if name == gone {
				return fs.ErrNotExist
			}
			return nil
		}}
		if found := find(t, engine, broken, "needle", 10); len(found.Matches) >= 4 || gone != "." && len(found.Matches) != 3 {
			t.Errorf("%s gone: got %q, want the matches of the others", gone, places(found))
		}
		denied := faultyTree{files, func(name string) error {
			if name == gone {
				return fs.ErrPermission
			}
			return nil
		}}
		_, err := engine.Search(t.Context(), denied, search.Query{Pattern: "needle", Limit: 10})
		if !core.IsCode(err, core.CodeUnavailable) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s denied: got %v, want code unavailable with its cause", gone, err)
		}
	}
}
