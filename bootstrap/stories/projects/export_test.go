package projects_test

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

func TestAProjectIsExportedAndImportedAsItWas(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			first := c.Create("static-html")
			for path, content := range map[string]string{"notes/é.txt": "東京", "data.bin": "\x00\xff\r\n", "empty": "", "node_modules/x/index.js": "x", "dist/out.js": "x",
				"Pair.txt": "one", "apps/web/index.html": "x", "apps/web/package.json": "{}", "backend/schema.json": `{"collections": []}`, "functions/a.ts": "export default () => new Response()"} {
				first.Must(http.StatusCreated, http.MethodPut, first.Path("/files/"+path), strings.NewReader(content), nil)
			}
			listed := first.Files()
			want := maps.Clone(listed)
			want["node_modules/x/index.js"], want["dist/out.js"] = "x", "x"
			archive := first.Must(http.StatusOK, http.MethodGet, first.Path("/export"), nil, nil)
			if got := archive.Header.Get("Content-Disposition"); got != `attachment; filename="work.zip"` {
				t.Errorf("got the disposition %s, want the slug", got)
			}
			if got := archive.Header.Get("Content-Type"); got != "application/zip" {
				t.Errorf("got the type %s, want application/zip", got)
			}
			if got := unzipped(t, archive.Body); !maps.Equal(got, want) {
				t.Errorf("got %v in the archive, want %v", got, want)
			}
			if again := first.Do(http.MethodGet, first.Path("/export"), nil); !bytes.Equal(again.Body, archive.Body) {
				t.Error("got another archive of the same files, want the same")
			}
			second := imports(c, archive.Body)
			if got := second.Files(); !maps.Equal(got, listed) || second.Slug != "work-2" {
				t.Errorf("got %v under %s, want %v", got, second.Slug, listed)
			}
			if got := unzipped(t, second.Must(http.StatusOK, http.MethodGet, second.Path("/export"), nil, nil).Body); !maps.Equal(got, want) {
				t.Errorf("got %v after a round trip, want %v", got, want)
			}
			if head := first.Do(http.MethodHead, first.Path("/export"), nil); head.Status != http.StatusOK || len(head.Body) != 0 || head.Header.Get("Content-Disposition") == "" {
				t.Errorf("HEAD: got %d with %d bytes, want the headers alone", head.Status, len(head.Body))
			}
		})
	}
}

// TestAnOldVersionIsExported, also where its folders are not listed and its files gone.
func TestAnOldVersionIsExported(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			w.Must(http.StatusCreated, http.MethodPut, w.Path("/files/dist/a.js"), strings.NewReader("one"), nil)
			var old, now core.Version
			w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions"), storytest.Fields{"message": "One"}, &old)
			want := unzipped(t, w.Must(http.StatusOK, http.MethodGet, w.Path("/export"), nil, nil).Body)
			w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/files/dist"), nil, nil)
			w.Must(http.StatusOK, http.MethodPut, w.Path("/files/index.html"), strings.NewReader("two"), nil)
			w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions"), storytest.Fields{"message": "Two"}, &now)
			if got := unzipped(t, w.Must(http.StatusOK, http.MethodGet, w.Path("/export?version="+old.ID), nil, nil).Body); !maps.Equal(got, want) || want["dist/a.js"] != "one" {
				t.Errorf("got %v of the old version, want %v", got, want)
			}
			latest := unzipped(t, w.Must(http.StatusOK, http.MethodGet, w.Path("/export"), nil, nil).Body)
			if got := unzipped(t, w.Must(http.StatusOK, http.MethodGet, w.Path("/export?version="+now.ID), nil, nil).Body); !maps.Equal(got, latest) || got["index.html"] != "two" {
				t.Errorf("got %v of the latest version, want %v", got, latest)
			}
			for _, id := range []string{"x", strings.Repeat("0", 40), "HEAD", "main"} {
				if got := w.Do(http.MethodGet, w.Path("/export?version="+id), nil); got.Status != http.StatusNotFound {
					t.Errorf("%s: got %d %s, want 404", id, got.Status, got.Body)
				}
			}
			if got := w.SignUp().Do(http.MethodGet, w.Path("/export?version="+old.ID), nil); got.Status != http.StatusNotFound {
				t.Errorf("a stranger: got %d, want 404", got.Status)
			}
		})
	}
}

func unzipped(t testing.TB, content []byte) map[string]string {
	t.Helper()
	reader, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, file := range reader.File {
		r, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[file.Name] = string(text)
	}
	return all
}

func TestReadersExportAPublicProjectAndSeeNoEnvironment(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			w, reader := s.SignUp().Create("static-html"), s.SignUp()
			w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/SECRET"), storytest.Fields{"value": "correct horse"}, nil)
			for visibility, want := range map[core.Visibility]int{core.VisibilityWorkspace: http.StatusNotFound, core.VisibilityPublic: http.StatusOK} {
				w.Must(http.StatusOK, http.MethodPatch, w.Path(""), storytest.Fields{"visibility": visibility}, nil)
				got := reader.Do(http.MethodGet, w.Path("/export"), nil)
				if got.Status != want || bytes.Contains(got.Body, []byte("horse")) {
					t.Errorf("export of a %s project: got %d, want %d", visibility, got.Status, want)
				}
				for _, path := range []string{"/env", "/env/SECRET"} {
					if got := reader.Do(http.MethodGet, w.Path(path), nil); got.Status != http.StatusNotFound {
						t.Errorf("%s of a %s project: got %d %s, want 404", path, visibility, got.Status, got.Body)
					}
				}
			}
		})
	}
}
