package bootstrap_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// zipped makes an archive of pairs of names and contents.
func zipped(t testing.TB, pairs ...string) []byte {
	t.Helper()
	headers := make([]zip.FileHeader, 0, len(pairs)/2)
	contents := make([]string, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		headers, contents = append(headers, zip.FileHeader{Name: pairs[i], Method: zip.Deflate}), append(contents, pairs[i+1])
	}
	return zippedAs(t, headers, contents)
}

func zippedAs(t testing.TB, headers []zip.FileHeader, contents []string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i := range headers {
		w, err := archive.CreateHeader(&headers[i])
		if err == nil && contents[i] != "" {
			_, err = io.WriteString(w, contents[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// form is a body of type multipart/form-data.
type form struct {
	io.Reader
	kind string
}

func (f form) ContentType() string { return f.kind }

// importForm is the form of an import. fields are pairs.
func importForm(t testing.TB, name string, archive []byte, fields ...string) form {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	file, err := w.CreateFormFile("file", "project.zip")
	if err == nil {
		_, err = file.Write(archive)
	}
	if err == nil && name != "" {
		err = w.WriteField("name", name)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return form{&out, w.FormDataContentType()}
}

func (c *caller) importPath() string {
	return "/workspaces/" + string(c.workspace) + "/projects/import"
}

// imports makes a project of an archive.
func (c *caller) imports(archive []byte) *work {
	c.t.Helper()
	w := &work{caller: c}
	c.must(http.StatusCreated, http.MethodPost, c.importPath(), importForm(c.t, "Work", archive), &w.Project)
	return w
}

// files are the listed files with their contents.
func (w *work) files() map[string]string {
	w.t.Helper()
	var list []struct{ Path string }
	w.must(http.StatusOK, http.MethodGet, w.path("/files"), nil, &list)
	all := map[string]string{}
	for _, file := range list {
		all[file.Path] = string(w.must(http.StatusOK, http.MethodGet, w.path("/files/"+file.Path), nil, nil).body)
	}
	return all
}

// projectIDs are the projects that the caller sees.
func (c *caller) projectIDs() []core.ID {
	c.t.Helper()
	var page struct{ Items []core.Project }
	c.must(http.StatusOK, http.MethodGet, "/projects?limit=100", nil, &page)
	ids := make([]core.ID, len(page.Items))
	for i, project := range page.Items {
		ids[i] = project.ID
	}
	slices.Sort(ids)
	return ids
}

func TestAnImportedProjectIsAProjectLikeAnyOther(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			var folder core.Folder
			c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.workspace)+"/folders", fields{"name": "Clients"}, &folder)
			archive := zipped(t, "repo-main/", "", "repo-main/index.html", "<!doctype html><title>t</title>", "repo-main/src/a.css", "p{}", "repo-main/node_modules/x", "x")
			w := &work{caller: c}
			c.must(http.StatusCreated, http.MethodPost, c.importPath(), importForm(t, "Old shop", archive, "folderId", string(folder.ID)), &w.Project)
			if w.Template != nil || w.Slug != "old-shop" || w.FolderID == nil || *w.FolderID != folder.ID {
				t.Errorf("got %+v, want no template, and the folder", w.Project)
			}
			if got, want := w.files(), map[string]string{"index.html": "<!doctype html><title>t</title>", "src/a.css": "p{}"}; !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			var versions struct{ Items []core.Version }
			w.must(http.StatusOK, http.MethodGet, w.path("/versions"), nil, &versions)
			if len(versions.Items) != 1 || versions.Items[0].FilesChanged != 2 {
				t.Errorf("got %+v, want one version of both files", versions.Items)
			}
			w.must(http.StatusCreated, http.MethodPut, w.path("/files/new.txt"), strings.NewReader("x"), nil)
			w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
		})
	}
}

// hostile are archives of which each has one thing wrong.
func hostile(t testing.TB) map[string]struct {
	archive []byte
	code    core.Code
} {
	type row = struct {
		archive []byte
		code    core.Code
	}
	rows := map[string]row{}
	named := func(code core.Code, names ...string) {
		for _, name := range names {
			rows[fmt.Sprintf("an entry %.30q", name)] = row{zipped(t, "index.html", "x", "src/a", "x", name, "evil"), code}
		}
	}
	named(core.CodePathTraversal, "/etc/passwd", "../x", "a/../../x", "../../../../../../tmp/x", `..\x`, `\x`, `C:\x`, "c:/x", "C:x", "//host/x", "node_modules/../../x", ".git/../../x")
	named(core.CodeInvalidPath, `a\x`, "a\x00x", "a//x", "./x", "a/./x", ".GIT/x", "git~1/x", ".git /x",
		".g\u200cit/x", "con", "a/aux.txt", "x.", "x ", "a\nb", "bb:c", "\xff\xfe", strings.Repeat("x", 300), strings.Repeat("a/", 700)+"x")
	named(core.CodeValidationFailed, "index.html", "index.html/x", "src")
	odd := func(mode uint32) []byte {
		headers := []zip.FileHeader{{Name: "index.html"}, {Name: "odd", CreatorVersion: 3 << 8, ExternalAttrs: mode << 16}}
		return zippedAs(t, headers, []string{"x", "/etc/passwd"})
	}
	for name, mode := range map[string]uint32{"a link": 0o120777, "a pipe": 0o010644, "a socket": 0o140644, "a device": 0o060644} {
		rows[name] = row{odd(mode), core.CodeValidationFailed}
	}
	whole := zipped(t, "index.html", strings.Repeat("abc", 1000))
	torn := slices.Clone(whole)
	copy(torn[40:], "garbage garbage")
	rows["no archive"] = row{[]byte("<html>"), core.CodeValidationFailed}
	rows["nothing"] = row{nil, core.CodeValidationFailed}
	rows["half an archive"] = row{whole[:len(whole)/2], core.CodeValidationFailed}
	rows["broken content"] = row{torn, core.CodeValidationFailed}
	rows["an empty archive"] = row{zipped(t), core.CodeValidationFailed}
	rows["a bomb"] = row{zipped(t, "a", strings.Repeat("\x00", 20<<20)), core.CodeValidationFailed}
	rows["a file too large"] = row{zipped(t, "a", strings.Repeat("\x00", 26<<20)), core.CodeValidationFailed}
	var many []string
	for i := range 50_001 {
		many = append(many, fmt.Sprint(i), "")
	}
	rows["too many files"] = row{zipped(t, many...), core.CodeValidationFailed}
	return rows
}

func TestAHostileArchiveLeavesNothingBehind(t *testing.T) {
	rows := hostile(t)
	if len(rows) < 25 {
		t.Fatalf("got %d archives, want many", len(rows))
	}
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			c := program.serve(t).signUp()
			for what, row := range rows {
				got := c.do(http.MethodPost, c.importPath(), importForm(t, "Evil", row.archive))
				if got.status != http.StatusBadRequest || got.code() != row.code {
					t.Errorf("%s: got %d %.300s, want %s", what, got.status, got.body, row.code)
				}
			}
			c.wantNoTraces(t)
		})
	}
}

