package browser

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

func dataStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"test data is shown, changed and brought to a new schema": workWithTestData,
		"a project without data is helped to some":                askForData,
		"live data is changed after a question only":              workWithLiveData,
		"a table of 100,000 records is scrolled through":          scrollThroughRecords,
		"open data is published after a yes only":                 publishOpenData,
		"a guestbook is built, used, published and rolled back":   aGuestbookLives,
		"a guestbook is built and published on a phone":           aGuestbookOnAPhone,
		"a link in a mail confirms an address":                    confirmAddress,
		"test data goes back to a snapshot":                       goBackToASnapshot,
		"snapshots of live data are for admins":                   liveSnapshotsAreForAdmins,
		"the check of the rules finds open doors":                 theCheckFindsOpenDoors,
		"functions are listed and tried":                          functionsAreTried,
		"the words of the data pane are explained once":           wordsAreExplained,
		"tables of Supabase become collections":                   tablesBecomeCollections,
		"tables are imported, and test data is reset":             tablesAreImported,
		"files and references of a record are chosen":             filesAndReferencesAreChosen,
		"the data pane speaks German":                             theStudioRefusesInGerman,
		"providers of sign-in are added, changed and removed":     setUpSignIn,
		"sign-in to live data is for admins":                      liveSignInIsForAdmins,
		"sign-in is set up in German":                             signInInGerman,
	}
}

// guestbook is a schema with a field of most types. likes can be taken away.
const (
	guestbookHead = `{"collections": [
	{"name": "users", "type": "auth", "listRule": "", "viewRule": "", "createRule": "", "updateRule": "id = @request.auth.id", "fields": [{"name": "name", "type": "text"}]},
	{"name": "entries", "listRule": "", "viewRule": "", "createRule": "@request.auth.id != ''", "updateRule": "@request.auth.id != '' && author = @request.auth.id", "deleteRule": "@request.auth.id != '' && author = @request.auth.id", "fields": [
		{"name": "text", "type": "text", "required": true},
		{"name": "public", "type": "bool"},
		{"name": "mood", "type": "select", "values": ["happy", "sad"]},
		{"name": "author", "type": "relation", "collection": "users"},
		{"name": "visited", "type": "date"},`
	guestbookLikes = `
		{"name": "likes", "type": "number"},`
	guestbookTail = `
		{"name": "photo", "type": "file"},
		{"name": "extra", "type": "json"}
	]}
]}`
	guestbookSchema = guestbookHead + guestbookLikes + guestbookTail
	guestbookSeed   = `{
	"users": [{"id": "grace0000000001", "email": "grace@example.com", "password": "long enough", "name": "Grace Hopper"}],
	"entries": [
		{"text": "What a lovely page", "public": true, "mood": "happy", "author": "grace0000000001", "visited": "2026-07-01 10:00:00.000Z", "likes": 12, "extra": {"from": "Berlin"}},
		{"text": "Second", "likes": 3}
	]
}`
)

// ask sends a request to an application's own data and returns the answer.
func (p *project) askData(method, address, body string, into any) {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, address, bytes.NewReader([]byte(body)))
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := p.http.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		p.t.Fatalf("%s %s: got %d", method, address, response.StatusCode)
	}
	if into == nil {
		return
	}
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		p.t.Fatal(err)
	}
}

// texts are those of an application's entries.
func (p *project) texts(origin string) []string {
	p.t.Helper()
	var page struct{ Items []struct{ Text string } }
	p.askData(http.MethodGet, origin+"/_data/collections/entries/records?sort="+url.QueryEscape("text"), "", &page)
	var texts []string
	for _, item := range page.Items {
		texts = append(texts, item.Text)
	}
	return texts
}

// looks takes a picture of a state in all shapes, and holds it to axe's rules.
func (p *tab) looks(name, axe string) {
	p.t.Helper()
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		if shape.width < 800 && evaluate[bool](p, `location.pathname.startsWith('/projects/')`) {
			p.until("the pane on a phone", `(() => {
				const choice = [...document.querySelectorAll('.bottom-bar__choice')].find((e) => e.textContent === document.querySelector('.pane:not([hidden])').getAttribute('aria-label'));
				choice?.click();
				return choice?.getAttribute('aria-current') === 'true';
			})()`)
		}
		p.settle()
		// Sizes between and beyond the usual ones differ in nothing that axe sees.
		if slices.Contains([]int64{390, 820, 1440}, shape.width) {
			p.wantAccessible(name+", "+shape.name, axe)
		} else {
			p.wantFitting(name + ", " + shape.name)
		}
		if cut := evaluate[string](p, `[...document.querySelectorAll('.records__head h2')].filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent).join()`); cut != "" {
			p.t.Errorf("%s, %s: got the heading %q cut", name, shape.name, cut)
		}
		if !evaluate[bool](p, `[...document.querySelectorAll('dialog[open]')].every((e) => e.checkVisibility())`) {
			p.t.Errorf("%s, %s: got the dialog out of sight", name, shape.name)
		}
		p.snapshot(name + " " + shape.name)
	}
	p.show(820, 1180, "light")
	p.snapshot(name + " tablet light")
	p.show(1440, 900, "light")
}

