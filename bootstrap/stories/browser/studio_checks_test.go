package browser

import (
	"net/http"
	"testing"
)

const (
	helloCheck = `{"title": "It says hello", "path": "/", "steps": [{"expect": "visible", "target": {"role": "heading", "name": "Hello"}}]}`
	byeCheck   = `{"title": "It says goodbye", "path": "/", "steps": [{"do": "wait"}, {"expect": "visible", "target": {"role": "button", "name": "Goodbye"}}]}`
)

// TestStudioPlaysChecks: the list of checks, what became of them, and a publish that they refuse,
// in the studio, while the service plays them in its own browser.
func TestStudioPlaysChecks(t *testing.T) {
	c, s := startChromium(t), startService(t, "localhost", map[string]string{"BROWSING": "on"})
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	project.save("index.html", `<!doctype html><html lang="en"><title>Hello</title><h1>Hello</h1></html>`)
	project.save(".atelier/checks/hello.json", helloCheck)
	project.save(".atelier/checks/bye.json", byeCheck)
	project.save(".atelier/checks/wrong.json", "{\"title\": \"Wrong\",\n\"path\": \"nowhere\"}")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	p.sees("It says hello")
	p.sees("Never run")
	p.sees("Line 2: path must be a path of the project's own pages")
	p.press("button", "Run “It says hello”")
	p.sees("The check passed.")
	p.press("button", "Run all")
	p.sees("1 of 3 checks passed.")
	p.sees(`Step 2: expected button "Goodbye" to be visible`)
	p.until("the picture", `(() => { const all = document.querySelector('.check__picture'); all.open = true; const image = all.querySelector('img'); return image.complete && image.naturalWidth > 100; })()`)
	p.looks("checks", axe)

	p.fill("Address", "s"+string(project.ID))
	p.submitSite("Publish")
	p.sees("Some checks failed, so nothing was published.")
	p.pardon(http.StatusConflict)
	p.looks("checks failed", axe)
	p.press("button", "Delete “wrong”")
	p.agree("Delete")
	p.sees("Check deleted")
	p.press("button", "Publish anyway")
	p.sees("Published. The build took")
	p.press("button", "Edit “It says goodbye”")
	p.sees("bye.json")
}
