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
			want := first.files()
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
			if got := second.files(); !maps.Equal(got, want) || second.Slug != "work-2" {
				t.Errorf("got %v under %s, want %v", got, second.Slug, want)
			}
			if head := first.do(http.MethodHead, first.path("/export"), nil); head.status != http.StatusOK || len(head.body) != 0 || head.header.Get("Content-Disposition") == "" {
				t.Errorf("HEAD: got %d with %d bytes, want the headers alone", head.status, len(head.body))
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
