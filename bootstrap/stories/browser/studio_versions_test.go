package browser

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

func versionStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a version is restored":                             aVersionIsRestored,
		"versions are named, starred and compared":          versionsAreTold,
		"a preview is shared, and what was is looked at":    looksAreShared,
		"a version is restored with its test data":          testDataGoBack,
		"what is edited by hand becomes a version":          editsBecomeAVersion,
		"a run of the agent is taken back from its version": aRunIsTakenBack,
		"a version that cannot be undone says why":          aRunCannotBeTakenBack,
	}
}

func aVersionIsRestored(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	first := made.read("index.html")
	p := c.code(t, made)
	p.openFile("index.html")
	p.press("tab", "Versions")
	p.fill("Save version", "Nothing new")
	p.press("button", "Save version")
	p.sees("Nothing has changed since the last version")
	made.save("index.html", "<h1>Edited</h1>\n")
	p.fill("Save version", "My edit")
	p.press("button", "Save version")
	p.press("button", "My edit")
	p.sees("This version changed 1 file")
	p.sees("+<h1>Edited</h1>")
	p.press("button", "Started from")
	p.sees("This version added")
	p.press("button", "Restore")
	p.sees("The current state is kept")
	p.press("button", "Restore")
	p.wantFile(made, "index.html", first)
	p.until("the new version", named("button", "Went back to “Started from blank”")+" !== null")
	p.press("tab", "Code")
	p.shows("<!doctype html>")
	p.press("tab", "Versions")
	p.press("button", "Clone with Git")
	p.sees("git clone " + s.url + "/git/" + string(made.ID))
	p.pardon(http.StatusConflict)
	p.wantQuiet()
}

// versionsAreTold names and stars versions, finds them again, and compares two that do not follow one
// another. The published one is marked.
func versionsAreTold(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	made := s.signUp(t).create("static-html")
	for _, message := range []string{"One", "Two", "Three"} {
		made.save("index.html", "<h1>"+message+"</h1>\n")
		made.call(http.StatusCreated, http.MethodPost, made.path("/versions"), map[string]string{"message": message}, nil)
	}
	made.publish()
	p := c.enterAs(t, made.user, made.path("?pane=versions"))
	p.press("button", "One")
	p.press("button", "Name this version")
	p.fill("Name", "Before the launch")
	p.press("button", "Save")
	p.until("the name", `document.querySelector('.detail h2').textContent === 'Before the launch' && [...document.querySelectorAll('.version__message')].some((e) => e.textContent === 'Before the launch')`)
	p.press("button", "Star")
	p.until("the star", `document.querySelector('.version .version__star') !== null`)
	p.until("the live version", `[...document.querySelectorAll('.version')].some((e) => e.textContent.includes('Three') && e.textContent.includes('Live') && e.textContent.includes('Current'))`)
	p.press("checkbox", "Starred and named only")
	p.until("only the marked version", `document.querySelectorAll('.versions__day .version').length === 1`)
	p.press("checkbox", "Starred and named only")
	p.press("button", "Three")
	p.pick("Compare with", "Before the launch")
	p.sees("Compared to that version, this one changed 1 file")
	p.sees("-<h1>One</h1>")
	p.looks("versions that people told apart", axe)
	p.wantQuiet()
}

// looksAreShared shares a preview with somebody who has no account, ends the link, and looks at an
// earlier version and at a deployment without restoring either.
func looksAreShared(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	made := s.signUp(t).create("static-html")
	made.save("index.html", "<!doctype html><h1>First</h1>\n")
	made.call(http.StatusCreated, http.MethodPost, made.path("/versions"), map[string]string{"message": "One"}, nil)
	made.publish()
	made.save("index.html", "<!doctype html><h1>Second</h1>\n")
	p := c.enterAs(t, made.user, made.path("?pane=versions"))
	p.press("button", "Share")
	p.fill("Who it’s for", "Grandma")
	p.press("button", "Create link")
	p.press("button", "QR code")
	p.until("the code", `document.querySelector('.qr path')?.getAttribute('d').length > 500`)
	p.looks("a shared preview", axe)
	p.show(1440, 900, "light")
	link := evaluate[string](p, `document.querySelector('.share__shared code').textContent`)
	stranger := c.open(t)
	stranger.visit(link)
	stranger.sees("Second")
	p.press("button", "Revoke link")
	p.sees("The link no longer works")
	stranger.visit(link)
	stranger.sees("This preview has moved")
	p.press("button", "Close")
	p.press("button", "One")
	p.press("button", "View this version")
	p.until("the page", `document.querySelector('.sight__page') !== null`)
	stranger.visit(evaluate[string](p, `document.querySelector('.sight__page').src`))
	stranger.sees("First")
	p.looks("a look at a version", axe)
	p.show(1440, 900, "light")
	var deployments struct{ Items []struct{ ID string } }
	made.call(http.StatusOK, http.MethodGet, made.path("/deployments"), nil, &deployments)
	var look struct{ URL string }
	made.call(http.StatusOK, http.MethodPost, made.path("/deployments/"+deployments.Items[0].ID+"/look"), nil, &look)
	stranger.visit(look.URL)
	stranger.sees("First")
	stranger.pardon(http.StatusNotFound)
	p.wantQuiet()
}