func workWithTestData(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	origin := project.preview()
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("tab", "Data")
	p.sees("This project has no data yet")
	p.press("button", "Sign-up list")
	p.until("the prompt", `document.querySelector('.nodata textarea').value.includes('sign up')`)
	p.looks("data none", axe)
	p.until("the chat beside the pane of a window that was narrow", `document.querySelector('section.chat')?.checkVisibility() === true`)

	project.save("backend/seed.json", guestbookSeed)
	project.save("backend/schema.json", guestbookSchema)
	p.press("button", "entries")
	p.sees("What a lovely page")
	p.sees("Anyone can read.")
	p.sees("Only the author can change or delete.")
	p.until("the name of the author", `[...document.querySelectorAll('.grid .reference')].some((e) => e.textContent === 'Grace Hopper')`)
	p.until("the count", `[...document.querySelectorAll('.data__entry')].some((e) => e.textContent === 'entries2')`)
	p.until("the size, which is of records alone", `document.querySelector('.data__foot p')?.textContent === '3 records'`)
	p.looks("data records", axe)

	// The keyboard alone opens a record, changes it and saves it.
	// The window has just grown again: until the pane is back, nothing in it takes the focus.
	heads := `[...document.querySelectorAll('.grid [role=columnheader]')].map((e) => e.textContent)`
	p.until("no id", `!`+heads+`.includes('id')`)
	p.press("button", "Show id and system columns")
	p.until("the id", heads+`.at(-1) === 'id'`)
	p.press("button", "Hide id and system columns")
	p.until("no id any more", `!`+heads+`.includes('id')`)
	p.until("the focus in the table", `(() => { const grid = document.querySelector('.grid'); grid.focus(); return document.activeElement === grid })()`)
	p.do(chromedp.KeyEvent(kb.Home))
	p.holdEnter("the form", `document.querySelector('dialog[open] form') !== null`)
	p.looks("data record", axe)
	before := project.texts(origin)
	p.fill("text", "Changed in the studio")
	p.press("button", "Save")
	p.until("the change in the table", `document.querySelector('dialog[open]') === null && document.querySelector('.grid').textContent.includes('Changed in the studio')`)
	if got := project.texts(origin); len(got) != len(before) || !strings.Contains(strings.Join(got, "|"), "Changed in the studio") {
		t.Errorf("got the entries %q from the preview's data, want the change", got)
	}

	// What is wrong is said at its field.
	p.press("button", "New record")
	p.fill("likes", "many")
	p.press("button", "Create")
	p.sees("This isn’t a number.")
	p.fill("likes", "5")
	p.press("button", "Create")
	p.until("the error at its field", `document.querySelector('dialog[open] [aria-invalid=true]')?.labels[0].textContent.startsWith('text') === true`)
	p.pardon(http.StatusBadRequest)
	p.looks("data refused", axe)
	p.fill("text", "Third")
	p.press("button", "Create")
	p.until("the new record", `document.querySelector('dialog[open]') === null && document.querySelector('.grid').textContent.includes('Third')`)
	p.until("the new count", `[...document.querySelectorAll('.data__entry')].some((e) => e.textContent === 'entries3')`)
	p.fill("Search", "Third")
	p.until("what was found", `document.querySelectorAll('.grid__body [role=row]').length === 1`)
	p.fill("Search", "likes > 4 && public = true")
	p.until("what the filter lets through", `[...document.querySelectorAll('.grid__body [role=row]')].map((e) => e.textContent.includes('What a lovely page')).join() === 'true'`)
	p.fill("Search", "")
	p.until("all records", `document.querySelectorAll('.grid__body [role=row]').length === 3`)
	p.press("button", "likes")
	p.until("the least liked first", `document.querySelector('[aria-sort=ascending]') !== null && document.querySelector('.grid__body [role=row]')?.textContent.startsWith('Changed in the studio') === true`)

	takeAFieldAway(p, project, axe)
	readAMail(p, project, origin, axe)
	p.wantQuiet()
}

// takeAFieldAway drops a field that holds values: nothing happens before a yes.
func takeAFieldAway(p *tab, project *project, axe string) {
	p.t.Helper()
	project.save("backend/schema.json", guestbookHead+guestbookTail)
	p.sees("would delete 3 values from your test data")
	p.sees("The field “likes” of “entries” is deleted with 3 values.")
	p.until("the field, still there", `document.querySelector('.grid__head').textContent.includes('likes')`)
	p.misses("The schema has errors")
	p.looks("data pending", axe)
	p.press("button", "Delete 3 values")
	p.sees("The test data now uses the new schema.")
	p.until("the field gone", `document.querySelector('.grid__head').textContent.includes('likes') === false`)
}

