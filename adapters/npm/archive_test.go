package npm_test

import (
	"archive/tar"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/npm"
	"github.com/atelierhq/atelier/core"
)

func file(name, content string) tarEntry {
	return tarEntry{tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o777}, content}
}

// installArchive installs a package with a hand-made archive.
func installArchive(t *testing.T, entries []tarEntry, prepare func(*npm.Resolver)) (dir string, err error) {
	t.Helper()
	registry := newFakeRegistry(t)
	registry.publishArchive(t, "engine", "1.0.0", nil, archiveOf(t, entries))
	store := filepath.Join(t.TempDir(), "deep", "store")
	resolver := openResolver(t, store, registry.URL)
	if prepare != nil {
		prepare(resolver)
	}
	set, err := resolver.Install(t.Context(), map[string]string{"engine": "*"})
	left, readErr := os.ReadDir(filepath.Join(store, "tmp"))
	if readErr != nil || len(left) != 0 {
		t.Errorf("got %v in tmp, want nothing", left)
	}
	return filepath.Join(set.Dir, "node_modules", "engine"), err
}

func TestAnArchiveThatLeavesThePackageIsRefused(t *testing.T) {
	names := []string{
		"package/../../outside.js", "package/../outside.js", "../outside.js", "/outside.js", "//outside.js", "package/a/../../../outside.js",
		"package//outside/../../../x", "outside.js", "package/..", "package\\..\\outside.js", "package/a\\b.js", "..", "./../outside.js",
		"package/" + strings.Repeat("a/", 100) + "deep.js",
	}
	for _, name := range names {
		_, err := installArchive(t, []tarEntry{file("package/package.json", "{}"), file(name, "gotcha")}, nil)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "engine@1.0.0") {
			t.Errorf("%q: got %v, want code %s that names engine@1.0.0", name, err, core.CodeValidationFailed)
		}
	}
}

func TestLinksAndDevicesAreNotExtracted(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := installArchive(t, []tarEntry{
		file("package/package.json", "{}"),
		{Header: tar.Header{Name: "package/symlink.js", Typeflag: tar.TypeSymlink, Linkname: secret}},
		{Header: tar.Header{Name: "package/hardlink.js", Typeflag: tar.TypeLink, Linkname: secret}},
		{Header: tar.Header{Name: "package/out", Typeflag: tar.TypeSymlink, Linkname: ".."}},
		{Header: tar.Header{Name: "package/pipe", Typeflag: tar.TypeFifo}},
		{Header: tar.Header{Name: "package/device", Typeflag: tar.TypeChar, Devmajor: 1, Devminor: 3}},
		file("package/out/inside.js", "a directory after all"),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			got = append(got, path)
			if !entry.Type().IsRegular() {
				t.Errorf("%s: got type %v, want a regular file", path, entry.Type())
			}
		}
		return err
	})
	if want := "[out/inside.js package.json]"; err != nil || "["+strings.Join(got, " ")+"]" != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
}

func TestALaterEntryReplacesAnEarlierOne(t *testing.T) {
	dir, err := installArchive(t, []tarEntry{file("package/index.js", "old"), file("package/package.json", "{}"), file("./package/index.js", "wrong prefix"), file("package/index.js", "new")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "index.js")); string(got) != "new" {
		t.Errorf("got %q, %v, want %q", got, err, "new")
	}
}

func folder(name string) tarEntry {
	return tarEntry{tar.Header{Name: name + "/", Typeflag: tar.TypeDir, Mode: 0o777}, ""}
}

// annotated is a file preceded by a record of a number of bytes.
func annotated(name string, size int) tarEntry {
	entry := file(name, "")
	entry.PAXRecords = map[string]string{"NOTE.x": strings.Repeat("x", size)}
	return entry
}

func TestAFileInPlaceOfADirectoryIsRefused(t *testing.T) {
	for _, entries := range [][]tarEntry{
		{file("package/lib", "a file"), file("package/lib/index.js", "below it")},
		{file("package/lib/index.js", "below it"), file("package/lib", "a file")},
	} {
		if _, err := installArchive(t, entries, nil); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("got %v, want code %s", err, core.CodeValidationFailed)
		}
	}
}

