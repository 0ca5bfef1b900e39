package browser

import (
	"fmt"
	"testing"
)

// everyoneGetsAProvider: an admin adds a provider in the console of the installation, and somebody
// in another workspace sends it a message.
func everyoneGetsAProvider(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", map[string]string{"PRIVATE_NETWORKS": "allow"})
	admin, other := s.signUp(t), s.signUp(t)
	p := c.enterAs(t, admin, "/admin/ai")
	p.sees("No providers yet")
	p.sees("From the server’s settings")
	p.press("button", "Add provider")
	p.press("radio", "OpenAI-compatible")
	p.fill("Name", "Company")
	p.fill("Base URL", startLab(t))
	p.fill("API key", labKey)
	p.press("button", "Add provider")
	p.sees("It answers")
	p.sees("key …cdef")
	p.until("one default", `document.querySelectorAll('.provider .badge--accent').length === 1`)
	axe := fetchAxe(t)
	for _, width := range []int64{390, 820, 1440} {
		for _, scheme := range []string{"light", "dark"} {
			p.show(width, 900, scheme)
			p.settle()
			p.wantAccessible(fmt.Sprintf("the providers, %d %s", width, scheme), axe)
			p.picture(fmt.Sprintf("admin ai providers %d %s", width, scheme))
		}
	}
	p.show(1440, 900, "light")

	q := c.workbench(t, other.create("static-html"))
	q.press("button", "Model: Default model")
	q.sees("Company (platform)")
	q.press("option", "mistral-large")
	q.ask("Hello")
	q.sees("Hello from the lab.")
	q.wantQuiet()

	p.press("button", "More actions for Company")
	p.press("menuitem", "Turn off")
	p.sees(" is off.")
	p.press("button", "More actions for Company")
	p.press("menuitem", "Delete")
	p.press("button", "Delete")
	p.sees("No providers yet")
	p.wantQuiet()
}
