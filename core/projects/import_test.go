package projects_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/storage"
)

// packed makes an archive of pairs of names and contents. A name that ends in a
// slash is a folder.
func packed(t testing.TB, pairs ...string) []byte {
	t.Helper()
	return packedWith(t, func(archive *zip.Writer) {
		for i := 0; i+1 < len(pairs); i += 2 {
			method := zip.Deflate
			if pairs[i+1] == "" {
				// A compressor takes a megabyte, and the race detector has a pool forget every
				// fourth.
				method = zip.Store
			}
			w, err := archive.CreateHeader(&zip.FileHeader{Name: pairs[i], Method: method})
			if err == nil && pairs[i+1] != "" {
				_, err = io.WriteString(w, pairs[i+1])
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

func packedWith(t testing.TB, write func(*zip.Writer)) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	write(archive)
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func archiveOf(content []byte) projects.Archive {
	return projects.Archive{ReaderAt: bytes.NewReader(content), Size: int64(len(content))}
}

func (f *fixture) imported(content []byte) (projects.ImportResult, error) {
	return f.service.Import(f.ctx, f.member, f.workspace, projects.ImportDraft{Name: "Shop"}, archiveOf(content))
}

// contents are the listed files of a project.
func (f *fixture) contents(project core.ID) map[string]string {
	f.t.Helper()
	listing, err := f.pipeline.List(f.ctx, project)
	f.must(err)
	all := map[string]string{}
	for _, entry := range listing.Entries {
		file, err := f.pipeline.Open(f.ctx, core.FileAt{Project: project, Path: entry.Path})
		f.must(err)
		content, err := io.ReadAll(file)
		f.must(err)
		f.must(file.Close())
		all[entry.Path.String()] = string(content)
	}
	return all
}

// wantNothing fails the test if anything of a project is left.
func (f *fixture) wantNothing() {
	f.t.Helper()
	f.wantTrees(0)
	found, err := f.tables().Projects.List(f.ctx, storage.ProjectFilter{Member: f.member.UserID}, core.Page{Limit: 10})
	f.must(err)
	if len(found) != 0 {
		f.t.Errorf("got %d projects, want none", len(found))
	}
}

func TestImportMakesAWholeProject(t *testing.T) {
	f := newFixture(t)
	folder := f.addFolder(f.workspace)
	view, err := f.service.Import(f.ctx, f.member, f.workspace, projects.ImportDraft{Name: "My Shop", FolderID: &folder},
		archiveOf(packed(t, "index.html", "<p>", "src/a b.ts", "a", "src/é.ts", "", "dist/app.js", "built")))
	f.must(err)
	if view.Template != nil || view.Slug != "my-shop" || view.FolderID == nil || *view.FolderID != folder || view.Visibility != core.VisibilityWorkspace {
		t.Errorf("got %+v, want a project without a template, in the folder", view)
	}
	if got, want := f.contents(view.ID), map[string]string{"index.html": "<p>", "src/a b.ts": "a", "src/é.ts": ""}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, err := f.pipeline.Stat(f.ctx, core.FileAt{Project: view.ID, Path: core.MustPath("dist/app.js")}); err != nil {
		t.Errorf("got %v, want the file that is not listed, too", err)
	}
	versions, err := f.pipeline.Versions(f.ctx, view.ID, "", 10)
	f.must(err)
	if len(versions) != 1 || versions[0].FilesChanged != 4 || versions[0].Message != "Import the project from a zip archive" {
		t.Errorf("got %+v, want one version of all files", versions)
	}
	chats, err := f.tables().Chats.List(f.ctx, view.ID)
	f.must(err)
	if len(chats) != 1 || !chats[0].IsDefault {
		t.Errorf("got %+v, want the default chat", chats)
	}
}

func TestImportTakesOffAFolderAndLeavesOutWhatNobodyMisses(t *testing.T) {
	for name, c := range map[string]struct {
		pairs []string
		want  []string
	}{
		"a folder that holds all":     {[]string{"repo-main/", "", "repo-main/a", "x", "repo-main/b/c", "x"}, []string{"a", "b/c"}},
		"one level alone":             {[]string{"one/two/a", "x"}, []string{"two/a"}},
		"two folders":                 {[]string{"one/a", "x", "two/a", "x"}, []string{"one/a", "two/a"}},
		"a file beside the folder":    {[]string{"one/a", "x", "one.txt", "x"}, []string{"one.txt", "one/a"}},
		"a folder of a Mac":           {[]string{"one/a", "x", "__MACOSX/one/._a", "x", "one/.DS_Store", "x", ".DS_Store", "x"}, []string{"a"}},
		"packages":                    {[]string{"one/a", "x", "one/node_modules/b/index.js", "x", "node_modules/con/x?", "x"}, []string{"a"}},
		"empty folders":               {[]string{"one/a", "x", "two/", "", "one/three/", ""}, []string{"a"}},
		"names that begin alike":      {[]string{"one/a", "x", "one-two/a", "x"}, []string{"one-two/a", "one/a"}},
		"a folder named for a device": {[]string{"console/a", "x", "b", "x"}, []string{"b", "console/a"}},
	} {
		f := newFixture(t)
		view, err := f.imported(packed(t, c.pairs...))
		if err != nil {
			t.Errorf("%s: got %v, want a project", name, err)
			continue
		}
		if got := slices.Sorted(maps.Keys(f.contents(view.ID))); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

// TestAnImportTakesArchivesAsPeoplesSystemsMakeThem: decomposed names, which macOS
// writes, and the repository in a folder.
func TestAnImportTakesArchivesAsPeoplesSystemsMakeThem(t *testing.T) {
	f := newFixture(t)
	imported, err := f.imported(packed(t,
		"shop/cafe\u0301/A\u030ase.txt", "x", "shop/.git/config", "evil", "shop/.git/hooks/a?b", "x", "shop/sub/.git", "gitdir: ..", "shop/.github/ci.yml", "y"))
	f.must(err)
	if got, want := f.contents(imported.ID), map[string]string{"café/\u00c5se.txt": "x", ".github/ci.yml": "y"}; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if len(imported.Notes) != 1 || !strings.Contains(imported.Notes[0].String(), ".git") {
		t.Errorf("got the notes %q, want one about the repository", imported.Notes)
	}
	plain, err := f.imported(packed(t, "a", "x"))
	if err != nil || len(plain.Notes) != 0 {
		t.Errorf("got %q, %v, want nothing to say", plain.Notes, err)
	}
}

// withRaw makes an archive of an entry with the given header, true or not.
func withRaw(t testing.TB, header zip.FileHeader, content string) []byte {
	return packedWith(t, func(archive *zip.Writer) {
		w, err := archive.CreateRaw(&header)
		if err == nil {
			_, err = io.WriteString(w, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestImportRefusesWhatNoProjectMayHold(t *testing.T) {
	stored := zip.FileHeader{Name: "odd", CRC32: crc32.ChecksumIEEE([]byte("abc")), CompressedSize64: 3, UncompressedSize64: 3}
	alter := func(change func(*zip.FileHeader)) []byte {
		header := stored
		change(&header)
		return withRaw(t, header, "abc")
	}
	good := packed(t, "odd", strings.Repeat("x", 100))
	for name, c := range map[string]struct {
		content []byte
		code    core.Code
	}{
		"an encrypted entry":           {alter(func(h *zip.FileHeader) { h.Flags = 1 }), core.CodeValidationFailed},
		"another compression":          {alter(func(h *zip.FileHeader) { h.Method = 12 }), core.CodeValidationFailed},
		"a wrong checksum":             {alter(func(h *zip.FileHeader) { h.CRC32++ }), core.CodeValidationFailed},
		"more content than it says":    {alter(func(h *zip.FileHeader) { h.UncompressedSize64 = 2 }), core.CodeValidationFailed},
		"less content than it says":    {alter(func(h *zip.FileHeader) { h.UncompressedSize64 = 4 }), core.CodeValidationFailed},
		"broken compression":           {alter(func(h *zip.FileHeader) { h.Method = zip.Deflate }), core.CodeValidationFailed},
		"a size beyond all bounds":     {alter(func(h *zip.FileHeader) { h.UncompressedSize64 = 1<<64 - 1 }), core.CodeValidationFailed},
		"no archive":                   {[]byte("not a zip"), core.CodeValidationFailed},
		"nothing":                      {nil, core.CodeValidationFailed},
		"an archive cut off":           {good[:len(good)-10], core.CodeValidationFailed},
		"an archive without its start": {good[20:], core.CodeValidationFailed},
		"no files":                     {packed(t, "a/", ""), core.CodeValidationFailed},
		"only what is left out":        {packed(t, "node_modules/a", "x"), core.CodeValidationFailed},
	} {
		f := newFixture(t)
		if _, err := f.imported(c.content); !core.IsCode(err, c.code) {
			t.Errorf("%s: got %v, want code %s", name, err, c.code)
		}
		f.wantNothing()
	}
}

func TestImportRefusesNames(t *testing.T) {
	const traversal, invalid, twice = core.CodePathTraversal, core.CodeInvalidPath, core.CodeValidationFailed
	for name, want := range map[string]core.Code{
		"/etc/passwd": traversal, "../a": traversal, "a/../../b": traversal, `..\a`: traversal, `\a`: traversal, `C:\a`: traversal, "c:a": traversal,
		"node_modules/../../a": traversal, "__MACOSX/../../a": traversal, "a/..": traversal, "../": traversal, "//a": traversal,
		`src\..\..\a`: traversal, ".git/../../a": traversal, "a:b": traversal,
		".GIT/config": invalid, ".git./x": invalid, "git~1/x": invalid, ".g\u200cit/config": invalid, `.GIT\config`: invalid,
		"index.html": twice, "index.html/a": twice, "src": twice, "cafe\u0301": twice, `src\a`: twice, "src//a": twice, "./src/a": twice,
	} {
		f := newFixture(t)
		_, err := f.imported(packed(t, "index.html", "x", "src/a", "x", "caf\u00e9", "x", name, ""))
		if !core.IsCode(err, want) {
			t.Errorf("%.40q: got %v, want code %s", name, err, want)
		}
		if err != nil && !strings.Contains(err.Error(), "entry ") {
			t.Errorf("%.40q: got %v, want the entry in the message", name, err)
		}
		f.wantNothing()
	}
}

func TestImportIsBounded(t *testing.T) {
	many := func(n int, content string) []byte {
		var pairs []string
		for i := range n {
			pairs = append(pairs, fmt.Sprintf("f%d", i), content)
		}
		return packed(t, pairs...)
	}
	deep := func() []byte {
		var pairs []string
		for i := range 700 {
			pairs = append(pairs, fmt.Sprintf("%d/", i)+strings.Repeat("x/", 300)+"x", "x")
		}
		return packed(t, pairs...)
	}
	claiming := func(files int) []byte {
		return packedWith(t, func(archive *zip.Writer) {
			for i := range files {
				header := zip.FileHeader{Name: fmt.Sprintf("f%d", i), CompressedSize64: 3, UncompressedSize64: fileLimit}
				w, err := archive.CreateRaw(&header)
				if err == nil {
					_, err = io.WriteString(w, "abc")
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		})
	}
	zeros := strings.Repeat("\x00", 17<<20/20)
	for name, c := range map[string]struct {
		content []byte
		code    core.Code
		says    string
	}{
		"more files than may be":    {many(50_001, ""), core.CodeValidationFailed, "50000 files"},
		"only a file too large":     {packed(t, "a", strings.Repeat("x", fileLimit+1)), core.CodeValidationFailed, "no files that a project can hold"},
		"a file as large as may":    {packed(t, "a", strings.Repeat("x", fileLimit)), "", ""},
		"a bomb":                    {many(20, zeros), core.CodeValidationFailed, "times its size"},
		"more than a disk is for":   {claiming(513), core.CodeValidationFailed, "unpacks to more"},
		"more folders than is sane": {deep(), core.CodeValidationFailed, "files and folders"},
		"a directory without end":   {crowded(900_000), core.CodeValidationFailed, "too many entries"},
	} {
		f := newFixture(t)
		_, err := f.imported(c.content)
		if core.CodeOf(err) != c.code || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want code %q and %q", name, err, c.code, c.says)
		}
		if c.code != "" {
			f.wantNothing()
		}
	}
	f := newFixture(t)
	_, err := f.service.Import(f.ctx, f.member, f.workspace, projects.ImportDraft{Name: "Shop"}, projects.Archive{Size: projects.MaxArchiveBytes + 1})
	f.wantCode(err, core.CodePayloadTooLarge)
}

// crowded is an archive with only a directory of many entries without names, whose
// header claims few.
func crowded(entries int) []byte {
	header := make([]byte, 46)
	copy(header, "PK\x01\x02")
	end := make([]byte, 22)
	copy(end, "PK\x05\x06")
	out := bytes.Repeat(header, entries)
	binary.LittleEndian.PutUint16(end[8:], uint16(entries))
	binary.LittleEndian.PutUint16(end[10:], uint16(entries))
	binary.LittleEndian.PutUint32(end[12:], uint32(len(out)))
	return append(out, end...)
}

func TestImportIsForMembersAndChecksTheDraft(t *testing.T) {
	f := newFixture(t)
	good := archiveOf(packed(t, "a", "x"))
	_, err := f.service.Import(f.ctx, f.stranger, f.workspace, projects.ImportDraft{Name: "Shop"}, good)
	f.wantCode(err, core.CodeNotFound)
	f.wantCode(f.service.MayCreate(f.ctx, f.stranger, f.workspace), core.CodeNotFound)
	f.must(f.service.MayCreate(f.ctx, f.member, f.workspace))
	elsewhere := f.addFolder(f.addWorkspace(nil))
	for _, draft := range []projects.ImportDraft{{}, {Name: "a\x00"}, {Name: "Shop", FolderID: &elsewhere}, {Name: "Shop", FolderID: ptr(core.ID("x"))}} {
		_, err := f.service.Import(f.ctx, f.member, f.workspace, draft, good)
		f.wantCode(err, core.CodeValidationFailed)
	}
	f.wantNothing()
}

func TestAnImportWhoseClientLeavesLeavesNothing(t *testing.T) {
	f := newFixture(t)
	noise := make([]byte, 200<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	archive := archiveOf(packed(t, "a", string(noise)))
	ctx, leave := context.WithCancel(f.ctx)
	read := false
	archive.ReaderAt = offsetSpy{archive.ReaderAt, func(at int64) {
		// The directory is at the end.
		if at < 1000 {
			read = true
			leave()
		}
	}}
	_, err := f.service.Import(ctx, f.member, f.workspace, projects.ImportDraft{Name: "Shop"}, archive)
	if err == nil || !read {
		t.Errorf("got %v, and that the content was read %t, want an error after that", err, read)
	}
	f.wantNothing()
}

// offsetSpy is an archive that reports the offsets that are read.
type offsetSpy struct {
	io.ReaderAt
	tell func(at int64)
}

func (w offsetSpy) ReadAt(p []byte, at int64) (int, error) {
	w.tell(at)
	return w.ReaderAt.ReadAt(p, at)
}

// FuzzImport: any archive gives either a project with valid files or nothing.
func FuzzImport(f *testing.F) {
	f.Add(packed(f, "index.html", "<p>", "a/b", "x"))
	f.Add(packed(f, "one/a", "x", "one/../../b", "x"))
	f.Add(withEntry(f, "odd", 0o120777, "index.html"))
	f.Add(crowded(3))
	f.Fuzz(func(t *testing.T, content []byte) {
		f := newFixture(t)
		view, err := f.imported(content)
		if err != nil {
			if core.IsCode(err, core.CodeInternal) || core.IsCode(err, core.CodeUnavailable) {
				t.Fatalf("got %v, want a code that says what is wrong with the archive", err)
			}
			f.wantNothing()
			return
		}
		if len(f.contents(view.ID)) > 50_000 {
			t.Error("got more files than may be")
		}
	})
}
