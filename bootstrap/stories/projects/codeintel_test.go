package projects_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestTheLanguageServerKnowsThePackagesOfAProject takes the compiler and the declarations of
// packages from the public registry.
func TestTheLanguageServerKnowsThePackagesOfAProject(t *testing.T) {
	t.Parallel()
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("vite-react")
	w.Put("src/size.ts", "export const size = 1;\n")
	text := "import { size } from './size';\nexport function Box() {\n  return <b title={size}>x</b>;\n}\n"
	ask := func(question string, line, column int, into any) {
		t.Helper()
		w.Must(http.StatusOK, http.MethodPost, w.Path("/code/"+question), storytest.Fields{"path": "src/Box.tsx", "line": line, "column": column, "text": text}, into)
	}
	var found struct {
		Diagnostics []struct {
			Line    int
			Message string
		}
	}
	ask("diagnostics", 1, 1, &found)
	if got := found.Diagnostics; len(got) != 1 || got[0].Line != 3 || !strings.HasPrefix(got[0].Message, "Type 'number' is not assignable to type 'string'.") {
		t.Errorf("got %+v, want the title alone", got)
	}
	// What somebody saves is known to the next question.
	w.Put("src/size.ts", "export const size = 'wide';\n")
	ask("diagnostics", 1, 1, &found)
	if got := found.Diagnostics; len(got) != 0 {
		t.Errorf("got %+v, want none once the other file is mended", got)
	}
	var hover struct{ Signature string }
	ask("hover", 3, 13, &hover)
	if !strings.Contains(hover.Signature, "title") {
		t.Errorf("got %+v, want the property of React's types", hover)
	}
}

func TestQuestionsAboutCode(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), inmemory.New, nil).SignUp().Create("static-html")
	w.Put("src/a.ts", "export const size: number = 'wide';\n")
	var status struct{ Available bool }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/code"), nil, &status)
	if !status.Available {
		t.Error("got no language server, want one")
	}
	for question, want := range map[string]string{
		"completions": `"items":[{"label":"size"`, "hover": `"signature":"const size: number"`, "definition": `"locations":[{"path":"src/a.ts"`,
		"diagnostics": `"severity":"error"`, "format": `"edits":[]`,
	} {
		got := w.Do(http.MethodPost, w.Path("/code/"+question), storytest.Fields{"path": "src/a.ts", "line": 1, "column": 15})
		if got.Status != http.StatusOK || !strings.Contains(string(got.Body), want) {
			t.Errorf("%s: got %d %s, want %s", question, got.Status, got.Body, want)
		}
	}
	for path, want := range map[string]core.Code{"index.html": core.CodeUnsupportedFile, "src/b.ts": core.CodeNotFound, "../a.ts": core.CodePathTraversal} {
		if got := w.Do(http.MethodPost, w.Path("/code/hover"), storytest.Fields{"path": path, "line": 1, "column": 1}); got.Code() != want {
			t.Errorf("%s: got %d %s, want %s", path, got.Status, got.Body, want)
		}
	}
}

func TestWithoutASandboxNobodyAnswersQuestionsAboutCode(t *testing.T) {
	for variable, value := range map[string]string{"SANDBOX": "off", "MAX_LANGUAGE_SERVERS": "0"} {
		w := storytest.Serve(t, t.TempDir(), inmemory.New, map[string]string{variable: value}).SignUp().Create("static-html")
		var status struct {
			Available bool
			Reason    string
		}
		w.Must(http.StatusOK, http.MethodGet, w.Path("/code"), nil, &status)
		got := w.Do(http.MethodPost, w.Path("/code/hover"), storytest.Fields{"path": "a.ts", "text": "x"})
		if status.Available || status.Reason == "" || got.Code() != core.CodeSandboxUnavailable {
			t.Errorf("%s: got %+v and %d %s, want a reason", variable, status, got.Status, got.Body)
		}
	}
}
