package bootstrap_test

import (
	"io/fs"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

// typeErrors checks the types of a project.
func (w *work) typeErrors() []core.Diagnostic {
	w.t.Helper()
	var got struct{ Diagnostics []core.Diagnostic }
	w.must(http.StatusOK, http.MethodPost, w.path("/typecheck"), nil, &got)
	return got.Diagnostics
}

// TestTypeErrors takes the compiler and the declarations of packages from the public
// registry.
func TestTypeErrors(t *testing.T) {
	t.Parallel()
	owner := serve(t, t.TempDir(), local.New, nil).signUp()
	for _, template := range []string{"blank", "vite-react", "todo-app", "landing-page", "dashboard", "static-html"} {
		w := owner.create(template)
		if got := w.typeErrors(); len(got) != 0 {
			t.Errorf("%s: got %+v, want a template without type errors", template, got)
		}
	}
	w := owner.create("vite-react")
	w.put("src/Broken.tsx", "export function Broken() {\n  return <b title={42}>x</b>;\n}\n")
	got := w.typeErrors()
	if len(got) != 1 || got[0].Path != "src/Broken.tsx" || got[0].Line != 2 || got[0].Column != 13 || !strings.HasPrefix(got[0].Message, "Type 'number' is not assignable to type 'string'.") {
		t.Errorf("got %+v, want the title of src/Broken.tsx", got)
	}
	w.put("src/Broken.tsx", "export const mode: string = import.meta.env.MODE;\n")
	if got := w.typeErrors(); len(got) != 0 {
		t.Errorf("got %+v, want none once it is mended", got)
	}
	w.put("package.json", `{"dependencies": {"react": "^19.2.0"}, "devDependencies": {"@types/no-such-package-at-all": "^1.0.0"}}`)
	if got := w.typeErrors(); len(got) != 1 || got[0].Path != "package.json" || !strings.Contains(got[0].Message, "@types/no-such-package-at-all") {
		t.Errorf("got %+v, want the entry of package.json", got)
	}
}

func TestTypeErrorsInMemory(t *testing.T) {
	w := serve(t, t.TempDir(), inmemory.New, nil).signUp().create("static-html")
	w.put("tsconfig.json", "{}")
	w.put("src/a.ts", "const size: number = 'wide';\n")
	want := core.Diagnostic{Path: "src/a.ts", Line: 1, Column: 7, Message: "Type 'string' is not assignable to type 'number'."}
	if got := w.typeErrors(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestWithoutASandboxTypesAreNotChecked(t *testing.T) {
	for name, program := range map[string]assemble{"local": local.New, "inmemory": inmemory.New} {
		w := serve(t, t.TempDir(), program, map[string]string{"SANDBOX": "off"}).signUp().create("static-html")
		got := w.do(http.MethodPost, w.path("/typecheck"), nil)
		if got.status != http.StatusServiceUnavailable || got.code() != core.CodeSandboxUnavailable || !strings.Contains(string(got.body), "bubblewrap") {
			t.Errorf("%s: got %d %s, want sandbox_unavailable that says what to install", name, got.status, got.body)
		}
	}
}

func TestWithoutARegistryTypesAreUnavailable(t *testing.T) {
	// Nobody answers there.
	w := serve(t, t.TempDir(), local.New, map[string]string{"NPM_REGISTRY": "http://127.0.0.1:9"}).signUp().create("vite-react")
	got := w.do(http.MethodPost, w.path("/typecheck"), nil)
	if got.status != http.StatusServiceUnavailable || got.code() != core.CodeUnavailable || !strings.Contains(string(got.body), "registry") {
		t.Errorf("got %d %s, want unavailable that names the registry", got.status, got.body)
	}
}

// TestTheStudioHasNoTypeErrors lets Atelier check the sources of its own page.
func TestTheStudioHasNoTypeErrors(t *testing.T) {
	t.Parallel()
	w := serve(t, t.TempDir(), local.New, nil).signUp().create("static-html")
	sources := os.DirFS("../adapters/studio/web")
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
		w.must(http.StatusOK, http.MethodPost, w.path("/files/bulk"), map[string]any{"operations": batch}, nil)
	}
	for _, at := range w.typeErrors() {
		t.Errorf("adapters/studio/web/%s:%d:%d: %s", at.Path, at.Line, at.Column, at.Message)
	}
}