// readAMail reads a mail that a user of the test data was sent, and finds its link.
func readAMail(p *tab, project *project, origin, axe string) {
	p.t.Helper()
	project.askData(http.MethodPost, origin+"/_data/collections/users/request-password-reset", `{"email": "grace@example.com"}`, nil)
	p.wait("the mail", func() bool {
		var mails struct{ Items []core.TestMail }
		project.call(http.StatusOK, http.MethodGet, project.path("/backend/test/mails"), nil, &mails)
		return len(mails.Items) > 0
	})
	p.press("button", "Emails")
	p.press("button", "Reset your")
	p.until("a link to the preview", fmt.Sprintf(`document.querySelector('.mail__text a')?.href.startsWith(%q) === true`, origin+"/_data/"))
	p.looks("data mails", axe)
}

func workWithLiveData(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	project.save("backend/schema.json", guestbookSchema)
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "Live")
	p.sees("Nothing is live yet")
	p.looks("data not live", axe)
	site := project.publish()
	p.press("button", "Test")
	p.press("button", "Reload")
	p.press("button", "Live")
	p.press("button", "entries")
	p.press("button", "New record")
	p.fill("text", "Live from the studio")
	p.fill("likes", "7")
	p.press("button", "Create")
	p.sees("Add to the live data?")
	p.looks("data live question", axe)
	if got := project.texts(site); len(got) > 0 {
		t.Errorf("got the live entries %q before the yes, want none", got)
	}
	p.press("button", "Add to live data")
	p.until("the record", `document.querySelector('dialog[open]') === null && document.querySelector('.grid')?.textContent.includes('Live from the studio') === true`)
	if got := project.texts(site); len(got) != 1 {
		t.Errorf("got the live entries %q, want the one", got)
	}
	p.looks("data live", axe)

	project.save("backend/schema.json", guestbookHead+guestbookTail)
	p.press("button", "Publish")
	p.fill("Address", "s"+string(project.ID))
	p.publishes()
	p.sees("Publishing would delete 1 value of your live data.")
	p.pardon(http.StatusConflict)
	p.looks("publish data loss", axe)
	p.press("button", "Publish and delete 1 value")
	p.sees("Published")
	p.misses("Publishing would delete")
	p.wantQuiet()
}

// scrollThroughRecords jumps in a table of 100,000 records, of which the page holds those in
// sight, and changes the last one.
func scrollThroughRecords(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	project.save("backend/schema.json", `{"collections": [{"name": "lines", "fields": [{"name": "number", "type": "number"}]}]}`)
	project.fillLines(100_000)
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=data")
	p.press("button", "number")
	shows := func(what, scroll, number string) {
		p.t.Helper()
		p.until(what, fmt.Sprintf(`(() => {
			const grid = document.querySelector('.grid');
			%s;
			const rows = [...document.querySelectorAll('.grid__body [role=row]')];
			return rows.length < 100 && rows.some((row) => row.firstChild.textContent === %q);
		})()`, scroll, number))
	}
	shows("the first rows in order", `if (document.querySelector('[aria-sort=ascending]') === null) return false`, "0")
	shows("the middle", `grid.scrollTop = grid.scrollHeight / 2`, "50,000")
	shows("the last row", `grid.focus(); grid.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}))`, "99,999")
	p.until("the number of rows", `document.querySelector('.grid').getAttribute('aria-rowcount') === '100001'`)
	p.holdEnter("the form of the last record", `document.querySelector('dialog[open] form') !== null`)
	p.fill("number", "123456")
	p.press("button", "Save")
	p.until("the list with the change", `document.querySelector('dialog[open]') === null && [...document.querySelectorAll('.grid__body [role=row]')].some((row) => row.firstChild.textContent === '123,456')`)
	p.fill("Search", "number = 77777")
	p.until("what was searched for", `[...document.querySelectorAll('.grid__body [role=row]')].map((row) => row.firstChild.textContent).join() === '77,777'`)
	p.wantQuiet()
}

// fillLines adds records with the numbers below count to the collection lines of the test data, of
// which the first comes through the import. The others come into the database directly: to import
// them all takes minutes under the race detector.
func (p *project) fillLines(count int) {
	p.t.Helper()
	response := p.send(http.MethodPost, p.path("/backend/test/collections/lines/import?format=csv"), "text/csv", strings.NewReader("number\n0\n"))
	response.Body.Close()
	if response.StatusCode != http.StatusOK {
		p.t.Fatalf("import: got %d", response.StatusCode)
	}
	db, err := sql.Open("sqlite", filepath.Join(p.dataDir, "backends", string(p.ID), "test", "data", "data.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		p.t.Fatal(err)
	}
	defer db.Close()
	_, err = db.Exec(`INSERT INTO lines (id, number, created, updated)
		WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n + 1 < ?)
		SELECT printf('%015d', n), n, first.created, first.updated FROM counted, (SELECT * FROM lines) AS first`, count)
	if err != nil {
		p.t.Fatal(err)
	}
}