func TestAnArchiveThatIsTooLargeIsRefused(t *testing.T) {
	zeros := strings.Repeat("\x00", 1<<20)
	cases := map[string]struct {
		entries []tarEntry
		limit   func(*npm.Resolver)
	}{
		"too many files":          {[]tarEntry{file("p/a", ""), file("p/b", ""), file("p/c", "")}, func(r *npm.Resolver) { npm.SetLimits(r, npm.Limits{Files: 2}) }},
		"too many folders":        {[]tarEntry{folder("p/a"), folder("p/b"), folder("p/c"), file("p/d", "")}, func(r *npm.Resolver) { npm.SetLimits(r, npm.Limits{Files: 2}) }},
		"a name that never ends":  {[]tarEntry{annotated("p/a", 900_000)}, func(r *npm.Resolver) { npm.SetLimits(r, npm.Limits{Files: 2, Unpacked: 1 << 19}) }},
		"too many bytes":          {[]tarEntry{file("p/a", zeros)}, func(r *npm.Resolver) { npm.SetLimits(r, npm.Limits{Unpacked: 1 << 19}) }},
		"too many bytes in a set": {[]tarEntry{file("p/a", zeros)}, func(r *npm.Resolver) { npm.SetLimits(r, npm.Limits{Set: 1 << 19}) }},
		"too large an archive":    {[]tarEntry{file("p/a", zeros)}, func(r *npm.Resolver) { npm.SetLimits(r, npm.Limits{Tarball: 100}) }},
		"compressed too much":     {[]tarEntry{file("p/a", strings.Repeat(zeros, 24))}, nil},
	}
	for name, c := range cases {
		if _, err := installArchive(t, c.entries, c.limit); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeValidationFailed)
		}
	}
}

func TestAnArchiveThatIsNoneIsRefused(t *testing.T) {
	whole := archiveOf(t, []tarEntry{file("package/index.js", strings.Repeat("text ", 1000))})
	for name, archive := range map[string][]byte{"no gzip": []byte("hello"), "empty": nil, "cut off": whole[:len(whole)-20]} {
		registry := newFakeRegistry(t)
		registry.publishArchive(t, "engine", "1.0.0", nil, archive)
		_, err := openResolver(t, t.TempDir(), registry.URL).Install(t.Context(), map[string]string{"engine": "*"})
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%s: got %v, want code %s", name, err, core.CodeValidationFailed)
		}
	}
}

func FuzzArchiveStaysInside(f *testing.F) {
	f.Add("package/index.js", byte(tar.TypeReg), "")
	f.Add("package/../../x", byte(tar.TypeReg), "")
	f.Add("package/link", byte(tar.TypeSymlink), "/etc/passwd")
	f.Fuzz(func(t *testing.T, name string, kind byte, link string) {
		entry := tarEntry{tar.Header{Name: name, Typeflag: kind, Linkname: link, Mode: 0o777}, ""}
		if !writable(entry) {
			return
		}
		parent := t.TempDir()
		registry := newFakeRegistry(t)
		registry.publishArchive(t, "engine", "1.0.0", nil, archiveOf(t, []tarEntry{entry, file("package/package.json", "{}")}))
		resolver := openResolver(t, filepath.Join(parent, "store"), registry.URL)
		_, err := resolver.Install(t.Context(), map[string]string{"engine": "*"})
		if err != nil && !core.IsCode(err, core.CodeValidationFailed) && !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want a code", err)
		}
		if entries, err := os.ReadDir(parent); err != nil || len(entries) != 1 {
			t.Errorf("got %v beside the store, want nothing", entries)
		}
	})
}

// writable reports whether the standard library can write the entry at all.
func writable(entry tarEntry) bool {
	header := entry.Header
	return tar.NewWriter(nopWriter{}).WriteHeader(&header) == nil
}

type nopWriter struct{}

func (nopWriter) Write(data []byte) (int, error) { return len(data), nil }
