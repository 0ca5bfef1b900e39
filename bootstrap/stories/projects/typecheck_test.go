package projects_test

import (
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// typeErrors checks the types of a project.
func typeErrors(w *storytest.Work) []core.Diagnostic {
	w.T.Helper()
	var got struct{ Diagnostics []core.Diagnostic }
	// On a busy machine the compiler may meet the limit of its time.
	for tries := 0; tries == 0 || tries < 10 && isUnfinished(got.Diagnostics); tries++ {
		got.Diagnostics = nil
		w.Must(http.StatusOK, http.MethodPost, w.Path("/typecheck"), nil, &got)
	}
	return got.Diagnostics
}

func isUnfinished(found []core.Diagnostic) bool {
	return len(found) == 1 && strings.HasPrefix(found[0].Message, "The type check did not finish: it took longer than")
}

// TestTypeErrors takes the compiler and the declarations of packages from the public
// registry.
func TestTypeErrors(t *testing.T) {
	t.Parallel()
	owner := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp()
	for _, template := range []string{"blank", "vite-react", "todo-app", "landing-page", "dashboard", "static-html"} {
		w := owner.Create(template)
		if got := typeErrors(w); len(got) != 0 {
			t.Errorf("%s: got %+v, want a template without type errors", template, got)
		}
	}
	w := owner.Create("vite-react")
	w.Put("src/Broken.tsx", "export function Broken() {\n  return <b title={42}>x</b>;\n}\n")
	got := typeErrors(w)
	if len(got) != 1 || got[0].Path != "src/Broken.tsx" || got[0].Line != 2 || got[0].Column != 13 || !strings.HasPrefix(got[0].Message, "Type 'number' is not assignable to type 'string'.") {
		t.Errorf("got %+v, want the title of src/Broken.tsx", got)
	}
	w.Put("src/Broken.tsx", "export const mode: string = import.meta.env.MODE;\n")
	if got := typeErrors(w); len(got) != 0 {
		t.Errorf("got %+v, want none once it is mended", got)
	}
	w.Put("package.json", `{"dependencies": {"react": "^19.2.0"}, "devDependencies": {"@types/no-such-package-at-all": "^1.0.0"}}`)
	if got := typeErrors(w); len(got) != 1 || got[0].Path != "package.json" || !strings.Contains(got[0].Message, "@types/no-such-package-at-all") {
		t.Errorf("got %+v, want the entry of package.json", got)
	}
}

func TestTypeErrorsInMemory(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), inmemory.New, nil).SignUp().Create("static-html")
	w.Put("tsconfig.json", "{}")
	w.Put("src/a.ts", "const size: number = 'wide';\n")
	want := core.Diagnostic{Path: "src/a.ts", Line: 1, Column: 7, Message: "Type 'string' is not assignable to type 'number'."}
	if got := typeErrors(w); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWithoutASandboxTypesAreNotChecked(t *testing.T) {
	for name, program := range map[string]storytest.Assemble{"local": local.New, "inmemory": inmemory.New} {
		w := storytest.Serve(t, t.TempDir(), program, map[string]string{"SANDBOX": "off"}).SignUp().Create("static-html")
		got := w.Do(http.MethodPost, w.Path("/typecheck"), nil)
		if got.Status != http.StatusServiceUnavailable || got.Code() != core.CodeSandboxUnavailable || !strings.Contains(string(got.Body), "bubblewrap") {
			t.Errorf("%s: got %d %s, want sandbox_unavailable that says what to install", name, got.Status, got.Body)
		}
	}
}

func TestWithoutARegistryTypesAreUnavailable(t *testing.T) {
	// Nothing answers there.
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"NPM_REGISTRY": "http://127.0.0.1:9"}).SignUp().Create("vite-react")
	got := w.Do(http.MethodPost, w.Path("/typecheck"), nil)
	if got.Status != http.StatusServiceUnavailable || got.Code() != core.CodeUnavailable || !strings.Contains(string(got.Body), "registry") {
		t.Errorf("got %d %s, want unavailable that names the registry", got.Status, got.Body)
	}
}

// TestTheStudioHasNoTypeErrors lets Atelier check the sources of its own page.
func TestTheStudioHasNoTypeErrors(t *testing.T) {
	t.Parallel()
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("static-html")
	sources := os.DirFS("../../../adapters/studio/web")
	var operations []map[string]any
	err := fs.WalkDir(sources, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(sources, name)
		operations = append(operations, map[string]any{"op": "write", "path": name, "content": string(content)})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for batch := range slices.Chunk(operations, 100) {
		w.Must(http.StatusOK, http.MethodPost, w.Path("/files/bulk"), map[string]any{"operations": batch}, nil)
	}
	for _, at := range typeErrors(w) {
		t.Errorf("adapters/studio/web/%s:%d:%d: %s", at.Path, at.Line, at.Column, at.Message)
	}
}
