package browser

import (
	"net/http"
	"testing"
)

// aGuestbookOnAPhone is the story of aGuestbookLives in the width of a phone, with the bar at the
// bottom for all that a desk shows at once.
func aGuestbookOnAPhone(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	ada := s.signUp(t)
	project := ada.create("static-html")
	p := c.workbench(t, project)
	p.show(390, 844, "light")
	p.turnTo("Chat")
	p.ask("Please build a guestbook.")
	p.answered()
	p.press("button", "See your page")
	window := c.open(t)
	window.show(390, 844, "light")
	window.visit(project.preview())
	window.wantEntries(2, 0)
	framed := p.frame(project.preview())
	framed.wantEntries(2, 0)
	framed.wantAccessible("the guestbook in a phone's preview", axe)
	framed.signsUp("Eva")
	framed.signs("Written on a phone")
	framed.wantEntries(3, 1)
	window.wantEntries(3, 0)
	p.picture("guestbook on a phone")

	p.turnTo("Data")
	p.press("button", "entries")
	p.sees("Written on a phone")
	p.wantAccessible("the guestbook's data on a phone", axe)
	p.picture("guestbook data on a phone")
	p.changesText("Written on a phone", "Changed on a phone")
	window.until("the change, in a page that is open", `document.querySelector('#guestbook ul').textContent.includes('Eva: Changed on a phone')`)

	site := p.publishesGuestbook(project)
	p.picture("guestbook published on a phone")
	visitor := c.open(t)
	visitor.show(390, 844, "light")
	visitor.visit(site)
	visitor.wantEntries(0, 0)
	visitor.signsUp("Finn")
	visitor.signs("Written on the site")
	visitor.wantEntries(1, 1)
	visitor.wantAccessible("the guestbook on a phone", axe)
	p.turnTo("Data")
	p.press("button", "Back to the list")
	p.press("button", "Live")
	p.press("button", "entries")
	p.sees("Written on the site")

	project.alter("backend/schema.json", guestbookText, guestbookText+` { "name": "mood", "type": "text" },`)
	p.turnTo("Publish")
	p.submitSite("Publish changes")
	p.sees("Earlier")
	project.alter("backend/schema.json", ` { "name": "mood", "type": "text" },`, "")
	if got := project.live(); len(got) != 1 || got[0]["text"] != "Written on the site" || got[0]["mood"] != "" {
		t.Fatalf("got %v after the publish, want the entry with the new column", got)
	}
	page := project.live()[0]["id"].(string)
	project.call(http.StatusOK, http.MethodPatch, project.path("/backend/live/collections/entries/records/")+page, map[string]string{"mood": "happy"}, nil)
	p.submitSite("Publish changes")
	p.sees("Publishing would delete 1 value of your live data.")
	p.pardon(http.StatusConflict)
	p.wantAccessible("the question about lost data on a phone", axe)
	p.picture("guestbook question on a phone")
	p.press("button", "Publish and delete 1 value")
	p.misses("Publishing would delete")
	visitor.signs("Written before going back")
	visitor.wantEntries(2, 2)
	p.press("button", "Roll back to this")
	p.sees("Roll back?")
	p.press("button", "Roll back to this")
	p.sees("Rolled back. The site shows the earlier version again.")
	visitor.reload()
	visitor.wantEntries(2, 2)
	for _, one := range []*tab{p, window, visitor} {
		one.wantQuiet()
	}
}
