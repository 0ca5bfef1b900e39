package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// aTabFollowsThePreview opens a preview in tabs of their own, signs an end user in, and lets somebody
// join and leave. The tab of a member goes to the next host by itself, with its path and the end user.
// Removed members and people with only a link do not get there, and no fragment leads or signs
// anybody in elsewhere.
func aTabFollowsThePreview(t *testing.T, c *chromium, s *service) {
	ada, bob := s.signUp(t), s.signUp(t)
	project := ada.visited()
	first := project.preview()
	p := c.enterAs(t, ada, "/dashboard")
	p.visit(first + "/notes?page=2#third")
	p.wantHeading("nobody")
	p.click("#in")
	p.wantHeading("grace@example.com")

	ada.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(ada.workspace)+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	second := project.preview()
	p.until("the next host", `location.href === `+quoted(second+"/notes?page=2#third"))
	p.wantHeading("grace@example.com")

	var me struct{ User core.User }
	bob.call(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	q := c.enterAs(t, bob, "/dashboard")
	q.visit(second)
	q.wantHeading("nobody")
	ada.call(http.StatusNoContent, http.MethodDelete, "/workspaces/"+string(ada.workspace)+"/members/"+string(me.User.ID), nil, nil)
	third := project.preview()
	p.until("the host after that", `location.href === `+quoted(third+"/notes?page=2#third"))
	p.wantHeading("grace@example.com")
	q.until("the studio", `location.pathname === '/enter/`+string(project.ID)+`' && location.hash === ''`)
	q.sees("This page doesn’t exist")
	if at := evaluate[string](q, `location.href + document.documentElement.outerHTML`); strings.Contains(at, strings.TrimPrefix(third, "http://")) {
		t.Errorf("got the next address in the page of a removed member")
	}

	// A link with a fragment leads to the preview alone, and signs nobody in.
	planted := "#code=x&path=" + "https%3A%2F%2Fevil.example%2F" + "&user=" + `%7B%22token%22%3A%22x%22%7D`
	r := c.enterAs(t, ada, "/enter/"+string(project.ID)+"?preview"+planted)
	r.until("the preview", `location.href === `+quoted(third+"/"))
	r.wantHeading("nobody")
	r.visit(third + "/?again#atelier-arrival&code=x&user=planted&hash=%23there")
	r.until("the page without the fragment", `location.hash === '#there'`)
	if got := evaluate[bool](r, `localStorage.getItem('pocketbase_auth') === null`); !got {
		t.Error("a link has signed an end user in")
	}
}
