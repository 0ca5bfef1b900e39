package attacks_test

import (
	"net/http"
	"net/url"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// asksConsent is the query with which a program, which registers, sends a person.
func (s *stage) asksConsent() string {
	s.T.Helper()
	const back = "http://127.0.0.1/"
	var client struct {
		ID string `json:"client_id"`
	}
	s.owner.Must(http.StatusCreated, http.MethodPost, "/oauth/register", storytest.Fields{"client_name": "x", "redirect_uris": []string{back}}, &client)
	return "?" + url.Values{
		"response_type": {"code"}, "client_id": {client.ID}, "redirect_uri": {back}, "code_challenge_method": {"S256"},
		"code_challenge": {"E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "resource": {s.owner.URL + "/mcp"},
	}.Encode()
}

// newProgram is a program that by has connected.
func (s *stage) newProgram(by *player) string {
	s.T.Helper()
	by.Must(http.StatusOK, http.MethodPost, "/oauth/consent"+s.asksConsent(), storytest.Fields{"allow": true, "scopes": []string{"chat"}}, nil)
	grants, err := s.App.Store.Tables().ProgramGrants.List(s.T.Context(), by.User.ID)
	if err != nil || len(grants) == 0 {
		s.T.Fatalf("got %d programs, %v, want one", len(grants), err)
	}
	return string(grants[len(grants)-1].ID)
}
