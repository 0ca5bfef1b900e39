package people_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/ports/conformance"
)

// membersSite is a published site that only members of the workspace see.
func (a account) membersSite() (work *storytest.Work, address string) {
	a.T.Helper()
	work = a.Create(storytest.Template)
	var published struct{ URL string }
	a.Must(http.StatusOK, http.MethodPost, work.Path("/publish"), map[string]any{}, &published)
	a.Must(http.StatusOK, http.MethodPatch, work.Path("/site"), map[string]any{"access": "workspace"}, nil)
	return work, published.URL
}

// pass returns the address that leads a member into a site.
func pass(c *storytest.Caller, work *storytest.Work) string {
	c.T.Helper()
	var made struct{ URL string }
	c.Must(http.StatusOK, http.MethodPost, work.Path("/site/pass"), nil, &made)
	return made.URL
}

// enter exchanges a pass for a cookie, "" if it is worth nothing.
func enter(s *storytest.Site, address string) string {
	s.T.Helper()
	cookie, _, _ := strings.Cut(s.Fetch(address).Header.Get("Set-Cookie"), ";")
	return cookie
}

// wantSeen fetches a site with a cookie until the status is the one wanted. What is remembered of a
// site and of a session together is younger than ten seconds (siteAge and standingTTL).
func wantSeen(s *storytest.Site, what, address, cookie string, want int) {
	s.T.Helper()
	var got storytest.Answer
	if !conformance.Becomes(func() bool {
		got = (&storytest.Caller{Site: s}).Do(http.MethodGet, address, nil, "Cookie", cookie)
		return got.Status == want
	}) {
		s.T.Errorf("%s: got %d, want %d", what, got.Status, want)
	}
}

func TestAVisitOfAMembersSiteEndsWithWhatItBeganWith(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			a := account{Caller: program.Serve(t).SignUp()}
			work, site := a.membersSite()
			lost := a.withAgent(firefox)
			var token struct{ ID, Token string }
			a.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "robot", "scopes": []string{"projects:read"}}, &token)
			own, others := enter(a.Site, pass(a.Caller, work)), enter(a.Site, pass(lost.Caller, work))
			robots := enter(a.Site, pass(&storytest.Caller{Site: a.Site, Token: token.Token}, work))
			late := pass(lost.Caller, work)
			for what, cookie := range map[string]string{"the own session": own, "the other session": others, "the API token": robots} {
				wantSeen(a.Site, what, site, cookie, http.StatusOK)
			}

			a.Must(http.StatusNoContent, http.MethodDelete, "/auth/sessions/"+string(a.sessions()[1].ID), nil, nil)
			a.Must(http.StatusNoContent, http.MethodDelete, "/auth/api-tokens/"+token.ID, nil, nil)
			wantSeen(a.Site, "a session that was ended", site, others, http.StatusUnauthorized)
			wantSeen(a.Site, "an API token that was deleted", site, robots, http.StatusUnauthorized)
			wantSeen(a.Site, "a pass of a session that was ended", site, enter(a.Site, late), http.StatusUnauthorized)
			wantSeen(a.Site, "the session that goes on", site, own, http.StatusOK)

			left := pass(a.Caller, work)
			a.Must(http.StatusNoContent, http.MethodPost, "/auth/logout-all", nil, nil)
			wantSeen(a.Site, "signed out everywhere", site, own, http.StatusUnauthorized)
			wantSeen(a.Site, "a pass from before that", site, enter(a.Site, left), http.StatusUnauthorized)
		})
	}
}
