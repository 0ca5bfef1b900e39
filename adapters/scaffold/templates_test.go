package scaffold_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/scaffold"
	"github.com/atelierhq/atelier/ports/scaffold/scaffoldtest"
)

func TestTemplates(t *testing.T) { scaffoldtest.Run(t, scaffold.New()) }

func TestEveryTemplateOfTheContractIsThere(t *testing.T) {
	var got []string
	for _, template := range scaffold.New().List() {
		got = append(got, template.ID)
	}
	if want := "blank todo-app landing-page dashboard static-html vite-react"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func read(t *testing.T, id, name string) string {
	t.Helper()
	files, err := scaffold.New().Files(id)
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return string(text)
}

func TestTheTodoAppSaysItsTitleInItsSource(t *testing.T) {
	if app := read(t, "todo-app", "src/App.tsx"); !strings.Contains(app, "<h1>My todos</h1>") {
		t.Errorf("got %q, want its heading in it", app)
	}
}

func TestReactTemplatesAreComplete(t *testing.T) {
	caret := regexp.MustCompile(`^\^\d+\.\d+\.\d+$`)
	for _, template := range scaffold.New().List() {
		if template.ID == "static-html" {
			continue
		}
		var manifest struct {
			Scripts                       map[string]string
			Dependencies, DevDependencies map[string]string
		}
		if err := json.Unmarshal([]byte(read(t, template.ID, "package.json")), &manifest); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"react", "react-dom"} {
			if manifest.Dependencies[name] != "^19.2.0" {
				t.Errorf("%s: got %s %q, want ^19.2.0", template.ID, name, manifest.Dependencies[name])
			}
		}
		for name, text := range manifest.DevDependencies {
			if !caret.MatchString(text) {
				t.Errorf("%s: got %s %q, want a caret range", template.ID, name, text)
			}
		}
		for _, script := range []string{"dev", "build"} {
			if manifest.Scripts[script] == "" {
				t.Errorf("%s: got no script %q, want one", template.ID, script)
			}
		}
		var compiler struct{ CompilerOptions map[string]any }
		if err := json.Unmarshal([]byte(read(t, template.ID, "tsconfig.json")), &compiler); err != nil {
			t.Fatal(err)
		}
		if _, has := compiler.CompilerOptions["baseUrl"]; has || compiler.CompilerOptions["strict"] != true {
			t.Errorf("%s: got compiler options %v, want strict and no baseUrl", template.ID, compiler.CompilerOptions)
		}
		for _, name := range []string{".gitignore", "README.md", "vite.config.ts", "src/main.tsx"} {
			read(t, template.ID, name)
		}
	}
}

func TestEveryPageHasAHeadingToEdit(t *testing.T) {
	for id, name := range map[string]string{
		"blank": "src/App.tsx", "todo-app": "src/App.tsx", "landing-page": "src/components/Hero.tsx",
		"dashboard": "src/App.tsx", "static-html": "index.html", "vite-react": "src/App.tsx",
	} {
		if !strings.Contains(read(t, id, name), "<h1") {
			t.Errorf("%s: got no heading in %s, want one", id, name)
		}
	}
}

// TestAnUnusedImportStopsNoBuild checks that templates whose build checks types check only types:
// a linter's findings must not keep a project from being published.
func TestAnUnusedImportStopsNoBuild(t *testing.T) {
	for _, template := range scaffold.New().List() {
		files, err := scaffold.New().Files(template.ID)
		if err != nil {
			t.Fatal(err)
		}
		config, err := fs.ReadFile(files, "tsconfig.json")
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		for _, lint := range []string{"noUnusedLocals", "noUnusedParameters"} {
			if err != nil || strings.Contains(string(config), lint) {
				t.Errorf("%s: got %v and %s, want a build that goes on", template.ID, err, lint)
			}
		}
	}
}

// TestPagesUseTheTheme checks that components name the tokens of the theme instead of colours and
// pixels: who changes the theme changes the whole page, in light and dark.
func TestPagesUseTheTheme(t *testing.T) {
	literal := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|oklch)a?\(|\[\d+px\]|\b(?:bg|text|border)-(?:white|black|[a-z]+-\d{2,3})\b`)
	for _, id := range []string{"blank", "todo-app", "landing-page", "dashboard"} {
		files, err := scaffold.New().Files(id)
		if err != nil {
			t.Fatal(err)
		}
		err = fs.WalkDir(files, "src", func(name string, entry fs.DirEntry, err error) error {
			if err != nil || path.Ext(name) != ".tsx" {
				return err
			}
			text := read(t, id, name)
			for _, found := range literal.FindAllString(text, -1) {
				t.Errorf("%s: %s: got %q, want a token of the theme", id, name, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		theme := read(t, id, "src/index.css")
		for _, token := range []string{"background", "foreground", "card", "primary", "primary-foreground", "muted-foreground", "destructive", "border", "input", "ring"} {
			if !strings.Contains(theme, "--color-"+token+": light-dark(") {
				t.Errorf("%s: got no token %s for light and dark, want one", id, token)
			}
		}
	}
}
