package projects_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
)

// imports makes a project of an archive.
func imports(c *storytest.Caller, archive []byte) *storytest.Work {
	c.T.Helper()
	w := &storytest.Work{Caller: c}
	c.Must(http.StatusCreated, http.MethodPost, c.ImportPath(), storytest.ImportForm(c.T, "Work", archive), &w.Project)
	return w
}

func TestAnImportedProjectIsAProjectLikeAnyOther(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			var folder core.Folder
			c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/folders", storytest.Fields{"name": "Clients"}, &folder)
			archive := storytest.Zipped(t, "repo-main/", "", "repo-main/index.html", "<!doctype html><title>t</title>", "repo-main/src/a.css", "p{}", "repo-main/node_modules/x", "x")
			w := &storytest.Work{Caller: c}
			c.Must(http.StatusCreated, http.MethodPost, c.ImportPath(), storytest.ImportForm(t, "Old shop", archive, "folderId", string(folder.ID)), &w.Project)
			if w.Template != nil || w.Slug != "old-shop" || w.FolderID == nil || *w.FolderID != folder.ID {
				t.Errorf("got %+v, want no template, and the folder", w.Project)
			}
			if got, want := w.Files(), map[string]string{"index.html": "<!doctype html><title>t</title>", "src/a.css": "p{}"}; !maps.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			var versions struct{ Items []core.Version }
			w.Must(http.StatusOK, http.MethodGet, w.Path("/versions"), nil, &versions)
			if len(versions.Items) != 1 || versions.Items[0].FilesChanged != 2 {
				t.Errorf("got %+v, want one version of both files", versions.Items)
			}
			w.Must(http.StatusCreated, http.MethodPut, w.Path("/files/new.txt"), strings.NewReader("x"), nil)
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
		})
	}
}

// linked is an archive of a page, a link out of it, and another file.
func linked(t testing.TB, name string) []byte {
	headers := []zip.FileHeader{{Name: "index.html"}, {Name: "odd", CreatorVersion: 3 << 8, ExternalAttrs: 0o120777 << 16}, {Name: name}}
	return storytest.ZippedAs(t, headers, []string{"x", "/etc", "x"})
}

func TestAnOddArchiveIsImportedWithNotes(t *testing.T) {
	const link, pipe = 0o120777 << 16, 0o010644 << 16
	headers := []zip.FileHeader{
		{Name: `shop\index.html`}, {Name: `shop\css\a.css`}, {Name: "shop/\x9aber uns.html", NonUTF8: true}, {Name: "shop/AGENTS.md"},
		{Name: "shop/CLAUDE.md", CreatorVersion: 3 << 8, ExternalAttrs: link}, {Name: "shop/passwords", CreatorVersion: 3 << 8, ExternalAttrs: link},
		{Name: "shop/pipe", CreatorVersion: 3 << 8, ExternalAttrs: pipe}, {Name: "shop/aux.ts"}, {Name: "photo.jpg?w=200"}, {Name: "Thumbs.db"},
	}
	archive := storytest.ZippedAs(t, headers, []string{"page", "p{}", "about", "rules", "AGENTS.md", "/etc/passwd", "x", "x", "x", "x"})
	storytest.OnBoth(t, func(t *testing.T, program storytest.Program) {
		c := program.Serve(t).SignUp()
		var made struct {
			core.Project
			Notes []string
		}
		c.Must(http.StatusCreated, http.MethodPost, c.ImportPath(), storytest.ImportForm(t, "Odd", archive), &made)
		w := &storytest.Work{Caller: c, Project: made.Project}
		want := map[string]string{"index.html": "page", "css/a.css": "p{}", "Über uns.html": "about", "AGENTS.md": "rules", "CLAUDE.md": "rules"}
		if got := w.Files(); !maps.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		notes := strings.Join(made.Notes, "\n")
		for _, says := range []string{`"shop/aux.ts", "photo.jpg?w=200"`, "came along: shop/passwords", "led: shop/CLAUDE.md", "not files: shop/pipe"} {
			if !strings.Contains(notes, says) {
				t.Errorf("got the notes %q, want %q", notes, says)
			}
		}
	})
}

