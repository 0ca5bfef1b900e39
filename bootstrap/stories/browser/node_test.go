package browser

import "testing"

// toolsTemplate is the template whose projects bring tools of their own.
const toolsTemplate = "vite-react"

// TestProjectWithTools plays all stories about such a project on one, because installing
// its tools takes a minute. It does not run in parallel with others: a project's tools
// have low priority and are ended when they take too long.
func TestProjectWithTools(t *testing.T) {
	c, s := startChromium(t), startService(t, "localhost")
	made := s.signUp(t).create(toolsTemplate)
	t.Run("says what it waits for", func(t *testing.T) { waitForTools(t, c, made.in(t)) })
	t.Run("renders", func(t *testing.T) { made.in(t).renders(t, c, toolsTemplate) })
	t.Run("has a sound first page", func(t *testing.T) {
		c.open(t).wantSoundPage(toolsTemplate, made.in(t).preview(), headings()[toolsTemplate])
	})
	t.Run("keeps its pages up to date", func(t *testing.T) { aDevelopmentServerKeepsItsPages(t, c, made.in(t)) })
}

// waitForTools opens a project in the studio, which says what it waits for.
func waitForTools(t *testing.T, c *chromium, project *project) {
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.sees("Installing them takes up to a minute the first time")
	p.until("what is done", `document.querySelector('.stage__progress')?.textContent.length > 0 || document.querySelector('iframe') !== null`)
	framed := p.frame(project.preview())
	framed.until("the page", `document.querySelector('h1')?.textContent === 'Vite + React'`)
	p.sees("Built with its own tools")
	p.beginEditing(framed)
	p.clickIn(framed, "h1")
	p.sees("which don’t report where elements come from")
	p.fill("What should change here?", "Make it blue")
	p.press("button", "Ask the agent")
	p.sees("with the text “Vite + React”")
	p.wantQuiet()
}

// aDevelopmentServerKeepsItsPages plays Vite's own updates through the preview's
// host: a saved component keeps its state, and a mistake shows as Vite shows it.
func aDevelopmentServerKeepsItsPages(t *testing.T, c *chromium, p *project) {
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