// testDataGoBack restores a version whose test data is kept, and one that never had any.
func testDataGoBack(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	made := s.signUp(t).book()
	origin := made.preview()
	kept := made.texts(origin)
	made.call(http.StatusCreated, http.MethodPost, made.path("/versions"), map[string]string{"message": "With likes"}, nil)
	made.save("backend/schema.json", strings.Replace(guestbookSchema, `{"name": "photo", "type": "file"}`, `{"name": "photo", "type": "file"}, {"name": "note", "type": "text"}`, 1))
	made.dropEntry(origin)
	if got := made.texts(origin); len(got) != len(kept)-1 {
		t.Fatalf("got the entries %q, want one of %q gone", got, kept)
	}
	made.call(http.StatusCreated, http.MethodPost, made.path("/versions"), map[string]string{"message": "With notes"}, nil)

	p := c.enterAs(t, made.user, made.path("?pane=versions"))
	restore := func(version string) {
		p.press("button", version)
		p.until("the version "+version, fmt.Sprintf(`document.querySelector('.detail')?.getAttribute('aria-label')?.startsWith(%q) === true`, version))
		p.click(".detail__actions button")
		p.press("checkbox", "Also restore test data")
	}
	restore("With likes")
	p.looks("restore with test data", axe)
	p.press("button", "Restore")
	p.sees("Restored, test data included")
	if got := made.texts(origin); !slices.Equal(got, kept) {
		t.Errorf("got the entries %q, want %q back", got, kept)
	}
	restore("Started from")
	p.press("button", "Restore")
	p.sees("so no test data was restored")
	p.press("tab", "Data")
	p.press("button", "Snapshots")
	p.sees("Before the schema changed")
	p.wantQuiet()
}

func aRunIsTakenBack(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("todo-app")
	before := made.read("src/App.tsx")
	p := c.workbench(t, made)
	p.press("tab", "Versions")
	p.until("the first version", named("button", "Started from")+" !== null")
	p.ask("Change the title to \"Things to do\"\nand say so in many more words than fit into one line")
	p.answered()
	p.press("button", `Change the title to "Things to do"`)
	p.sees("The agent was asked:")
	p.sees("in many more words")
	p.press("button", "Undo this run")
	p.sees("Only this run’s changes are undone")
	p.press("button", "Undo this run")
	p.wantFile(made, "src/App.tsx", before)
	p.until("the version that undoes", named("button", "Undid “Change src/App.tsx”")+" !== null")
	p.wantQuiet()
}

func aRunCannotBeTakenBack(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("todo-app")
	p := c.workbench(t, made)
	p.ask(`Change the title to "Things to do"`)
	p.answered()
	made.alter("src/App.tsx", "Things to do", "Things that I did")
	p.press("tab", "Versions")
	p.press("button", `Change the title to "Things to do"`)
	p.press("button", "Undo this run")
	p.sees("Only this run’s changes are undone")
	p.press("button", "Undo this run")
	p.sees("That didn’t work.")
	p.sees("src/App.tsx")
	if got := made.read("src/App.tsx"); !strings.Contains(got, "Things that I did") {
		t.Errorf("got %s, want the later edit untouched", got)
	}
	p.pardon(http.StatusConflict)
	p.wantQuiet()
}

// editsBecomeAVersion changes a colour on the page, looks at the versions, ends editing,
// and takes the change back after the page was loaded again.
func editsBecomeAVersion(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	before := made.read("src/App.tsx")
	p, framed := c.edit(t, made)
	framed.until("the heading", `document.querySelector('h1') !== null`)
	current := func(name string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('.version')].filter((e) => e.querySelector('.badge')?.textContent === 'Current').map((e) => e.querySelector('.version__message').textContent).join() === %q`, name)
	}
	p.clickIn(framed, "h1")
	p.fill("Color", "#c02040")
	p.wait("the change saved", func() bool { return strings.Contains(made.read("src/App.tsx"), "#c02040") })
	p.press("tab", "Versions")
	p.sees("Unsaved changes in 1 file")
	p.until("the mark of the present", current("Now"))
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("now " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("tab", "Preview")
	p.pressInBar("Done")
	p.press("tab", "Versions")
	p.until("the version of the edit", current("Edited by hand"))
	p.misses("Unsaved changes")
	p.press("button", "Edited by hand")
	p.sees("#c02040")

	edited := made.read("src/App.tsx")
	p.visit(s.url + made.path("?pane=preview"))
	p.until("the page again", `document.querySelector('iframe') !== null`)
	again := p.frame(evaluate[string](p, "new URL(document.querySelector('iframe').src).origin"))
	again.until("the heading", `document.querySelector('h1') !== null`)
	p.beginEditing(again)
	p.press("button", "Undo")
	p.wantFile(made, "src/App.tsx", before)
	p.press("button", "Redo")
	p.wantFile(made, "src/App.tsx", edited)
	p.wantQuiet()
}
