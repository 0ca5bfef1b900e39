package projects_test

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/atelierhq/atelier/core"
)

// withEntry makes an archive of a good file and an entry with a mode of Unix.
func withEntry(t testing.TB, name string, mode uint32, content string) []byte {
	return packedWith(t, func(archive *zip.Writer) {
		writeEntry(t, archive, "index.html", 0, "page")
		writeEntry(t, archive, name, mode, content)
	})
}

func writeEntry(t testing.TB, archive *zip.Writer, name string, mode uint32, content string) {
	t.Helper()
	w, err := archive.CreateHeader(&zip.FileHeader{Name: name, CreatorVersion: 3 << 8, ExternalAttrs: mode << 16})
	if err == nil {
		_, err = io.WriteString(w, content)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheArchivesOfWindowsAreRead(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []string
		want  []string
	}{
		"backslashes":                     {[]string{`app\index.html`, "x", `app\css\a.css`, "x", `app\empty\`, ""}, []string{"css/a.css", "index.html"}},
		"backslashes and a repository":    {[]string{`app\a`, "x", `app\.git\config`, "x", `app\node_modules\con\x`, "x"}, []string{"a"}},
		"its oldest character set":        {[]string{"\x9aber uns.html", "x", "caf\x82.txt", "x"}, []string{"café.txt", "Über uns.html"}},
		"the same below folders":          {[]string{"a\x81\\b", "x", "c", "x"}, []string{"aü/b", "c"}},
		"UTF-8 that is not marked":        {[]string{"é.txt", "x"}, []string{"é.txt"}},
		"rubbish beside the folder":       {[]string{"one/a", "x", "Thumbs.db", "x", "one/Thumbs.db", "x", "desktop.ini", "x", "Icon\r", "x"}, []string{"a"}},
		"dots and slashes without effect": {[]string{"./", "", "./one/a", "x", "one//b", "x", "one/./c", "x"}, []string{"a", "b", "c"}},
	} {
		f := newFixture(t)
		made, err := f.imported(packed(t, c.pairs...))
		if err != nil {
			t.Errorf("%s: got %v, want a project", name, err)
			continue
		}
		if got := slices.Sorted(maps.Keys(f.contents(made.ID))); !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestWhatNoDiskHoldsIsLeftOut(t *testing.T) {
	f := newFixture(t)
	made, err := f.imported(packed(t, "readme.md", "second", "README.md", "first", "src/a", "x", "Src/b", "x", "src/É", "x", "src/é", "x", "big", strings.Repeat("x", fileLimit+1)))
	f.must(err)
	if got, want := slices.Sorted(maps.Keys(f.contents(made.ID))), []string{"README.md", "Src/b"}; !slices.Equal(got, want) {
		t.Errorf("got the files %q, want %q", got, want)
	}
	notes := strings.Join(written(made.Notes), "\n")
	for _, want := range []string{"larger than a project's files may be: big", "upper and lower case, which most disks of Windows and macOS cannot hold: readme.md, src/a, src/É, src/é"} {
		if !strings.Contains(notes, want) {
			t.Errorf("got the notes %q, want %q", notes, want)
		}
	}
}

func TestEveryCharacterOfCodePage437IsKnown(t *testing.T) {
	f := newFixture(t)
	var pairs []string
	want := map[string]string{}
	for c := 128; c <= 255; c++ {
		name := fmt.Sprint(c) + string([]byte{'x', byte(c), 'x'})
		decoded, err := charmap.CodePage437.NewDecoder().String(name)
		f.must(err)
		pairs, want[decoded] = append(pairs, name, decoded), decoded
	}
	made, err := f.imported(packed(t, pairs...))
	f.must(err)
	if got := f.contents(made.ID); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}

// TestOddEntriesAreLeftOut, with a note that names each, and the rest is taken.
func TestOddEntriesAreLeftOut(t *testing.T) {
	const names, links, devices = "their names", "links were left out", "devices"
	for _, c := range []struct {
		name, content string
		mode          uint32
		says          string
	}{
		{"aux.ts", "x", 0, names}, {"src/nul.txt/a", "x", 0, names}, {"photo.jpg?w=200", "x", 0, names}, {"abc:d", "x", 0, names},
		{"a. ", "x", 0, names}, {"a\n", "x", 0, names}, {"a\x00b", "x", 0, names}, {"\u202egnp.exe", "x", 0, names}, {"", "x", 0, names}, {".", "x", 0, names},
		{strings.Repeat("x", 256), "x", 0, names}, {strings.Repeat("x/", 600) + "x", "x", 0, names},
		{"odd", "/etc/passwd", 0o120777, links}, {"odd", "/index.html", 0o120777, links}, {"odd", "../index.html", 0o120777, links}, {"a/odd", "../../index.html", 0o120777, links},
		{"odd", "none.html", 0o120777, links}, {"odd", "odd", 0o120777, links}, {"odd", "", 0o120777, links}, {"odd/", "", 0o120777, links},
		{"odd", strings.Repeat("./", 1000) + "index.html", 0o120777, links}, {"nul", "index.html", 0o120777, names},
		{"odd", "x", 0o010644, devices}, {"odd", "x", 0o140644, devices}, {"odd", "x", 0o020644, devices}, {"odd", "x", 0o060644, devices},
	} {
		f := newFixture(t)
		made, err := f.imported(withEntry(t, c.name, c.mode, c.content))
		if err != nil {
			t.Errorf("%.40q: got %v, want a project", c.name, err)
			continue
		}
		if got := f.contents(made.ID); !maps.Equal(got, map[string]string{"index.html": "page"}) {
			t.Errorf("%.40q: got %q, want the page alone", c.name, got)
		}
		if notes := written(made.Notes); len(notes) != 1 || !strings.Contains(notes[0], c.says) || len(notes[0]) > 1000 {
			t.Errorf("%.40q: got the notes %q, want one that says %q", c.name, notes, c.says)
		}
	}
}

func TestTheListOfOddNamesIsBounded(t *testing.T) {
	f := newFixture(t)
	pairs := []string{"index.html", "x", "odd?/", ""}
	for _, c := range "abcdefghijklmnop" {
		pairs = append(pairs, string(c)+"?"+strings.Repeat("é", 500), "x")
	}
	made, err := f.imported(packed(t, pairs...))
	f.must(err)
	notes := written(made.Notes)
	if len(notes) != 1 || strings.Count(notes[0], "?") != 10 || !strings.Contains(notes[0], "…") || len(notes[0]) > 4000 {
		t.Errorf("got %q, want one note with ten names", notes)
	}
}

func TestLinksToFilesOfAnArchiveBecomeCopies(t *testing.T) {
	f := newFixture(t)
	const link, file = 0o120777, 0o100644
	made, err := f.imported(packedWith(t, func(archive *zip.Writer) {
		writeEntry(t, archive, "app/CLAUDE.md", link, "AGENTS.md")
		writeEntry(t, archive, "app/docs/GEMINI.md", link, "../CLAUDE.md")
		writeEntry(t, archive, "app/docs/cafe\u0301.md", link, "./../A\u030a.md")
		writeEntry(t, archive, "app/AGENTS.md", file, "rules")
		writeEntry(t, archive, "app/\u00c5.md", file, "ring")
		writeEntry(t, archive, "app/docs/all", link, "../src")
		writeEntry(t, archive, "app/src/a", file, "a")
	}))
	f.must(err)
	want := map[string]string{"AGENTS.md": "rules", "CLAUDE.md": "rules", "docs/GEMINI.md": "rules", "\u00c5.md": "ring", "docs/café.md": "ring", "src/a": "a"}
	if got := f.contents(made.ID); !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := written(made.Notes), []string{
		"These links were left out, because they do not lead to a file that came along: app/docs/all",
		"These links are copies now of the files to which they led: app/CLAUDE.md, app/docs/GEMINI.md, app/docs/café.md",
	}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestNothingIsWrittenThroughALink: an archive may name a link, and then a file below it or
// in its place.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	for _, name := range []string{"odd/passwd", "odd", `odd\passwd`} {
		f := newFixture(t)
		_, err := f.imported(packedWith(t, func(archive *zip.Writer) {
			writeEntry(t, archive, "odd", 0o120777, "/etc")
			writeEntry(t, archive, name, 0o100644, "x")
		}))
		f.wantCode(err, core.CodeValidationFailed)
		f.wantNothing()
	}
}

func TestCopiesForLinksCountAsFiles(t *testing.T) {
	large := strings.Repeat("x", fileLimit)
	links := func(n int) []byte {
		return packedWith(t, func(archive *zip.Writer) {
			writeEntry(t, archive, "a", 0o100644, large)
			for i := range n {
				writeEntry(t, archive, strings.Repeat("l", i%200+1)+"/"+strings.Repeat("k", i/200+1), 0o120777, "../a")
			}
		})
	}
	f := newFixture(t)
	_, err := f.imported(links(520))
	f.wantCode(err, core.CodeValidationFailed)
	f.wantNothing()
}

func TestPointersOfGitLFSAreNoted(t *testing.T) {
	f := newFixture(t)
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0000000000000000000000000000000000000000000000000000000000000001\nsize 5\n"
	made, err := f.imported(packed(t, "one/v.png", pointer, "one/a.txt", "x", "one/long.txt", pointer+strings.Repeat("x", 2000)))
	f.must(err)
	if got := written(made.Notes); len(got) != 1 || !strings.Contains(got[0], "Git LFS: v.png.") {
		t.Errorf("got %q, want a note about v.png alone", got)
	}
	if got := f.contents(made.ID)["v.png"]; got != pointer {
		t.Errorf("got %q, want the pointer", got)
	}
}
