package browser

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// publishOpenData publishes data that everybody may delete, which a person has to say yes to.
func publishOpenData(t *testing.T, c *chromium, s *service) {
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	project.save("backend/schema.json", strings.Replace(guestbookSchema, `"deleteRule": "@request.auth.id != '' && author = @request.auth.id"`, `"deleteRule": ""`, 1))
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID)+"?pane=publish")
	p.fill("Address", "s"+string(project.ID))
	p.publishes()
	p.sees("Strangers could do more with your data than they should.")
	p.pardon(http.StatusConflict)
	p.looks("publish open data", axe)
	p.press("button", "Publish anyway")
	p.sees("Published")
	p.misses("Strangers could do more")
	p.wantQuiet()
}

// confirmAddress follows the link of a mail to a user of the test data.
func confirmAddress(t *testing.T, c *chromium, s *service) {
	project := s.signUp(t).create("static-html")
	project.save("backend/seed.json", guestbookSeed)
	project.save("backend/schema.json", guestbookSchema)
	origin := project.preview()
	users := origin + "/_data/collections/users/"
	project.askData(http.MethodPost, users+"request-verification", `{"email": "grace@example.com"}`, nil)
	p := c.open(t)
	p.visit(origin + project.confirmLink(p))
	p.wantHeading("Confirm your address")
	p.click("button")
	p.sees("Your address is confirmed.")
	var session struct{ Record struct{ Verified bool } }
	project.askData(http.MethodPost, users+"auth-with-password", `{"identity": "grace@example.com", "password": "long enough"}`, &session)
	if !session.Record.Verified {
		t.Error("the address is not confirmed after the page said so")
	}
	p.visit(origin + "/_data/@confirm/password#nonsense")
	p.sees("This link is not valid")
	p.wantQuiet()
}

var linkPattern = regexp.MustCompile(`/_data/@confirm/\S+`)

// confirmLink waits for a mail to a user of the test data, and returns its link.
func (p *project) confirmLink(tab *tab) (link string) {
	p.t.Helper()
	tab.wait("the mail", func() bool {
		var mails struct{ Items []core.TestMail }
		p.call(http.StatusOK, http.MethodGet, p.path("/backend/test/mails"), nil, &mails)
		if len(mails.Items) > 0 {
			link = linkPattern.FindString(mails.Items[0].Text)
		}
		return link != ""
	})
	return link
}
