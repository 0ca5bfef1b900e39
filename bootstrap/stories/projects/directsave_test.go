package projects_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// patch is one of a direct-save, as JSON.
func patch(selector, property, value string) storytest.Fields {
	return storytest.Fields{"selector": selector, "property": property, "value": value}
}

// directSave patches a file.
func directSave(w *storytest.Work, path string, patches ...storytest.Fields) storytest.Answer {
	w.T.Helper()
	if patches == nil {
		patches = []storytest.Fields{}
	}
	return w.Do(http.MethodPost, "/direct-save/"+string(w.ID), storytest.Fields{"filePath": path, "patches": patches})
}

func place(w *storytest.Work, path, content string) {
	w.T.Helper()
	if got := w.Do(http.MethodPut, w.Path("/files/"+path), strings.NewReader(content)); got.Status/100 != 2 {
		w.T.Fatalf("PUT %s: got %d %s", path, got.Status, got.Body)
	}
}

func source(w *storytest.Work, path string) storytest.Answer {
	return w.Do(http.MethodGet, w.Path("/files/"+path), nil)
}

// TestDirectSaveArrangesElements moves, copies and deletes elements, and says why it does not.
func TestDirectSaveArrangesElements(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.Serve(t).SignUp().Create("blank")
			act := func(selector, action, target string) storytest.Fields {
				return storytest.Fields{"selector": selector, "property": "", "value": "", "action": action, "target": target}
			}
			const before = "const A = () => <p><b id=\"x\">x</b><i>y</i>{[1].map((n) => <u key={n}>{n}</u>)}</p>\n"
			place(w, "a.tsx", before)
			for selector, reason := range map[string]string{"u": "comes from a loop", "p": "is all that its component or page shows"} {
				got := directSave(w, "a.tsx", act(selector, "delete", ""))
				if got.Status != http.StatusUnprocessableEntity || !strings.Contains(string(got.Body), reason) {
					t.Errorf("%s: got %d %s, want the reason %q", selector, got.Status, got.Body, reason)
				}
			}
			var tried struct {
				Outcomes []struct{ Error, Reason, Message string }
			}
			request := storytest.Fields{"filePath": "a.tsx", "dryRun": true, "patches": []storytest.Fields{act("u", "delete", ""), act("p", "delete", ""), act("i", "delete", "")}}
			answer := w.Do(http.MethodPost, "/direct-save/"+string(w.ID), request, "Accept-Language", "de")
			if err := json.Unmarshal(answer.Body, &tried); err != nil || len(tried.Outcomes) != 3 {
				t.Fatalf("got %d %s, want three outcomes", answer.Status, answer.Body)
			}
			if loop, whole, fine := tried.Outcomes[0], tried.Outcomes[1], tried.Outcomes[2]; loop.Reason != "loop" || !strings.Contains(loop.Message, "Schleife") || whole.Reason != "whole" || fine.Reason != "" || fine.Error != "" {
				t.Errorf("got %s, want the reasons, and the messages in German", answer.Body)
			}
			w.Must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), storytest.Fields{"filePath": "a.tsx", "patches": []storytest.Fields{act("i", "before", "b")}}, nil)
			w.Must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), storytest.Fields{"filePath": "a.tsx", "patches": []storytest.Fields{act("b", "duplicate", ""), act("i", "delete", "")}}, nil)
			want := strings.Replace(before, "<i>y</i>", "<b>x</b>", 1)
			if got := source(w, "a.tsx"); string(got.Body) != want {
				t.Errorf("got %q, want %q", got.Body, want)
			}
		})
	}
}

// TestDirectSaveChangesTheFile patches a file of each kind.
func TestDirectSaveChangesTheFile(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.Serve(t).SignUp().Create("blank")
			for _, c := range []struct {
				path, before string
				patches      []storytest.Fields
				after        string
			}{
				{"a/a.css", "a { color: red; }\n", []storytest.Fields{patch("a", "color", "blue"), patch("a", "top", "0")}, "a { color: blue; top: 0; }\n"},
				{"b.tsx", "const A = () => <p className=\"p-2 md:p-3\">x</p>\n", []storytest.Fields{{"selector": "p", "property": "padding", "value": "calc(var(--spacing) * 4)", "as": "class", "variant": "md"}}, "const A = () => <p className=\"p-2 md:p-4\">x</p>\n"},
				{"c.tsx", "const all = ['x']\nconst A = () => <p>{all[0]}</p>\n", []storytest.Fields{{"selector": "p", "property": "textContent", "value": "y", "shown": "x"}}, "const all = ['y']\nconst A = () => <p>{all[0]}</p>\n"},
				{"a.html", "<h1>Old</h1>", []storytest.Fields{patch("h1", "textContent", "1 < 2"), patch("h1", "className", "big")}, `<h1 class="big">1 &lt; 2</h1>`},
				{"a.jsx", "export default () => <img src='a.png' />", []storytest.Fields{patch("img", "src", "b.png")}, `export default () => <img src="b.png" />`},
				{"src/a.tsx", "export default () => (\n  <p>🙂<b>x</b></p>\n)\n", []storytest.Fields{patch(`[data-loc="src/a.tsx:2:8"]`, "color", "red")}, "export default () => (\n  <p>🙂<b style={{ color: \"red\" }}>x</b></p>\n)\n"},
			} {
				place(w, c.path, c.before)
				var saved struct {
					File    core.FileEntry
					Applied int
					Diff    string
				}
				w.Must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), storytest.Fields{"filePath": c.path, "patches": c.patches}, &saved)
				got := source(w, c.path)
				if string(got.Body) != c.after || saved.Applied != len(c.patches) || saved.File.ETag != got.Header.Get("ETag") || saved.File.Path.String() != c.path {
					t.Errorf("%s: got %q and %+v, want %q", c.path, got.Body, saved, c.after)
				}
				if !strings.HasPrefix(saved.Diff, "--- a/"+c.path+"\n+++ b/"+c.path+"\n@@ -") {
					t.Errorf("%s: got the diff %q", c.path, saved.Diff)
				}
				w.Must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), storytest.Fields{"filePath": c.path, "patches": c.patches}, &saved)
				if saved.Diff != "" && !strings.Contains(c.path, ".tsx") {
					t.Errorf("%s: got the diff %q of the same patches again, want none", c.path, saved.Diff)
				}
			}
		})
	}
}

