package people_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
)

// prove lets an account count as one that has proven its address.
func prove(c *storytest.Caller) {
	c.T.Helper()
	_, err := c.App.Store.Tables().Users.Update(c.T.Context(), c.User.ID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		c.T.Fatal(err)
	}
}

// inviteStranger invites the n-th stranger into the caller's workspace.
func inviteStranger(c *storytest.Caller, n int) storytest.Answer {
	c.T.Helper()
	body := map[string]any{"email": fmt.Sprintf("stranger%d@example.com", n), "role": "member"}
	return c.Do(http.MethodPost, "/workspaces/"+string(c.Workspace)+"/invites", body)
}

func TestTheServiceIsNoRelayForMails(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			sent := 0
			for n := range 30 {
				switch got := inviteStranger(c, n); got.Status {
				case http.StatusCreated:
					sent++
				case http.StatusTooManyRequests:
					if wait, _ := strconv.Atoi(got.Header.Get("Retry-After")); wait <= 0 || wait > 24*3600 || got.Code() != core.CodeRateLimited {
						t.Fatalf("got %s, Retry-After %d, want %s for the rest of the day", got.Body, wait, core.CodeRateLimited)
					}
				default:
					t.Fatalf("got %d %s", got.Status, got.Body)
				}
			}
			if sent != mailer.MaxDailyUnproven {
				t.Errorf("got %d mails of an account whose address nobody proved, want %d", sent, mailer.MaxDailyUnproven)
			}
			other := c.InWorkspace(c.Found("Another"))
			if got := inviteStranger(other, 0); got.Status != http.StatusTooManyRequests {
				t.Errorf("from another workspace: got %d, want 429", got.Status)
			}
			prove(c)
			if got := inviteStranger(c, 100); got.Status != http.StatusCreated {
				t.Errorf("once the address is proven: got %d %s, want 201", got.Status, got.Body)
			}
		})
	}
}

func TestMailsToStrangersCarryNoWordingOfOnesOwn(t *testing.T) {
	s := storytest.Programs()["inmemory"].Serve(t)
	c := s.SignUp()
	word := func(name, workspace string) {
		c.Must(http.StatusOK, http.MethodPatch, "/auth/me", map[string]string{"displayName": name}, nil)
		c.Must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(c.Workspace), map[string]string{"name": workspace}, nil)
	}
	last := 0
	mailed := func() string {
		last++
		if got := inviteStranger(c, last); got.Status != http.StatusCreated {
			t.Fatalf("got %d %s", got.Status, got.Body)
		}
		message := mails(s, fmt.Sprintf("stranger%d@example.com", last), 1)[0]
		return message.Subject + message.Text + message.HTML
	}
	word("Cheap watches", "Buy them today")
	if text := mailed(); strings.Contains(text, "watches") || strings.Contains(text, "today") || strings.Contains(text, c.User.Email) || !strings.Contains(text, "Someone has invited you") {
		t.Errorf("unproven: got %s, want nothing of their own wording", text)
	}
	prove(c)
	word("Ada Lovelace", "St. John's v2.0 Team")
	if text := mailed(); !strings.Contains(text, "Ada Lovelace has invited you") || strings.Contains(text, "v2.0") {
		t.Errorf("proven: got %s, want the name, and no name that looks like an address", text)
	}
	word("Ada", "St. John & Co.")
	if text := mailed(); !strings.Contains(text, `St. John & Co.`) {
		t.Errorf("got %s, want a harmless name with dots", text)
	}
	for _, address := range []string{"https://evil.example", "evil.example", "Visit evil。example now", "www evil", "mail@evil", "evil/x"} {
		word(address, address)
		if text := mailed(); strings.Contains(text, address) || !strings.Contains(text, c.User.Email+" has invited you") {
			t.Errorf("%s: got %s, want it left out", address, text)
		}
	}
}
