// Package scaffoldtest tests scaffold.Templates against their port.
package scaffoldtest

import (
	"encoding/json"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/scaffold"
)

// Run tests a registry of templates against the port.
func Run(t *testing.T, templates scaffold.Templates) {
	t.Run("the list names each template once", func(t *testing.T) { areNamed(t, templates) })
	t.Run("the list is the caller's own", func(t *testing.T) { listIsACopy(t, templates) })
	t.Run("an unknown id fails the validation", func(t *testing.T) { unknown(t, templates) })
	for _, template := range templates.List() {
		t.Run("every file of "+template.ID+" is valid in a project", func(t *testing.T) { filesAreLegal(t, templates, template.ID) })
		t.Run(template.ID+" has a page with a title", func(t *testing.T) { hasAPage(t, templates, template.ID) })
		t.Run("the manifest of "+template.ID+" is JSON", func(t *testing.T) { manifestIsJSON(t, templates, template.ID) })
	}
}

func areNamed(t *testing.T, templates scaffold.Templates) {
	var ids []string
	for _, template := range templates.List() {
		ids = append(ids, template.ID)
		if template.Name == "" || template.Description == "" {
			t.Errorf("template %q: got name %q and description %q, want both", template.ID, template.Name, template.Description)
		}
	}
	for _, want := range []string{"blank", "todo-app"} {
		if !slices.Contains(ids, want) {
			t.Errorf("got templates %q, want %q among them", ids, want)
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != len(ids) {
		t.Errorf("got ids %q, want each once", ids)
	}
}

func listIsACopy(t *testing.T, templates scaffold.Templates) {
	list := templates.List()
	want := list[0]
	list[0].ID = "changed"
	if got := templates.List()[0]; got != want {
		t.Errorf("after a change to the list: got %+v, want %+v", got, want)
	}
}

func unknown(t *testing.T, templates scaffold.Templates) {
	for _, id := range []string{"no-such-template", "", ".", "..", "blank/src", "/"} {
		if _, err := templates.Files(id); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("Files(%q): got %v, want code %s", id, err, core.CodeValidationFailed)
		}
	}
}

// files returns the files of a template by path.
func files(t *testing.T, templates scaffold.Templates, id string) map[string]string {
	t.Helper()
	files, err := templates.Files(id)
	if err != nil {
		t.Fatalf("Files(%q): %v", id, err)
	}
	contents := make(map[string]string)
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			t.Errorf("%s: got type %v, want a regular file", name, entry.Type())
		}
		content, err := fs.ReadFile(files, name)
		contents[name] = string(content)
		return err
	})
	if err != nil {
		t.Fatalf("walking %q: %v", id, err)
	}
	return contents
}

func filesAreLegal(t *testing.T, templates scaffold.Templates, id string) {
	for name, content := range files(t, templates, id) {
		path, err := core.ParsePath(name)
		if err != nil {
			t.Errorf("ParsePath(%q): got %v, want no error", name, err)
		}
		if path.Generated() {
			t.Errorf("%s: got a generated file, want sources only", name)
		}
		if len(content) > 1<<20 || !utf8.ValidString(content) {
			t.Errorf("%s: got %d bytes, want at most 1 MiB of text", name, len(content))
		}
	}
}

func hasAPage(t *testing.T, templates scaffold.Templates, id string) {
	page := files(t, templates, id)["index.html"]
	for _, want := range []string{"<!doctype html>", "<title>", `lang="`, `name="viewport"`} {
		if !strings.Contains(page, want) {
			t.Errorf("index.html: got %q, want %q in it", page, want)
		}
	}
}

func manifestIsJSON(t *testing.T, templates scaffold.Templates, id string) {
	manifest, found := files(t, templates, id)["package.json"]
	if !found {
		return
	}
	var parsed struct {
		Dependencies    map[string]string `json:"dependencies"`
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal([]byte(manifest), &parsed); err != nil {
		t.Fatalf("package.json: got %v, want JSON", err)
	}
}