// hostile are archives with one fault each.
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
			rows[fmt.Sprintf("an entry %.30q", name)] = row{storytest.Zipped(t, "index.html", "x", "src/a", "x", name, "evil"), code}
		}
	}
	named(core.CodePathTraversal, "/etc/passwd", "../x", "a/../../x", "../../../../../../tmp/x", `..\x`, `\x`, `C:\x`, "c:/x", "C:x", "//host/x", "node_modules/../../x", ".git/../../x")
	named(core.CodeInvalidPath, ".GIT/x", "git~1/x", ".git /x", ".g\u200cit/x", `.GIT\x`)
	named(core.CodeValidationFailed, "index.html", "index.html/x", "src", `src\a`)
	rows["a file below a link"] = row{linked(t, "odd/x"), core.CodeValidationFailed}
	rows["a file in the place of a link"] = row{linked(t, "odd"), core.CodeValidationFailed}
	whole := storytest.Zipped(t, "index.html", strings.Repeat("abc", 1000))
	torn := slices.Clone(whole)
	copy(torn[40:], "garbage garbage")
	rows["no archive"] = row{[]byte("<html>"), core.CodeValidationFailed}
	rows["nothing"] = row{nil, core.CodeValidationFailed}
	rows["half an archive"] = row{whole[:len(whole)/2], core.CodeValidationFailed}
	rows["broken content"] = row{torn, core.CodeValidationFailed}
	rows["an empty archive"] = row{storytest.Zipped(t), core.CodeValidationFailed}
	rows["a bomb"] = row{storytest.Zipped(t, "a", strings.Repeat("\x00", 20<<20)), core.CodeValidationFailed}
	rows["a file too large"] = row{storytest.Zipped(t, "a", strings.Repeat("\x00", 26<<20)), core.CodeValidationFailed}
	var many []string
	for i := range 50_001 {
		many = append(many, fmt.Sprint(i), "")
	}
	rows["too many files"] = row{storytest.Zipped(t, many...), core.CodeValidationFailed}
	return rows
}

func TestAHostileArchiveLeavesNothingBehind(t *testing.T) {
	rows := hostile(t)
	if len(rows) < 25 {
		t.Fatalf("got %d archives, want many", len(rows))
	}
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			c := program.Serve(t).SignUp()
			for what, row := range rows {
				got := c.Do(http.MethodPost, c.ImportPath(), storytest.ImportForm(t, "Evil", row.archive))
				if got.Status != http.StatusBadRequest || got.Code() != row.code {
					t.Errorf("%s: got %d %.300s, want %s", what, got.Status, got.Body, row.code)
				}
			}
			wantNoTraces(c, t)
		})
	}
}

