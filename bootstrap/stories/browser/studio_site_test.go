package browser

import (
	"net/http"
	"strings"
	"testing"
)

// open opens a page of a site as a person's browser does, who comes from another page. It returns
// where the answer leads, and does not go there.
func (p *project) open(address, from string) string {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.Header = http.Header{"Accept": {"text/html"}, "User-Agent": {"Mozilla/5.0 Firefox/140.0"}, "Referer": {from}}
	client := *p.http
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := client.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	response.Body.Close()
	return response.Header.Get("Location")
}

func describeAndProtect(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	slug := "d" + string(project.ID)
	address := "http://" + slug + "." + s.host
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	p.fill("Address", slug)
	p.submitSite("Publish")
	p.sees("No one has opened the site yet.")
	project.open(address+"/", "https://search.example/")
	project.open(address+"/about", address+"/")

	p.fill("Title", "Linden & Co")
	p.fill("Image for shared links", "picture.png")
	p.press("button", "Save settings")
	p.sees("Enter a web address with https://")
	p.fill("Image for shared links", "/picture.png")
	p.press("button", "Save settings")
	p.sees("Settings saved")
	p.wantSite(project, address, "<title>Linden &amp; Co</title>")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("site settings " + shape.name)
	}
	p.show(1440, 900, "light")

	p.pick("Who can open the site", "People with")
	p.fill("Site password", "open sesame, please")
	p.press("button", "Save settings")
	p.until("the password that is kept", `document.body.innerText.includes('Leave empty to keep the current one')`)
	if status, page := project.site(address); status != http.StatusUnauthorized || strings.Contains(page, "Hello, world") {
		t.Errorf("got %d for a site with a password, want 401 and nothing of it", status)
	}
	visitor := c.open(t)
	visitor.visit(address + "/?from=a-friend")
	visitor.sees("Password required")
	visitor.snapshot("password of a site")
	visitor.fill("Password", "not this one")
	visitor.press("button", "Open the site")
	visitor.sees("This is not the password. Try again.")
	visitor.fill("Password", "open sesame, please")
	visitor.press("button", "Open the site")
	visitor.sees("Hello, world")
	visitor.until("the address that was asked for", `location.pathname + location.search === '/?from=a-friend'`)

	p.pick("Who can open the site", "Members")
	p.press("button", "Save settings")
	p.wait("the site closed to people with the password", func() bool {
		return strings.Contains(project.open(address+"/", ""), "/enter/"+string(project.ID))
	})
	visitor.visit(address + "/")
	visitor.until("the sign-in", `location.pathname === '/login'`)
	p.visit(address + "/")
	p.sees("Hello, world")
	p.until("the site", `location.host === `+quoted(slug+"."+s.host))

	again := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	again.press("button", "Publish")
	again.sees("Visits: 1 · Page views: 2")
	again.sees("search.example")
	for _, shape := range shapes {
		again.show(shape.width, shape.height, shape.scheme)
		again.snapshot("visits " + shape.name)
	}
}
