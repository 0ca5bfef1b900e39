package bootstrap_test

import (
	"archive/zip"
	"bytes"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestAProjectIsExportedAndImportedAsItWas(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			first := c.create("static-html")
			for path, content := range map[string]string{"notes/é.txt": "東京", "data.bin": "\x00\xff\r\n", "empty": "", "node_modules/x/index.js": "x", "dist/out.js": "x"} {
				first.must(http.StatusCreated, http.MethodPut, first.path("/files/"+path), strings.NewReader(content), nil)
			}
			listed := first.files()
			want := maps.Clone(listed)
			want["node_modules/x/index.js"], want["dist/out.js"] = "x", "x"
			archive := first.must(http.StatusOK, http.MethodGet, first.path("/export"), nil, nil)
			if got := archive.header.Get("Content-Disposition"); got != `attachment; filename="work.zip"` {
				t.Errorf("got the disposition %s, want the slug", got)
			}
			if got := archive.header.Get("Content-Type"); got != "application/zip" {
				t.Errorf("got the type %s, want application/zip", got)
			}
			if got := unzipped(t, archive.body); !maps.Equal(got, want) {
				t.Errorf("got %v in the archive, want %v", got, want)
			}
			if again := first.do(http.MethodGet, first.path("/export"), nil); !bytes.Equal(again.body, archive.body) {
				t.Error("got another archive of the same files, want the same")
			}
			second := c.imports(archive.body)
			if got := second.files(); !maps.Equal(got, listed) || second.Slug != "work-2" {
				t.Errorf("got %v under %s, want %v", got, second.Slug, listed)
			}
			if got := unzipped(t, second.must(http.StatusOK, http.MethodGet, second.path("/export"), nil, nil).body); !maps.Equal(got, want) {
				t.Errorf("got %v after a round trip, want %v", got, want)
			}
			if head := first.do(http.MethodHead, first.path("/export"), nil); head.status != http.StatusOK || len(head.body) != 0 || head.header.Get("Content-Disposition") == "" {
				t.Errorf("HEAD: got %d with %d bytes, want the headers alone", head.status, len(head.body))
			}
		})
	}
}

// TestAnOldVersionIsExported, also where its folders are not listed and its files gone.
func TestAnOldVersionIsExported(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			w.must(http.StatusCreated, http.MethodPut, w.path("/files/dist/a.js"), strings.NewReader("one"), nil)
			var old, now core.Version
			w.must(http.StatusCreated, http.MethodPost, w.path("/versions"), fields{"message": "One"}, &old)
			want := unzipped(t, w.must(http.StatusOK, http.MethodGet, w.path("/export"), nil, nil).body)
			w.must(http.StatusNoContent, http.MethodDelete, w.path("/files/dist"), nil, nil)
			w.must(http.StatusOK, http.MethodPut, w.path("/files/index.html"), strings.NewReader("two"), nil)
			w.must(http.StatusCreated, http.MethodPost, w.path("/versions"), fields{"message": "Two"}, &now)
			if got := unzipped(t, w.must(http.StatusOK, http.MethodGet, w.path("/export?version="+old.ID), nil, nil).body); !maps.Equal(got, want) || want["dist/a.js"] != "one" {
				t.Errorf("got %v of the old version, want %v", got, want)
			}
			latest := unzipped(t, w.must(http.StatusOK, http.MethodGet, w.path("/export"), nil, nil).body)
			if got := unzipped(t, w.must(http.StatusOK, http.MethodGet, w.path("/export?version="+now.ID), nil, nil).body); !maps.Equal(got, latest) || got["index.html"] != "two" {
				t.Errorf("got %v of the latest version, want %v", got, latest)
			}
			for _, id := range []string{"x", strings.Repeat("0", 40), "HEAD", "main"} {
				if got := w.do(http.MethodGet, w.path("/export?version="+id), nil); got.status != http.StatusNotFound {
					t.Errorf("%s: got %d %s, want 404", id, got.status, got.body)
				}
			}
			if got := w.signUp().do(http.MethodGet, w.path("/export?version="+old.ID), nil); got.status != http.StatusNotFound {
				t.Errorf("a stranger: got %d, want 404", got.status)
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
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			w, reader := s.signUp().create("static-html"), s.signUp()
			w.must(http.StatusNoContent, http.MethodPut, w.path("/env/SECRET"), fields{"value": "correct horse"}, nil)
			for visibility, want := range map[core.Visibility]int{core.VisibilityWorkspace: http.StatusNotFound, core.VisibilityPublic: http.StatusOK} {
				w.must(http.StatusOK, http.MethodPatch, w.path(""), fields{"visibility": visibility}, nil)
				got := reader.do(http.MethodGet, w.path("/export"), nil)
				if got.status != want || bytes.Contains(got.body, []byte("horse")) {
					t.Errorf("export of a %s project: got %d, want %d", visibility, got.status, want)
				}
				for _, path := range []string{"/env", "/env/SECRET"} {
					if got := reader.do(http.MethodGet, w.path(path), nil); got.status != http.StatusNotFound {
						t.Errorf("%s of a %s project: got %d %s, want 404", path, visibility, got.status, got.body)
					}
				}
			}
		})
	}
}
