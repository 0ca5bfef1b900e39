package peers

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// teammate is the access token of another member of the workspace, who comes into it when
// they are first asked for.
func (s *studio) teammate(n int) string {
	s.b.Helper()
	for len(s.team) <= n {
		email := fmt.Sprintf("teammate%d@example.com", len(s.team))
		s.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(s.workspace)+"/invites", map[string]string{"email": email, "role": string(core.RoleMember)}, nil)
		other := *s
		var answer struct{ AccessToken string }
		s.call(http.StatusCreated, http.MethodPost, "/auth/signup", map[string]string{"email": email, "password": "long enough"}, &answer)
		other.token = answer.AccessToken
		other.call(http.StatusOK, http.MethodPost, "/invites/"+s.invitation(email)+"/accept", map[string]string{}, nil)
		s.team = append(s.team, answer.AccessToken)
	}
	return s.team[n]
}

var invitationLink = regexp.MustCompile(`/invites/([A-Za-z0-9_-]+)`)

// invitation waits for the mail to an address, and returns the end of its link.
func (s *studio) invitation(email string) string {
	s.b.Helper()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		mails, err := filepath.Glob(filepath.Join(s.Dir, "outbox", "*"))
		if err != nil {
			s.b.Fatal(err)
		}
		for _, mail := range mails {
			text, _ := os.ReadFile(mail)
			if link := invitationLink.FindSubmatch(text); link != nil && strings.Contains(string(text), email) {
				return string(link[1])
			}
		}
	}
	s.b.Fatalf("got no mail to %s", email)
	return ""
}
