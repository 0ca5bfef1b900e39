package buildworker

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
)

// questionCounter counts the questions of a worker by kind and name.
type questionCounter map[string]int

func (a questionCounter) sum() int {
	sum := 0
	for _, times := range a {
		sum += times
	}
	return sum
}

// connect returns files as a worker sees them, with or without files that were sent in advance.
func connect(t testing.TB, files fs.FS, ahead bool) (*remoteFiles, questionCounter) {
	t.Helper()
	serving, counted := newServing(files, newContents()), questionCounter{}
	known := []byte{0}
	if ahead {
		known = bytes.Join(serving.ahead(), nil)
	}
	r, err := newRemote(known, func(kind frameKind, name string) ([]byte, error) {
		counted[fmt.Sprint(kind, " ", name)]++
		return bytes.Join(serving.answer(kind, name), nil), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r, counted
}

// sample is a project with files that are sent in advance and files that are not.
func sample() fstest.MapFS {
	files := fstest.MapFS{
		"index.html":             {Data: []byte("<p>")},
		"src/a.ts":               {Data: []byte("a")},
		"src/.gitignore":         {Data: []byte("i")},
		"docs/notes.md":          {Data: []byte("n")},
		"src/empty.ts":           {},
		"src/deep/down/b.css":    {Data: []byte("b")},
		"src/large.json":         {Data: bytes.Repeat([]byte("1"), maxBesideBytes+1)},
		"public/logo.png":        {Data: bytes.Repeat([]byte("p"), minShared)},
		"node_modules/x/x.js":    {Data: []byte("x")},
		".hidden/h.js":           {Data: []byte("h")},
		"src/deep/named.empty.d": {},
	}
	for i := range maxKnown + 1 {
		files[fmt.Sprintf("many/f%d.ts", i)] = &fstest.MapFile{Data: []byte("m")}
	}
	return files
}

func TestTheWorkerSeesTheProject(t *testing.T) {
	for _, ahead := range []bool{true, false} {
		r, _ := connect(t, sample(), ahead)
		if err := fstest.TestFS(r, "index.html", "src/large.json", "public/logo.png", "node_modules/x/x.js", ".hidden/h.js", "many/f1000.ts", "src/empty.ts"); err != nil {
			t.Errorf("ahead %v: %v", ahead, err)
		}
	}
}

func TestSourcesAreThereBeforeTheyAreAskedFor(t *testing.T) {
	r, counted := connect(t, sample(), true)
	for _, name := range []string{"index.html", "src/a.ts", "src/.gitignore", "docs/notes.md", "src/empty.ts", "src/deep/down/b.css"} {
		if _, err := fs.Stat(r, name); err != nil {
			t.Error(err)
		}
		if content, err := fs.ReadFile(r, name); err != nil || string(content) != string(sample()[name].Data) {
			t.Errorf("%s: got %q, %v, want its content", name, content, err)
		}
	}
	for _, name := range []string{"src/a", "src/a.tsx", "src/deep/down/none/at/all", "tsconfig.json"} {
		if _, err := fs.Stat(r, name); !errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "none") {
			t.Errorf("%s: got %v, want %v", name, err, fs.ErrNotExist)
		}
	}
	for name, want := range map[string]error{".": nil, "src": nil, "src/none": fs.ErrNotExist, "none": fs.ErrNotExist} {
		if _, err := fs.ReadDir(r, name); !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", name, err, want)
		}
		if found, err := fs.Stat(r, name); !errors.Is(err, want) || err == nil && !found.IsDir() {
			t.Errorf("%s: got %v, %v, want %v", name, found, err, want)
		}
	}
	if counted.sum() > 1 { // a directory whose parent does not exist either
		t.Errorf("got questions %v, want none", counted)
	}
	for range 3 {
		_, _ = fs.Stat(r, "public/logo.png")
		_, _ = fs.ReadDir(r, "node_modules")
		_, _ = fs.Stat(r, "many/f1.ts")
	}
	if counted.sum() > 3 {
		t.Errorf("got questions %v, want each once", counted)
	}
}

func TestSourcesComeWithThoseBesideThem(t *testing.T) {
	r, counted := connect(t, sample(), false)
	for _, name := range []string{"src/a.ts", "src/empty.ts"} {
		_, _ = fs.Stat(r, name)
		if _, err := fs.ReadFile(r, name); err != nil {
			t.Error(err)
		}
	}
	if counted.sum() != 2 {
		t.Errorf("got questions %v, want the directory and one file", counted)
	}
}

// faultyEnv fails in a way of its own for some names.
type faultyEnv struct {
	fstest.MapFS
	errs map[string]error
}

func (b faultyEnv) ReadFile(name string) ([]byte, error) {
	if err := b.errs[name]; err != nil {
		return nil, &fs.PathError{Op: "read", Path: name, Err: err}
	}
	return b.MapFS.ReadFile(name)
}

func TestErrorsAreToldApart(t *testing.T) {
	files := faultyEnv{fstest.MapFS{"a.ts": {}, "b.ts": {}, "c.ts": {}, "d.ts": {}}, map[string]error{
		"a.ts": syscall.EIO, "b.ts": errors.New("odd"), "c.ts": syscall.ENAMETOOLONG, "d.ts": fs.ErrNotExist,
	}}
	r, _ := connect(t, files, true)
	for name, want := range map[string]error{
		"a.ts": syscall.EIO, "c.ts": syscall.ENAMETOOLONG, "d.ts": fs.ErrNotExist, "none.ts": fs.ErrNotExist,
		"../a.ts": fs.ErrInvalid, "/etc/passwd": fs.ErrInvalid, "": fs.ErrInvalid,
	} {
		if _, err := fs.ReadFile(r, name); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", name, err, want)
		}
	}
	if _, err := fs.ReadFile(r, "b.ts"); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Errorf("got %v, want the text of the error", err)
	}
	r.close()
	if _, err := fs.ReadFile(r, "a.ts"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v after the build, want %v", err, fs.ErrClosed)
	}
}

func TestLargeFilesStayBehind(t *testing.T) {
	dir := t.TempDir()
	file, err := os.Create(filepath.Join(dir, "movie.mp4"))
	if err == nil {
		err = errors.Join(file.Truncate(maxFileBytes+1), file.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	r, _ := connect(t, os.DirFS(dir), true)
	if content, err := fs.ReadFile(r, "movie.mp4"); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("got %d bytes, %v, want it refused", len(content), err)
	}
}

func TestNamesThatAreNoTextAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.ts", "b\xff.ts"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, _ := connect(t, os.DirFS(dir), true)
	if found, err := fs.ReadDir(r, "."); err != nil || len(found) != 1 || found[0].Name() != "a.ts" {
		t.Errorf("got %v, %v, want a.ts alone", found, err)
	}
}

// FuzzReplies feeds a worker replies that the service never sends.
func FuzzReplies(f *testing.F) {
	serving := newServing(sample(), newContents())
	for _, name := range []string{"src", "src/a.ts", "none"} {
		for _, kind := range []frameKind{askStat, askList, askRead} {
			f.Add(bytes.Join(serving.answer(kind, name), nil))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		answer := func(frameKind, string) ([]byte, error) { return text, nil }
		if r, err := newRemote(text, answer); err == nil {
			_, _ = fs.ReadDir(r, ".")
		}
		for _, name := range []string{"src/a.ts", ".", "x"} {
			r, err := newRemote([]byte{0}, answer)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = fs.Stat(r, name)
			_, _ = fs.ReadFile(r, name)
		}
	})
}