// wantNoTraces fails the test unless there are no project, no tree and no temporary
// file.
func (c *caller) wantNoTraces(t *testing.T) {
	t.Helper()
	trees, err := c.app.Trees.List(t.Context())
	if ids := c.projectIDs(); err != nil || len(ids) != 0 || len(trees) != 0 {
		t.Errorf("got the projects %v and the trees %v, %v, want none", ids, trees, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("got the temporary files %v, %v, want none", left, err)
	}
}

func TestOnlyAWholeFormIsAnImport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := serve(t, t.TempDir(), inmemory.New, nil).signUp()
	good := zipped(t, "index.html", "x")
	cut := func(body form, n int) form {
		content, _ := io.ReadAll(body)
		return form{bytes.NewReader(content[:len(content)-n]), body.kind}
	}
	large := form{io.MultiReader(strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"), io.LimitReader(zeros{}, projects.MaxArchiveBytes+1)), "multipart/form-data; boundary=b"}
	for name, row := range map[string]struct {
		body form
		code core.Code
	}{
		"JSON of another kind":  {form{strings.NewReader(`{"zipUrl":"https://example.com/x.zip","name":"x"}`), "application/json"}, core.CodeInvalidRequest},
		"an archive by itself":  {form{bytes.NewReader(good), "application/zip"}, core.CodeUnsupportedMediaType},
		"no boundary":           {form{bytes.NewReader(good), "multipart/form-data"}, core.CodeUnsupportedMediaType},
		"another multipart":     {form{bytes.NewReader(good), "multipart/mixed; boundary=b"}, core.CodeUnsupportedMediaType},
		"nothing":               {form{strings.NewReader(""), "multipart/form-data; boundary=b"}, core.CodeInvalidRequest},
		"half a form":           {cut(importForm(t, "x", good), 20), core.CodeInvalidRequest},
		"no name":               {importForm(t, "", good), core.CodeInvalidRequest},
		"two names":             {importForm(t, "x", good, "name", "y"), core.CodeInvalidRequest},
		"an unknown field":      {importForm(t, "x", good, "template", "blank"), core.CodeInvalidRequest},
		"a field too long":      {importForm(t, strings.Repeat("x", 5000), good), core.CodeValidationFailed},
		"two files":             {importForm(t, "x", good, "file", "x"), core.CodeInvalidRequest},
		"a blank name":          {importForm(t, " ", good), core.CodeValidationFailed},
		"a folder that is none": {importForm(t, "x", good, "folderId", "x"), core.CodeValidationFailed},
		"an archive too large":  {large, core.CodePayloadTooLarge},
	} {
		if got := c.do(http.MethodPost, c.importPath(), row.body); got.code() != row.code {
			t.Errorf("%s: got %d %.300s, want %s", name, got.status, got.body, row.code)
		}
	}
	c.wantNoTraces(t)
	c.must(http.StatusCreated, http.MethodPost, c.importPath(), importForm(t, "x", good, "folderId", ""), nil)
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestAnImportStaysWithinItsWorkspace(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := serve(t, t.TempDir(), inmemory.New, nil)
	ann, eve := s.signUp(), s.signUp()
	var folder core.Folder
	ann.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ann.workspace)+"/folders", fields{"name": "Clients"}, &folder)
	good := zipped(t, "index.html", "x")
	if got := eve.do(http.MethodPost, ann.importPath(), importForm(t, "x", good)); got.status != http.StatusNotFound {
		t.Errorf("into another's workspace: got %d %s, want 404", got.status, got.body)
	}
	if got := eve.do(http.MethodPost, eve.importPath(), importForm(t, "x", good, "folderId", string(folder.ID))); got.code() != core.CodeValidationFailed {
		t.Errorf("into another's folder: got %d %s, want validation_failed", got.status, got.body)
	}
	eve.wantNoTraces(t)
	w := ann.imports(good)
	for _, path := range []string{"/export", "/files", "/env"} {
		if got := eve.do(http.MethodGet, w.path(path), nil); got.status != http.StatusNotFound {
			t.Errorf("%s of another's project: got %d %s, want 404", path, got.status, got.body)
		}
	}
}

// importRounds is how often the process is killed during an import.
const importRounds = 5

func TestKillDuringAnImportLeavesAWholeProjectOrNothing(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	temporary := t.TempDir()
	service := process.Start(t, process.Build(t), "TMPDIR="+temporary)
	c := (&site{t: t, url: service.URL, http: localClient()}).signUp()
	const files = 600
	var pairs []string
	for i := range files {
		pairs = append(pairs, fmt.Sprintf("src/%d.txt", i), strings.Repeat(fmt.Sprint(i), 1000))
	}
	archive := zipped(t, pairs...)
	for round := range importRounds {
		done := c.importAside(importForm(t, fmt.Sprint("Round ", round), archive))
		time.Sleep(time.Duration(random.Int64N(int64(400 * time.Millisecond))))
		service.Kill()
		<-done
		c.http.CloseIdleConnections()
		service.Restart()
		for _, id := range c.projectIDs() {
			var list []struct{ Path string }
			c.must(http.StatusOK, http.MethodGet, "/projects/"+string(id)+"/files", nil, &list)
			if len(list) != files {
				t.Errorf("round %d: got a project of %d files, want %d or no project", round, len(list), files)
			}
		}
		if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
			t.Errorf("round %d: got the temporary files %v, %v, want none", round, left, err)
		}
	}
	want := c.projectIDs()
	service.Stop()
	wantSwept(t, service.Dir, want)
}

// importAside sends an import that nobody waits for.
func (c *caller) importAside(body form) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.url+c.importPath(), body)
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", body.kind)
		request.Header.Set("Authorization", "Bearer "+c.token)
		if response, err := c.http.Do(request); err == nil {
			response.Body.Close()
		}
	}()
	return done
}

// wantSwept starts a program on the data of another, two hours later, and wants
// the trees of the recorded projects to be left.
func wantSwept(t *testing.T, dir string, want []core.ID) {
	t.Helper()
	app := serve(t, dir, local.New, nil).app
	later := projects.NewService(projects.Ports{
		Store: app.Store, Files: app.Pipeline, Trees: app.Trees, Log: app.Log,
		Now: func() time.Time { return time.Now().Add(2 * time.Hour) },
	})
	swept, err := later.Sweep(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d imports were recorded, %d swept", len(want), len(swept))
	got, err := app.Trees.List(t.Context())
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got the trees %v, %v, want those of the projects %v", got, err, want)
	}
}
