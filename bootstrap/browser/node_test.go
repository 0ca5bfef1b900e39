package browser

import "testing"

// aDevelopmentServerKeepsItsPages plays Vite's own updates through the preview's
// host: a saved component keeps its state, and a mistake shows as Vite shows it.
func aDevelopmentServerKeepsItsPages(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("vite-react")
	page := c.open(t)
	page.visit(p.preview())
	page.wantHeading("Vite + React")
	evaluate[bool](page, "window.marker = true")
	page.click("button")
	page.click("button")
	page.until("two clicks", "document.querySelector('button').textContent.includes('2')")
	p.alter("src/App.tsx", "Vite + React", "Saved")
	page.wantHeading("Saved")
	page.until("the state and the page that there were", "window.marker && document.querySelector('button').textContent.includes('2')")
	page.wantQuiet()
	p.alter("src/App.tsx", "Saved</h1>", "Saved</h2>")
	page.until("Vite's own notice and no other", "document.querySelector('vite-error-overlay') && !document.querySelector('atelier-diagnostics')")
	p.alter("src/App.tsx", "Saved</h2>", "Mended</h1>")
	page.wantHeading("Mended")
}