// wantNoTraces fails the test unless there are no project, no tree and no temporary
// file.
func wantNoTraces(c *storytest.Caller, t *testing.T) {
	t.Helper()
	trees, err := c.App.Trees.List(t.Context())
	if ids := c.ProjectIDs(); err != nil || len(ids) != 0 || len(trees) != 0 {
		t.Errorf("got the projects %v and the trees %v, %v, want none", ids, trees, err)
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 {
		t.Errorf("got the temporary files %v, %v, want none", left, err)
	}
}

func TestOnlyAWholeFormIsAnImport(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := storytest.Serve(t, t.TempDir(), inmemory.New, nil).SignUp()
	good := storytest.Zipped(t, "index.html", "x")
	cut := func(body storytest.Form, n int) storytest.Form {
		content, _ := io.ReadAll(body)
		return storytest.Form{Reader: bytes.NewReader(content[:len(content)-n]), Kind: body.Kind}
	}
	large := storytest.Form{Reader: io.MultiReader(strings.NewReader("--b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\n"), io.LimitReader(zeros{}, projects.MaxArchiveBytes+1)), Kind: "multipart/form-data; boundary=b"}
	for name, row := range map[string]struct {
		body storytest.Form
		code core.Code
	}{
		"JSON of another kind": {storytest.Form{Reader: strings.NewReader(`{"zipUrl":"https://example.com/x.zip","name":"x"}`), Kind: "application/json"}, core.CodeInvalidRequest},
		"an archive by itself": {storytest.Form{Reader: bytes.NewReader(good), Kind: "application/zip"}, core.CodeUnsupportedMediaType},
		"no boundary":          {storytest.Form{Reader: bytes.NewReader(good), Kind: "multipart/form-data"}, core.CodeUnsupportedMediaType},
		"another multipart":    {storytest.Form{Reader: bytes.NewReader(good), Kind: "multipart/mixed; boundary=b"}, core.CodeUnsupportedMediaType},
		"nothing":              {storytest.Form{Reader: strings.NewReader(""), Kind: "multipart/form-data; boundary=b"}, core.CodeInvalidRequest},
		"half a form":          {cut(storytest.ImportForm(t, "x", good), 20), core.CodeInvalidRequest},
		"no name":              {storytest.ImportForm(t, "", good), core.CodeInvalidRequest},
		"two names":            {storytest.ImportForm(t, "x", good, "name", "y"), core.CodeInvalidRequest},
		"an unknown field":     {storytest.ImportForm(t, "x", good, "template", "blank"), core.CodeInvalidRequest},
		"a field too long":     {storytest.ImportForm(t, strings.Repeat("x", 5000), good), core.CodeValidationFailed},
		"two files":            {storytest.ImportForm(t, "x", good, "file", "x"), core.CodeInvalidRequest},
		"a blank name":         {storytest.ImportForm(t, " ", good), core.CodeValidationFailed},
		"an invalid folder id": {storytest.ImportForm(t, "x", good, "folderId", "x"), core.CodeValidationFailed},
		"an archive too large": {large, core.CodePayloadTooLarge},
	} {
		if got := c.Do(http.MethodPost, c.ImportPath(), row.body); got.Code() != row.code {
			t.Errorf("%s: got %d %.300s, want %s", name, got.Status, got.Body, row.code)
		}
	}
	wantNoTraces(c, t)
	c.Must(http.StatusCreated, http.MethodPost, c.ImportPath(), storytest.ImportForm(t, "x", good, "folderId", ""), nil)
}

// zeros is an endless body.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestAnImportStaysWithinItsWorkspace(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	ann, eve := s.SignUp(), s.SignUp()
	var folder core.Folder
	ann.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ann.Workspace)+"/folders", storytest.Fields{"name": "Clients"}, &folder)
	good := storytest.Zipped(t, "index.html", "x")
	if got := eve.Do(http.MethodPost, ann.ImportPath(), storytest.ImportForm(t, "x", good)); got.Status != http.StatusNotFound {
		t.Errorf("into another's workspace: got %d %s, want 404", got.Status, got.Body)
	}
	if got := eve.Do(http.MethodPost, eve.ImportPath(), storytest.ImportForm(t, "x", good, "folderId", string(folder.ID))); got.Code() != core.CodeValidationFailed {
		t.Errorf("into another's folder: got %d %s, want validation_failed", got.Status, got.Body)
	}
	wantNoTraces(eve, t)
	w := imports(ann, good)
	for _, path := range []string{"/export", "/files", "/env"} {
		if got := eve.Do(http.MethodGet, w.Path(path), nil); got.Status != http.StatusNotFound {
			t.Errorf("%s of another's project: got %d %s, want 404", path, got.Status, got.Body)
		}
	}
}

// importRounds is how often the process is killed during an import.
const importRounds = 5

func TestKillDuringAnImportLeavesAWholeProjectOrNothing(t *testing.T) {
	t.Parallel()
	temporary := t.TempDir()
	c := storytest.StartCrash(t, storytest.Template, "TMPDIR="+temporary)
	const files = 600
	var pairs []string
	for i := range files {
		pairs = append(pairs, fmt.Sprintf("src/%d.txt", i), strings.Repeat(fmt.Sprint(i), 1000))
	}
	archive := storytest.Zipped(t, pairs...)
	for round := range importRounds {
		done := importAside(c.Caller, storytest.ImportForm(t, fmt.Sprint("Round ", round), archive))
		c.KillWithin(400 * time.Millisecond)
		<-done
		c.Restart()
		for _, id := range c.ProjectIDs() {
			var list []struct{ Path string }
			c.Must(http.StatusOK, http.MethodGet, "/projects/"+string(id)+"/files", nil, &list)
			if len(list) != files && id != c.ID {
				t.Errorf("round %d: got a project of %d files, want %d or no project", round, len(list), files)
			}
		}
		if left, err := os.ReadDir(temporary); err != nil || len(left) != 0 {
			t.Errorf("round %d: got the temporary files %v, %v, want none", round, left, err)
		}
	}
	want := c.ProjectIDs()
	c.Stop()
	wantSwept(t, c.Dir, want)
}

// importAside sends an import without waiting for its answer.
func importAside(c *storytest.Caller, body storytest.Form) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, c.URL+c.ImportPath(), body)
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", body.Kind)
		request.Header.Set("Authorization", "Bearer "+c.Token)
		if response, err := c.Client.Do(request); err == nil {
			response.Body.Close()
		}
	}()
	return done
}

// wantSwept starts a program on the data of another, two hours later, and wants
// the trees of the recorded projects to be left.
func wantSwept(t *testing.T, dir string, want []core.ID) {
	t.Helper()
	app := storytest.Serve(t, dir, local.New, nil).App
	later := projects.NewService(projects.Deps{
		Store: app.Store, Files: app.Pipeline, Trees: app.Trees, Backends: app.Backends, Log: app.Log,
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
