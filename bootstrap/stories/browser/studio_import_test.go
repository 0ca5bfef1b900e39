package browser

import (
	"archive/zip"
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

func anArchiveIsDropped(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.enterAs(t, u, "/dashboard")
	p.wantHeading("What do you want to build?")
	p.dropFile("notes.txt", []byte("no archive"))
	p.sees("Only zip files can be imported.")
	p.dropFile("broken.zip", []byte("no archive"))
	p.agree("Import")
	p.until("the refusal", `document.querySelector('dialog .banner--error') !== null`)
	p.until("the name is kept", `document.querySelector('dialog[open] .input')?.value === 'broken'`)
	p.pardon(http.StatusBadRequest)

	p.dropFile("My site.zip", archive(t, map[string]string{"index.html": "<h1>Brought along</h1>"}))
	p.until("the name of the file", `document.querySelector('dialog[open] .input')?.value === 'My site'`)
	p.press("button", "Import")
	p.at("/projects/")
	p.wantQuiet()
	imported := &project{user: u, Project: u.projects("")["My site"]}
	if got := imported.read("index.html"); got != "<h1>Brought along</h1>" {
		t.Errorf("got the page %q, want that of the archive", got)
	}
}

// archive packs files.
func archive(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for name, content := range files {
		file, err := w.Create(name)
		if err == nil {
			_, err = file.Write([]byte(content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// aRepositoryIsImported fetches a project of the service itself, by git.
func aRepositoryIsImported(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	source := u.create("static-html")
	var made struct{ Token string }
	u.call(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "git", "scopes": []string{"projects:read"}}, &made)
	p := c.enterAs(t, u, "/dashboard")
	p.press("button", "New")
	p.press("menuitem", "Import")
	p.press("tab", "Git repository")
	p.fill("Repository URL", s.url+"/git/"+string(source.ID)+".git")
	p.press("button", "Import")
	p.until("the refusal", `document.querySelector('dialog .banner--error') !== null`)
	p.pardon(http.StatusBadRequest)
	p.fill("Repository URL", strings.Replace(s.url, "://", "://x:"+made.Token+"@", 1)+"/git/"+string(source.ID)+".git")
	p.fill("Name", "From git")
	p.press("button", "Import")
	p.at("/projects/")
	imported := &project{user: u, Project: u.projects("")["From git"]}
	if got, want := imported.read("index.html"), source.read("index.html"); got != want {
		t.Errorf("got the page %q, want %q", got, want)
	}

	p.press("link", "Atelier")
	folder := p.downloads()
	p.choose("From git", "Download as zip")
	p.wait("the archive", func() bool {
		packed, err := zip.OpenReader(filepath.Join(folder, "from-git.zip"))
		return err == nil && packed.Close() == nil
	})
	p.wantQuiet()
}

// anArchiveComesWithNotes drops a monorepo whose page lacks a value.
func anArchiveComesWithNotes(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	u := s.signUp(t)
	p := c.enterAs(t, u, "/dashboard")
	p.wantHeading("What do you want to build?")
	p.dropFile("shop.zip", archive(t, map[string]string{
		"package.json": `{"workspaces": ["apps/*"]}`, "apps/web/package.json": "{}", "apps/web/index.html": "<h1>Shop</h1>",
		"apps/web/main.js": "console.log(import.meta.env.VITE_API)",
	}))
	p.agree("Import")
	p.sees("was imported")
	p.sees("The application in apps/web is the project")
	p.sees("main.js reads VITE_API")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.settle()
		p.wantAccessible("notes of an import, "+shape.name, axe)
		p.snapshot("notes of an import " + shape.name)
	}
	p.press("button", "Open the project")
	p.at("/projects/")
	p.wantQuiet()
	imported := &project{user: u, Project: u.projects("")["shop"]}
	if got := imported.read("index.html"); got != "<h1>Shop</h1>" {
		t.Errorf("got the page %q, want that of the application", got)
	}
}
