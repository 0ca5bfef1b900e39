package browser

import "testing"

// The class is one that nothing on the page had before, and Tailwind makes its rule
// from the source that was saved.
func aClassThatIsSavedIsStyled(t *testing.T, c *chromium, s *service) {
	p := s.signUp(t).create("todo-app")
	page := c.open(t)
	page.visit(p.preview())
	page.wantHeading("My todos")
	page.enter("#new-todo", "Buy bread")
	evaluate[bool](page, "window.kept = true")
	p.alter("src/App.tsx", "<h1>My todos</h1>", `<h1 className="text-[#123456] hover:underline">My todos</h1>`)
	const colour = "getComputedStyle(document.querySelector('h1')).color === 'rgb(18, 52, 86)'"
	page.until("the colour of the class", colour)
	p.alter("src/index.css", "light-dark(#c8c8ba, #46534c)", "#abcdef")
	page.until("the token", "getComputedStyle(document.querySelector('#new-todo')).borderColor === 'rgb(171, 205, 239)'")
	page.wantTodos("Buy bread")
	if !evaluate[bool](page, "window.kept === true") {
		t.Error("got a page that was loaded again, want new styles in the one that was there")
	}
	p.alter("src/index.css", "@apply text-3xl", "@apply text-3xl no-such-class")
	page.until("the overlay", "document.querySelector('atelier-diagnostics') !== null")
	p.alter("src/index.css", " no-such-class", "")
	page.until("the end of the overlay", "document.querySelector('atelier-diagnostics') === null")
	page.wantQuiet()

	site := c.open(t)
	site.visit(p.publish())
	site.wantHeading("My todos")
	site.until("the colour on the site", colour)
	site.wantQuiet()
}
