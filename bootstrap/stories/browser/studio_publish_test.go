package browser

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/acme/pebble"
	"github.com/atelierhq/atelier/core"
)

func publishStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"a change of the data that waits is decided at publish": aPlanWaitsForAPublish,
		"a project is published, changed and rolled back":       publishAndRollBack,
		"what keeps a project from being published is shown":    publishWhatIsBroken,
		"a domain is added, looked for and removed":             addADomain,
		"of several domains one is made primary":                makeADomainPrimary,
		"an environment value gets into the pages":              setAValue,
		"a site says its title, and asks who comes":             describeAndProtect,
	}
}

// site returns what the site at an address shows.
func (p *project) site(address string) (status int, page string) {
	p.t.Helper()
	response, err := p.http.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

// wantSite waits until the site shows a text.
func (p *tab) wantSite(project *project, address, text string) {
	p.t.Helper()
	p.wait("the site with "+text, func() bool {
		status, page := project.site(address)
		return status == http.StatusOK && strings.Contains(page, text)
	})
}

// submitSite presses the button of the site's own form, which has a name that the
// pane's button has as well.
func (p *tab) submitSite(name string) {
	p.t.Helper()
	p.until("the button "+name, fmt.Sprintf(`document.querySelector('.site__form [type=submit]:not([disabled])')?.textContent === %q`, name))
	p.publishes()
}

func publishAndRollBack(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	slug := "s" + string(project.ID)
	address := "http://" + slug + "." + s.host
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	p.sees("Not published")
	p.fill("Address", "Not A Slug!")
	p.sees("Use up to 63 lowercase letters")
	p.fill("Address", slug)
	p.submitSite("Publish")
	p.sees("Published. The build took")
	p.sees(address)
	p.sees("Up to date")
	p.sees("Your site is online")
	p.until("the address as a code", "document.querySelector('.site__new .qr')?.getAttribute('aria-label').startsWith('QR code: "+address+"') === true")
	p.wantSite(project, address, "<h1>Hello, world</h1>")

	project.alter("index.html", "Hello, world", "Something new")
	p.sees("Unpublished changes")
	p.submitSite("Publish changes")
	p.sees("Earlier")
	p.wantSite(project, address, "<h1>Something new</h1>")

	p.until("what was published, by its title", `(() => {
		const rows = [...document.querySelectorAll('.rows .row__main > div:first-child bdi')].map((e) => e.textContent);
		return rows.length === 2 && rows[0] !== rows[1] && rows[1].startsWith('Started from');
	})()`)
	p.press("button", "Roll back to this")
	p.sees("Roll back?")
	p.press("button", "Roll back to this")
	p.sees("Rolled back. The site shows the earlier version again.")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.wantFieldsFree(shape.name)
		p.snapshot("deployments " + shape.name)
	}
	p.show(1440, 900, "light")
	p.wantSite(project, address, "<h1>Hello, world</h1>")
	p.until("the mark", `[...document.querySelectorAll('.rows .badge')].some((e) => e.textContent === 'Rolled back')`)

	p.press("button", "Take offline")
	p.sees("Take the site offline?")
	p.press("button", "Take offline")
	p.sees("Not published")
	if status, _ := project.site(address); status != http.StatusNotFound {
		t.Errorf("got %d for a site that was taken offline, want 404", status)
	}
	p.wantQuiet()

	p.fill("Address", "admin")
	p.submitSite("Publish")
	p.sees("belongs to another site or is reserved")
}

// wantFieldsFree checks that no toast covers a field.
func (p *tab) wantFieldsFree(what string) {
	p.t.Helper()
	p.until(what+", no field below a toast", `(() => {
		const toasts = [...document.querySelectorAll('.toast')].map((e) => e.getBoundingClientRect());
		const fields = [...document.querySelectorAll('input, textarea, select')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 2);
		return fields.every((field) => {
			const a = field.getBoundingClientRect();
			return toasts.every((b) => !(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
		});
	})()`)
}

func publishWhatIsBroken(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	project.save("src/App.tsx", "export default () => <h1>Hello</h2>\n")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	p.fill("Address", "s"+string(project.ID))
	p.submitSite("Publish")
	p.sees("so nothing was published")
	p.sees("src/App.tsx:1:")
	p.press("button", "Fix with AI")
	p.sees("Publishing failed because the build failed.")
}

