package projects_test

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
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

const secretValue = "correct horse \"battery\" <staple>"

func TestEnvironmentValuesAreWrittenAndNeverRead(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			for _, value := range []string{"first value", secretValue} {
				w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/SECRET"), storytest.Fields{"value": value}, nil)
			}
			w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/VITE_NAME"), storytest.Fields{"value": ""}, nil)
			var list struct{ Items []core.Variable }
			all := w.Must(http.StatusOK, http.MethodGet, w.Path("/env"), nil, &list)
			var one core.Variable
			single := w.Must(http.StatusOK, http.MethodGet, w.Path("/env/SECRET"), nil, &one)
			if len(list.Items) != 2 || list.Items[0].Key != "SECRET" || list.Items[1].Key != "VITE_NAME" || one.Key != "SECRET" || one.CreatedAt == 0 {
				t.Errorf("got %+v and %+v, want both keys", list.Items, one)
			}
			if text := string(all.Body) + string(single.Body); strings.Contains(text, "horse") || strings.Contains(text, "value") {
				t.Errorf("got %s, want nothing of the values", text)
			}
			w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/env/SECRET"), nil, nil)
			for _, method := range []string{http.MethodGet, http.MethodDelete} {
				w.Must(http.StatusNotFound, method, w.Path("/env/SECRET"), nil, nil)
			}
		})
	}
}

func TestBadEnvironmentValuesAreRefused(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			for _, row := range []struct {
				key  string
				body any
				code core.Code
			}{
				{"1A", storytest.Fields{"value": "x"}, core.CodeValidationFailed},
				{"A-B", storytest.Fields{"value": "x"}, core.CodeValidationFailed},
				{"A%2FB", storytest.Fields{"value": "x"}, core.CodeValidationFailed},
				{strings.Repeat("K", 129), storytest.Fields{"value": "x"}, core.CodeValidationFailed},
				{"A", storytest.Fields{"value": "a\x00b"}, core.CodeValidationFailed},
				{"A", storytest.Fields{"value": strings.Repeat("x", 64<<10+1)}, core.CodeValidationFailed},
				{"A", storytest.Fields{"value": strings.Repeat("x", 2<<20)}, core.CodePayloadTooLarge},
				{"A", storytest.Fields{"value": nil}, core.CodeInvalidRequest},
				{"A", storytest.Fields{"value": 1}, core.CodeInvalidRequest},
				{"A", storytest.Fields{}, core.CodeInvalidRequest},
				{"A", storytest.Fields{"value": "x", "key": "B"}, core.CodeInvalidRequest},
				{"A", strings.NewReader("value=x"), core.CodeUnsupportedMediaType},
			} {
				if got := w.Do(http.MethodPut, w.Path("/env/"+row.key), row.body); got.Code() != row.code {
					t.Errorf("%.20s %.40v: got %d %s, want %s", row.key, row.body, got.Status, got.Body, row.code)
				}
			}
			w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/A"), storytest.Fields{"value": strings.Repeat("x", 64<<10)}, nil)
		})
	}
}

func TestASiteThatShowsASecretIsNotPublished(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/SECRET"), storytest.Fields{"value": secretValue}, nil)
			var published struct{ URL string }
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, &published)
			before := w.Fetch(published.URL + "/")
			page := `<!doctype html><title>t</title><script type="module" src="/key.js"></script>`
			w.Do(http.MethodPut, w.Path("/files/index.html"), strings.NewReader(page))
			w.Do(http.MethodPut, w.Path("/files/key.js"), strings.NewReader(`document.title = "correct horse \"battery\" \x3cstaple>"`))
			got := w.Do(http.MethodPost, w.Path("/publish"), storytest.Fields{})
			if got.Status != http.StatusUnprocessableEntity || got.Code() != core.CodeBuildFailed || !bytes.Contains(got.Body, []byte("SECRET")) || bytes.Contains(got.Body, []byte("horse")) {
				t.Errorf("got %d %s, want build_failed that names the key", got.Status, got.Body)
			}
			if after := w.Fetch(published.URL + "/"); !bytes.Equal(after.Body, before.Body) {
				t.Errorf("got %s, want the site as it was", after.Body)
			}
			w.Must(http.StatusNoContent, http.MethodDelete, w.Path("/env/SECRET"), nil, nil)
			w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
		})
	}
}

var scriptOf = regexp.MustCompile(`src="(/[^"]+\.js[^"]*)"`)

// scripts are the texts of a page's scripts.
func scripts(s *storytest.Site, address string) string {
	s.T.Helper()
	page := s.Fetch(address + "/")
	text := string(page.Body)
	for _, match := range scriptOf.FindAllStringSubmatch(text, -1) {
		text += string(s.Fetch(address + match[1]).Body)
	}
	return text
}

func TestPublicValuesReachThePreviewAtOnceAndTheSite(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("static-html")
	page := `<!doctype html><title>t</title><script type="module" src="/key.js"></script>`
	w.Do(http.MethodPut, w.Path("/files/index.html"), strings.NewReader(page))
	w.Do(http.MethodPut, w.Path("/files/key.js"), strings.NewReader(`document.title = import.meta.env.VITE_NAME + import.meta.env.HIDDEN`))
	w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/HIDDEN"), storytest.Fields{"value": secretValue}, nil)
	var published struct{ URL string }
	for _, value := range []string{"first-value", "second-value"} {
		w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/VITE_NAME"), storytest.Fields{"value": value}, nil)
		w.Must(http.StatusOK, http.MethodPost, w.Path("/preview"), nil, nil)
		preview := w.AwaitPreview("ready")
		w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, &published)
		for _, address := range []string{preview.URL, published.URL} {
			if got := scripts(w.Caller.Site, address); !strings.Contains(got, value) || strings.Contains(got, "horse") {
				t.Errorf("%s: got %s, want %s in it and no other value", address, got, value)
			}
		}
	}
}

func TestTheDiskHoldsNoEnvironmentValue(t *testing.T) {
	dir := t.TempDir()
	w := storytest.Serve(t, dir, local.New, nil).SignUp().Create("static-html")
	for _, key := range []string{"SECRET", "VITE_NAME"} {
		w.Must(http.StatusNoContent, http.MethodPut, w.Path("/env/"+key), storytest.Fields{"value": secretValue}, nil)
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
