package bootstrap_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// patch is one of a direct-save, as JSON.
func patch(selector, property, value string) fields {
	return fields{"selector": selector, "property": property, "value": value}
}

// directSave patches a file.
func (w *work) directSave(path string, patches ...fields) answer {
	w.t.Helper()
	if patches == nil {
		patches = []fields{}
	}
	return w.do(http.MethodPost, "/direct-save/"+string(w.ID), fields{"filePath": path, "patches": patches})
}

func (w *work) place(path, content string) {
	w.t.Helper()
	if got := w.do(http.MethodPut, w.path("/files/"+path), strings.NewReader(content)); got.status/100 != 2 {
		w.t.Fatalf("PUT %s: got %d %s", path, got.status, got.body)
	}
}

func (w *work) source(path string) answer { return w.do(http.MethodGet, w.path("/files/"+path), nil) }

// TestDirectSaveChangesTheFile patches a file of each kind.
func TestDirectSaveChangesTheFile(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.serve(t).signUp().create("blank")
			for _, c := range []struct {
				path, before string
				patches      []fields
				after        string
			}{
				{"a/a.css", "a { color: red; }\n", []fields{patch("a", "color", "blue"), patch("a", "top", "0")}, "a { color: blue; top: 0; }\n"},
				{"a.html", "<h1>Old</h1>", []fields{patch("h1", "textContent", "1 < 2"), patch("h1", "className", "big")}, `<h1 class="big">1 &lt; 2</h1>`},
				{"a.jsx", "export default () => <img src='a.png' />", []fields{patch("img", "src", "b.png")}, `export default () => <img src="b.png" />`},
				{"src/a.tsx", "export default () => (\n  <p>🙂<b>x</b></p>\n)\n", []fields{patch(`[data-loc="src/a.tsx:2:8"]`, "color", "red")}, "export default () => (\n  <p>🙂<b style={{ color: \"red\" }}>x</b></p>\n)\n"},
			} {
				w.place(c.path, c.before)
				var saved struct {
					File    core.FileEntry
					Applied int
					Diff    string
				}
				w.must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), fields{"filePath": c.path, "patches": c.patches}, &saved)
				got := w.source(c.path)
				if string(got.body) != c.after || saved.Applied != len(c.patches) || saved.File.ETag != got.header.Get("ETag") || saved.File.Path.String() != c.path {
					t.Errorf("%s: got %q and %+v, want %q", c.path, got.body, saved, c.after)
				}
				if !strings.HasPrefix(saved.Diff, "--- a/"+c.path+"\n+++ b/"+c.path+"\n@@ -") {
					t.Errorf("%s: got the diff %q", c.path, saved.Diff)
				}
				w.must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), fields{"filePath": c.path, "patches": c.patches}, &saved)
				if saved.Diff != "" && !strings.Contains(c.path, ".tsx") {
					t.Errorf("%s: got the diff %q of the same patches again, want none", c.path, saved.Diff)
				}
			}
		})
	}
}

// TestDirectSaveRefuses wants the code of each refusal, and the file as it was.
func TestDirectSaveRefuses(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.serve(t).signUp().create("blank")
			const page = "<h1>Old</h1>"
			for path, content := range map[string]string{"a.html": page, "a.scss": "a { b: c }", "a.vue": "<template/>", "bad.css": "a {", "a.js": "<a/>"} {
				w.place(path, content)
			}
			good := patch("h1", "title", "x")
			for _, c := range []struct {
				path    string
				patches []fields
				status  int
				code    core.Code
			}{
				{"a.html", []fields{good, patch("h2", "title", "x")}, 422, core.CodeSelectorNotFound},
				{"a.scss", []fields{good}, 422, core.CodeUnsupportedFile},
				{"a.vue", []fields{good}, 422, core.CodeUnsupportedFile},
				{"a.js", []fields{good}, 422, core.CodeUnsupportedFile},
				{"bad.css", []fields{patch("a", "b", "c")}, 422, core.CodeBuildFailed},
				{"none.html", []fields{good}, 404, core.CodeNotFound},
				{"../a.html", []fields{good}, 400, core.CodePathTraversal},
				{".git/a.html", []fields{good}, 400, core.CodeInvalidPath},
				{"a.html", nil, 400, core.CodeValidationFailed},
				{"a.html", []fields{good, patch("h1", "onclick", "x()")}, 400, core.CodeValidationFailed},
				{"a.html", []fields{patch("h1", "color", "red; top: 0")}, 400, core.CodeValidationFailed},
				{"a.html", []fields{patch("h1:hover", "color", "red")}, 400, core.CodeValidationFailed},
				{"a.html", []fields{{"selector": "h1", "property": "title"}}, 400, core.CodeInvalidRequest},
				{"a.html", []fields{{"selector": "h1", "property": "title", "value": 1}}, 400, core.CodeInvalidRequest},
				{"a.html", []fields{{"selector": "h1", "property": "title", "value": "x", "more": "y"}}, 400, core.CodeInvalidRequest},
				{"a.html", []fields{patch("h1", "title", strings.Repeat("x", 10_001))}, 400, core.CodeValidationFailed},
			} {
				if got := w.directSave(c.path, c.patches...); got.status != c.status || got.code() != c.code {
					t.Errorf("%s %v: got %d %.300s, want %d %s", c.path, c.patches, got.status, got.body, c.status, c.code)
				}
			}
			if got := w.source("a.html"); string(got.body) != page {
				t.Errorf("got %q, want the file as it was", got.body)
			}
		})
	}
}

// TestDirectSaveLosesNoOtherWrite patches one value of a page while others write
// the rest of it.
func TestDirectSaveLosesNoOtherWrite(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.serve(t).signUp().create("blank")
			w.place("a.css", "a { }\n")
			const rounds = 8
			var group sync.WaitGroup
			for writer := range 3 {
				group.Go(func() {
					for i := range rounds {
						if got := w.directSave("a.css", patch("a", fmt.Sprintf("--w%d", writer), fmt.Sprint(i))); got.status != http.StatusOK {
							t.Errorf("direct-save: got %d %s", got.status, got.body)
						}
					}
				})
			}
			group.Go(func() {
				for i := 0; i < rounds; {
					have := w.source("a.css")
					next := strings.NewReader(string(have.body) + fmt.Sprintf("b%d { }\n", i))
					if got := w.do(http.MethodPut, w.path("/files/a.css"), next, "If-Match", have.header.Get("ETag")); got.status == http.StatusOK {
						i++
					}
				}
			})
			group.Wait()
			got := string(w.source("a.css").body)
			for i := range rounds {
				if !strings.Contains(got, fmt.Sprintf("b%d { }", i)) {
					t.Errorf("a write is lost: b%d in %q", i, got)
				}
			}
			for writer := range 3 {
				if !strings.Contains(got, fmt.Sprintf("--w%d: %d;", writer, rounds-1)) {
					t.Errorf("a patch is lost: --w%d in %q", writer, got)
				}
			}
		})
	}
}
