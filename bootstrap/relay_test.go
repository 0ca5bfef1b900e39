package bootstrap_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/mailer"
)

// prove lets an account count as one that has proven its address.
func (c *caller) prove() {
	c.t.Helper()
	_, err := c.app.Store.Tables().Users.Update(c.t.Context(), c.user.ID, func(user *core.User) error {
		user.EmailVerified = true
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// inviteStranger invites the n-th stranger into the caller's workspace.
func (c *caller) inviteStranger(n int) answer {
	c.t.Helper()
	body := map[string]any{"email": fmt.Sprintf("stranger%d@example.com", n), "role": "member"}
	return c.do(http.MethodPost, "/workspaces/"+string(c.workspace)+"/invites", body)
}

func TestTheServiceIsNoRelayForMails(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			sent := 0
			for n := range 30 {
				switch got := c.inviteStranger(n); got.status {
				case http.StatusCreated:
					sent++
				case http.StatusTooManyRequests:
					if wait, _ := strconv.Atoi(got.header.Get("Retry-After")); wait <= 0 || wait > 24*3600 || got.code() != core.CodeRateLimited {
						t.Fatalf("got %s, Retry-After %d, want %s for the rest of the day", got.body, wait, core.CodeRateLimited)
					}
				default:
					t.Fatalf("got %d %s", got.status, got.body)
				}
			}
			if sent != mailer.MaxDailyUnproven {
				t.Errorf("got %d mails of an account whose address nobody proved, want %d", sent, mailer.MaxDailyUnproven)
			}
			other := c.inWorkspace(c.found("Another"))
			if got := other.inviteStranger(0); got.status != http.StatusTooManyRequests {
				t.Errorf("from another workspace: got %d, want 429", got.status)
			}
			c.prove()
			if got := c.inviteStranger(100); got.status != http.StatusCreated {
				t.Errorf("once the address is proven: got %d %s, want 201", got.status, got.body)
			}
		})
	}
}

func TestMailsToStrangersCarryNoWordingOfOnesOwn(t *testing.T) {
	s := programs()["inmemory"].serve(t)
	c := s.signUp()
	word := func(name, workspace string) {
		c.must(http.StatusOK, http.MethodPatch, "/auth/me", map[string]string{"displayName": name}, nil)
		c.must(http.StatusOK, http.MethodPatch, "/workspaces/"+string(c.workspace), map[string]string{"name": workspace}, nil)
	}
	last := 0
	mailed := func() string {
		last++
		if got := c.inviteStranger(last); got.status != http.StatusCreated {
			t.Fatalf("got %d %s", got.status, got.body)
		}
		message := s.mails(fmt.Sprintf("stranger%d@example.com", last), 1)[0]
		return message.Subject + message.Text + message.HTML
	}
	word("Cheap watches", "Buy them today")
	if text := mailed(); strings.Contains(text, "watches") || strings.Contains(text, "today") || strings.Contains(text, c.user.Email) || !strings.Contains(text, "Somebody invites you") {
		t.Errorf("unproven: got %s, want nothing of their own wording", text)
	}
	c.prove()
	word("Ada Lovelace", "St. John's v2.0 Team")
	if text := mailed(); !strings.Contains(text, "Ada Lovelace invites you") || strings.Contains(text, "v2.0") {
		t.Errorf("proven: got %s, want the name, and no name that looks like an address", text)
	}
	word("Ada", "St. John & Co.")
	if text := mailed(); !strings.Contains(text, `St. John & Co.`) {
		t.Errorf("got %s, want a harmless name with dots", text)
	}
	for _, address := range []string{"https://evil.example", "evil.example", "Visit evil。example now", "www evil", "mail@evil", "evil/x"} {
		word(address, address)
		if text := mailed(); strings.Contains(text, address) || !strings.Contains(text, c.user.Email+" invites you") {
			t.Errorf("%s: got %s, want it left out", address, text)
		}
	}
}
