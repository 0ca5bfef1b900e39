package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// file writes a file that the browser can upload.
func (p *tab) file(name, content string) string {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// tablesAreImported imports a table with a mistake, one with two, and then a good one.
func tablesAreImported(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "entries")
	p.press("button", "Import and export")
	p.press("menuitem", "Import…")
	p.sees("Import into entries")
	p.looks("import", axe)
	p.upload("dialog input[type=file]", p.file("bad.csv", "text,likes\nGood day,3\n,4\n"))
	p.press("button", "Import")
	p.sees("Nothing was imported. Line 3, text: This can’t be empty.")
	p.pardon(http.StatusBadRequest)
	p.looks("import refused", axe)
	p.upload("dialog input[type=file]", p.file("worse.csv", "text,likes\n,4\nGood day,many\n"))
	p.press("button", "Import")
	p.sees("Nothing was imported. 2 records are refused:")
	p.sees("Line 2, text: This can’t be empty.")
	p.sees("Line 3, likes: Must be a number.")
	p.pardon(http.StatusBadRequest)
	p.looks("import refused for several reasons", axe)
	p.upload("dialog input[type=file]", p.file("good.csv", "text,likes\nGood day,3\nGood night,4\n"))
	p.press("button", "Import")
	p.sees("2 records imported")
	p.until("the records", `document.querySelector('dialog[open]') === null && ['Good day', 'Good night'].every((text) => document.querySelector('.grid').textContent.includes(text))`)
	p.until("the count", `[...document.querySelectorAll('.data__entry')].some((e) => e.textContent === 'entries4')`)

	p.press("button", "Reset test data")
	p.press("menuitem", "With the sample records")
	p.sees("Reset the test data?")
	p.sees("Live data stays as it is.")
	p.looks("reset", axe)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("no question", `document.querySelector('dialog[open]') === null`)
	p.until("the records still", `document.querySelector('.grid').textContent.includes('Good night')`)
	p.press("button", "Reset test data")
	p.press("menuitem", "With the sample records")
	p.until("the question", `document.querySelector('dialog[open]') !== null`)
	p.press("button", "Reset test data")
	p.sees("Test data reset")
	p.until("the sample records alone", `document.querySelector('.grid').textContent.includes('What a lovely page') && !document.querySelector('.grid').textContent.includes('Good night')`)
	p.wantQuiet()
}

// upload chooses a file in an input.
func (p *tab) upload(input, path string) {
	p.t.Helper()
	p.until("the input", "document.querySelector("+quoted(input)+") !== null")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(input), []string{path}, chromedp.NodeReady))
}

func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `\'`) + "'" }

// filesAndReferencesAreChosen gives a record a picture and an author.
func filesAndReferencesAreChosen(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	origin := project.preview()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "entries")
	p.press("button", "New record")
	p.fill("text", "With a picture")
	p.upload("dialog input[type=file]", p.file("garden.txt", "roses"))
	p.until("the file", `[...document.querySelectorAll('.record-form__item')].some((e) => e.textContent.includes('garden.txt'))`)

	p.tabTo("Choose from users…")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the finder", `document.activeElement?.closest('dialog.finder') !== null && document.querySelectorAll('.finder__item').length === 1`)
	p.looks("relation picker", axe)
	p.do(chromedp.KeyEvent(kb.Escape))
	p.until("the form again", `document.querySelector('dialog.finder') === null && document.activeElement.textContent.startsWith('Choose from users')`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the finder again", `document.activeElement?.closest('dialog.finder') !== null`)
	p.do(chromedp.KeyEvent("grace"))
	p.until("who was found", `document.querySelector('.finder__item[aria-selected=true]')?.textContent.includes('Grace Hopper') === true`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until("the author", `document.querySelector('dialog.finder') === null && [...document.querySelectorAll('.record-form__item')].some((e) => e.textContent.includes('Grace Hopper'))`)
	p.looks("record with file", axe)
	p.press("button", "Create")
	p.until("the record", `document.querySelector('dialog[open]') === null && document.querySelector('.grid').textContent.includes('With a picture')`)

	var page struct {
		Items []struct{ ID, Photo, Author string }
	}
	project.askData(http.MethodGet, origin+`/_data/collections/entries/records?filter=text='With%20a%20picture'`, "", &page)
	if len(page.Items) != 1 || !strings.HasPrefix(page.Items[0].Photo, "garden_") || page.Items[0].Author == "" {
		t.Fatalf("got %+v, want the record with its file and its author", page.Items)
	}
	p.wantQuiet()
}

// theStudioRefusesInGerman reads why values are refused, in German.
func theStudioRefusesInGerman(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).book()
	project.save("backend/schema.json", strings.Replace(guestbookSchema, `"deleteRule": "@request.auth.id != '' && author = @request.auth.id"`, `"deleteRule": ""`, 1))
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.do(chromedp.Evaluate[chromedp.Void](`localStorage.setItem('atelier.language', 'de')`))
	p.reload()
	p.press("button", "users")
	p.press("button", "Neuer Datensatz")
	p.fill("email", "nobody")
	p.fill("password", "short")
	p.press("button", "Anlegen")
	p.sees("Das ist keine E-Mail-Adresse.")
	p.sees("Das braucht mindestens 8 Zeichen.")
	p.pardon(http.StatusBadRequest)
	p.looks("german refused", axe)
	p.press("button", "Abbrechen")
	p.press("button", "Verwerfen")
	p.press("button", "Sicherheitsprüfung")
	p.press("button", "Jetzt prüfen")
	p.sees("fremde Datensätze in „entries“ löschen.")
	p.looks("german check", axe)
	p.press("button", "Sicherungen")
	p.press("button", "Sicherung anlegen")
	p.sees("Von Hand angelegt")
	p.looks("german snapshots", axe)
	p.press("button", "Was diese Wörter bedeuten")
	p.looks("german terms", axe)
	p.wantQuiet()
}
