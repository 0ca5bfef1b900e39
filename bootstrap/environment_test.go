package bootstrap_test

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

const secretValue = "correct horse \"battery\" <staple>"

func TestEnvironmentValuesAreWrittenAndNeverRead(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			for _, value := range []string{"first value", secretValue} {
				w.must(http.StatusNoContent, http.MethodPut, w.path("/env/SECRET"), fields{"value": value}, nil)
			}
			w.must(http.StatusNoContent, http.MethodPut, w.path("/env/VITE_NAME"), fields{"value": ""}, nil)
			var list struct{ Items []core.Variable }
			all := w.must(http.StatusOK, http.MethodGet, w.path("/env"), nil, &list)
			var one core.Variable
			single := w.must(http.StatusOK, http.MethodGet, w.path("/env/SECRET"), nil, &one)
			if len(list.Items) != 2 || list.Items[0].Key != "SECRET" || list.Items[1].Key != "VITE_NAME" || one.Key != "SECRET" || one.CreatedAt == 0 {
				t.Errorf("got %+v and %+v, want both keys", list.Items, one)
			}
			if text := string(all.body) + string(single.body); strings.Contains(text, "horse") || strings.Contains(text, "value") {
				t.Errorf("got %s, want nothing of the values", text)
			}
			w.must(http.StatusNoContent, http.MethodDelete, w.path("/env/SECRET"), nil, nil)
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				w.must(http.StatusNotFound, method, w.path("/env/SECRET"), nil, nil)
			}
		})
	}
}

func TestBadEnvironmentValuesAreRefused(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			for _, row := range []struct {
				key  string
				body any
				code core.Code
			}{
				{"1A", fields{"value": "x"}, core.CodeValidationFailed},
				{"A-B", fields{"value": "x"}, core.CodeValidationFailed},
				{"A%2FB", fields{"value": "x"}, core.CodeValidationFailed},
				{strings.Repeat("K", 129), fields{"value": "x"}, core.CodeValidationFailed},
				{"A", fields{"value": "a\x00b"}, core.CodeValidationFailed},
				{"A", fields{"value": strings.Repeat("x", 64<<10+1)}, core.CodeValidationFailed},
				{"A", fields{"value": strings.Repeat("x", 2<<20)}, core.CodePayloadTooLarge},
				{"A", fields{"value": nil}, core.CodeInvalidRequest},
				{"A", fields{"value": 1}, core.CodeInvalidRequest},
				{"A", fields{}, core.CodeInvalidRequest},
				{"A", fields{"value": "x", "key": "B"}, core.CodeInvalidRequest},
				{"A", strings.NewReader("value=x"), core.CodeUnsupportedMediaType},
			} {
				if got := w.do(http.MethodPut, w.path("/env/"+row.key), row.body); got.code() != row.code {
					t.Errorf("%.20s %.40v: got %d %s, want %s", row.key, row.body, got.status, got.body, row.code)
				}
			}
			w.must(http.StatusNoContent, http.MethodPut, w.path("/env/A"), fields{"value": strings.Repeat("x", 64<<10)}, nil)
		})
	}
}

func TestASiteThatShowsASecretIsNotPublished(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			w.must(http.StatusNoContent, http.MethodPut, w.path("/env/SECRET"), fields{"value": secretValue}, nil)
			var published struct{ URL string }
			w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, &published)
			before := w.fetch(published.URL + "/")
			page := `<!doctype html><title>t</title><script type="module" src="/key.js"></script>`
			w.do(http.MethodPut, w.path("/files/index.html"), strings.NewReader(page))
			w.do(http.MethodPut, w.path("/files/key.js"), strings.NewReader(`document.title = "correct horse \"battery\" \x3cstaple>"`))
			got := w.do(http.MethodPost, w.path("/publish"), fields{})
			if got.status != http.StatusUnprocessableEntity || got.code() != core.CodeBuildFailed || !bytes.Contains(got.body, []byte("SECRET")) || bytes.Contains(got.body, []byte("horse")) {
				t.Errorf("got %d %s, want build_failed that names the key", got.status, got.body)
			}
			if after := w.fetch(published.URL + "/"); !bytes.Equal(after.body, before.body) {
				t.Errorf("got %s, want the site as it was", after.body)
			}
			w.must(http.StatusNoContent, http.MethodDelete, w.path("/env/SECRET"), nil, nil)
			w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, nil)
		})
	}
}

var scriptOf = regexp.MustCompile(`src="(/[^"]+\.js[^"]*)"`)

// scripts are the texts of a page's scripts.
func (s *site) scripts(address string) string {
	s.t.Helper()
	page := s.fetch(address + "/")
	text := string(page.body)
	for _, match := range scriptOf.FindAllStringSubmatch(text, -1) {
		text += string(s.fetch(address + match[1]).body)
	}
	return text
}

func TestPublicValuesReachThePreviewAtOnceAndTheSite(t *testing.T) {
	w := serve(t, t.TempDir(), local.New, nil).signUp().create("static-html")
	page := `<!doctype html><title>t</title><script type="module" src="/key.js"></script>`
	w.do(http.MethodPut, w.path("/files/index.html"), strings.NewReader(page))
	w.do(http.MethodPut, w.path("/files/key.js"), strings.NewReader(`document.title = import.meta.env.VITE_NAME + import.meta.env.HIDDEN`))
	w.must(http.StatusNoContent, http.MethodPut, w.path("/env/HIDDEN"), fields{"value": secretValue}, nil)
	var preview, published struct{ URL string }
	for _, value := range []string{"first-value", "second-value"} {
		w.must(http.StatusNoContent, http.MethodPut, w.path("/env/VITE_NAME"), fields{"value": value}, nil)
		w.must(http.StatusOK, http.MethodPost, w.path("/preview"), nil, &preview)
		w.must(http.StatusOK, http.MethodPost, w.path("/publish"), fields{}, &published)
		for _, address := range []string{preview.URL, published.URL} {
			if got := w.scripts(address); !strings.Contains(got, value) || strings.Contains(got, "horse") {
				t.Errorf("%s: got %s, want %s in it and no other value", address, got, value)
			}
		}
	}
}

func TestTheDiskHoldsNoEnvironmentValue(t *testing.T) {
	dir := t.TempDir()
	w := serve(t, dir, local.New, nil).signUp().create("static-html")
	for _, key := range []string{"SECRET", "VITE_NAME"} {
		w.must(http.StatusNoContent, http.MethodPut, w.path("/env/"+key), fields{"value": secretValue}, nil)
	}
	looked := 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, []byte("correct horse")) {
			t.Errorf("got the value in %s, want it sealed everywhere", path)
		}
		if bytes.Contains(content, []byte("VITE_NAME")) {
			looked++
		}
		return err
	})
	if err != nil || looked == 0 {
		t.Errorf("got %d files with the key, %v, want the database among them", looked, err)
	}
}