// TestDirectSaveTries wants to know of each patch whether it could be applied.
func TestDirectSaveTries(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.Serve(t).SignUp().Create("blank")
			const before = "export default (p) => <h1 className={p.x}>{p.title}</h1>\n"
			place(w, "a.tsx", before)
			var got struct {
				Outcomes []struct{ Error, Message string }
			}
			w.Must(http.StatusOK, http.MethodPost, "/direct-save/"+string(w.ID), storytest.Fields{"filePath": "a.tsx", "dryRun": true, "patches": []storytest.Fields{
				patch("h1", "color", "red"), patch("h1", "textContent", "x"), {"selector": "h1", "property": "color", "value": "red", "as": "class"},
			}}, &got)
			if len(got.Outcomes) != 3 || got.Outcomes[0].Error != "" || got.Outcomes[1].Error != "selector_not_found" || !strings.Contains(got.Outcomes[2].Message, "computed") {
				t.Errorf("got %+v", got)
			}
			if now := source(w, "a.tsx"); string(now.Body) != before {
				t.Errorf("got %q, want the file as it was", now.Body)
			}
		})
	}
}

// TestDirectSaveRefuses wants the code of each refusal, and the file as it was.
func TestDirectSaveRefuses(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.Serve(t).SignUp().Create("blank")
			const page = "<h1>Old</h1>"
			for path, content := range map[string]string{"a.html": page, "a.scss": "a { b: c }", "a.vue": "<template/>", "bad.css": "a {", "a.js": "<a/>"} {
				place(w, path, content)
			}
			good := patch("h1", "title", "x")
			for _, c := range []struct {
				path    string
				patches []storytest.Fields
				status  int
				code    core.Code
			}{
				{"a.html", []storytest.Fields{good, patch("h2", "title", "x")}, 422, core.CodeSelectorNotFound},
				{"a.scss", []storytest.Fields{good}, 422, core.CodeUnsupportedFile},
				{"a.vue", []storytest.Fields{good}, 422, core.CodeUnsupportedFile},
				{"a.js", []storytest.Fields{good}, 422, core.CodeUnsupportedFile},
				{"bad.css", []storytest.Fields{patch("a", "b", "c")}, 422, core.CodeBuildFailed},
				{"none.html", []storytest.Fields{good}, 404, core.CodeNotFound},
				{"../a.html", []storytest.Fields{good}, 400, core.CodePathTraversal},
				{".git/a.html", []storytest.Fields{good}, 400, core.CodeInvalidPath},
				{"a.html", nil, 400, core.CodeValidationFailed},
				{"a.html", []storytest.Fields{good, patch("h1", "onclick", "x()")}, 400, core.CodeValidationFailed},
				{"a.html", []storytest.Fields{patch("h1", "color", "red; top: 0")}, 400, core.CodeValidationFailed},
				{"a.html", []storytest.Fields{patch("h1:hover", "color", "red")}, 400, core.CodeValidationFailed},
				{"a.html", []storytest.Fields{{"selector": "h1", "property": "title"}}, 400, core.CodeInvalidRequest},
				{"a.html", []storytest.Fields{{"selector": "h1", "property": "title", "value": 1}}, 400, core.CodeInvalidRequest},
				{"a.html", []storytest.Fields{{"selector": "h1", "property": "title", "value": "x", "more": "y"}}, 400, core.CodeInvalidRequest},
				{"a.html", []storytest.Fields{patch("h1", "title", strings.Repeat("x", 10_001))}, 400, core.CodeValidationFailed},
			} {
				if got := directSave(w, c.path, c.patches...); got.Status != c.status || got.Code() != c.code {
					t.Errorf("%s %v: got %d %.300s, want %d %s", c.path, c.patches, got.Status, got.Body, c.status, c.code)
				}
			}
			if got := source(w, "a.html"); string(got.Body) != page {
				t.Errorf("got %q, want the file as it was", got.Body)
			}
		})
	}
}

// TestDirectSaveLosesNoOtherWrite patches one value of a page while others write
// the rest of it.
func TestDirectSaveLosesNoOtherWrite(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := program.Serve(t).SignUp().Create("blank")
			place(w, "a.css", "a { }\n")
			const rounds = 8
			var group sync.WaitGroup
			for writer := range 3 {
				group.Go(func() {
					for i := range rounds {
						if got := directSave(w, "a.css", patch("a", fmt.Sprintf("--w%d", writer), fmt.Sprint(i))); got.Status != http.StatusOK {
							t.Errorf("direct-save: got %d %s", got.Status, got.Body)
						}
					}
				})
			}
			group.Go(func() {
				for i := 0; i < rounds; {
					have := source(w, "a.css")
					next := strings.NewReader(string(have.Body) + fmt.Sprintf("b%d { }\n", i))
					if got := w.Do(http.MethodPut, w.Path("/files/a.css"), next, "If-Match", have.Header.Get("ETag")); got.Status == http.StatusOK {
						i++
					}
				}
			})
			group.Wait()
			got := string(source(w, "a.css").Body)
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