func addADomain(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	name := "shop-" + string(project.ID) + ".example.com"
	p.fill("Domain", name)
	p.press("button", "Add domain")
	p.sees("Waiting for DNS")
	p.sees("_atelier-verify." + name)
	p.sees("atelier-verify=")
	p.sees("CNAME")
	p.press("button", "Check now")
	p.until("what was found of each record", `[...document.querySelectorAll('.record__found')].length === 2 && [...document.querySelectorAll('.record__found')].every((e) => e.querySelector('svg') && e.textContent.length > 0)`)
	p.misses("point " + name + " to this service")
	p.misses("name servers of the top-level domain")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("domain " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Remove")
	p.sees("Remove " + name + "?")
	p.press("button", "Remove")
	p.misses("Waiting for DNS")
	p.wantQuiet()
	p.fill("Domain", "<img src=x>")
	p.press("button", "Add domain")
	p.until("what is wrong with it", `document.querySelector('.inline-form .field__error')?.textContent.length > 0`)
	var left struct{ Items []core.Domain }
	project.call(http.StatusOK, http.MethodGet, "/domains/project/"+string(project.ID), nil, &left)
	if len(left.Items) != 0 {
		t.Errorf("got %d domains, want none", len(left.Items))
	}
}

func makeADomainPrimary(t *testing.T, c *chromium, _ *service) {
	names := pebble.StartNames(t)
	s := startService(t, "localhost", map[string]string{"DNS_RESOLVER": names.Resolver})
	project := s.signUp(t).create("static-html")
	project.call(http.StatusOK, http.MethodPost, "/projects/"+string(project.ID)+"/publish", map[string]any{"slug": "shop"}, nil)
	names.SetAddress("shop.localhost", "127.0.0.1")
	for _, name := range []string{"shop.example.com", "www.example.com"} {
		var claim struct{ ID, TXTName, TXTValue string }
		project.call(http.StatusCreated, http.MethodPost, "/domains/project/"+string(project.ID), map[string]any{"domain": name}, &claim)
		names.SetTexts(claim.TXTName, claim.TXTValue)
		names.SetAddress(name, "127.0.0.1")
		project.call(http.StatusOK, http.MethodPost, "/domains/"+claim.ID+"/verify", nil, nil)
	}
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	badged := func(name string) string {
		return fmt.Sprintf(`[...document.querySelectorAll('.claim')].filter((e) => e.textContent.includes('Primary')).map((e) => e.getAttribute('aria-label')).join() === %q`, name)
	}
	p.until("the first domain primary", badged("shop.example.com"))
	p.sees("Visitors are redirected to shop.example.com.")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("domains " + shape.name)
	}
	p.show(1440, 900, "light")
	p.press("button", "Make primary")
	p.until("the second domain primary", badged("www.example.com"))
	p.sees("Visitors are redirected to www.example.com.")
	p.until("the site's new address", `[...document.querySelectorAll('a[href]')].some((e) => e.href.startsWith('http://www.example.com'))`)
	p.wantQuiet()
}

func setAValue(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("blank")
	project.save("src/App.tsx", "export default () => <h1>{import.meta.env.VITE_GREETING}</h1>\n")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Publish")
	p.sees("No variables yet.")
	p.fill("Key", "1st")
	p.sees("no digit at the start")
	p.fill("Key", "VITE_GREETING")
	p.fill("Value", "<b>Servus</b>")
	p.press("button", "Set value")
	p.sees("Public")
	p.misses("Servus")
	p.press("tab", "Preview")
	p.frame(project.preview()).until("the value in the page", `document.querySelector('h1')?.textContent === '<b>Servus</b>'`)
	p.press("button", "Publish")
	p.press("button", "Delete: VITE_GREETING")
	p.sees("Remove VITE_GREETING?")
	p.press("button", "Delete")
	p.sees("No variables yet.")
	p.wantQuiet()
}

// aPlanWaitsForAPublish publishes while a change of the schema waits for a person: the studio says so,
// and publishes after the person has decided.
func aPlanWaitsForAPublish(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	made := s.signUp(t).book()
	made.preview()
	made.save("backend/schema.json", guestbookHead+guestbookTail)
	p := c.enterAs(t, made.user, made.path("?pane=publish"))
	p.until("the form to publish", `document.querySelector('.site__form [type=submit]:not([disabled])') !== null`)
	p.fill("Address", "s"+string(made.ID))
	p.publishes()
	p.sees("Nothing was published: a data change is waiting for your decision.")
	p.sees("The field “likes” of “entries” is deleted")
	p.misses("The build failed")
	p.looks("publish waits", axe)
	p.show(1440, 900, "light")
	p.press("button", "Delete 2 values of test data and publish")
	p.sees("Published")
	p.misses("Nothing was published")
	p.pardon(http.StatusUnprocessableEntity)
	p.wantQuiet()
}
