package cluster

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// The files of a project whose members read notes, and a function that says who asks.
const (
	membersSchema = `{"collections":[
		{"name":"users","type":"auth","createRule":""},
		{"name":"notes","listRule":"@request.auth.id != ''","fields":[{"name":"text","type":"text"}]}]}`
	whoFunction = `export default async (req, ctx) => Response.json({ id: ctx.user ? ctx.user.id : "" });`
	usersPath   = "/_data/collections/users"
	noMembers   = "no-such-member@example.com"
)

// TestMembersAreTheSameThroughEveryProcess has people sign in at processes that have the data, and
// at others, which forward to those.
func TestMembersAreTheSameThroughEveryProcess(t *testing.T) {
	c := prepare(t)
	c.env = append(c.env, "TRUSTED_PROXIES=127.0.0.0/8")
	serves, _ := c.servePeers(3)
	b := c.board(membersSchema)
	b.create(core.MustPath("functions/who.ts"), whoFunction)
	b.publish()
	t.Run("every request is once in the log, with its member", func(t *testing.T) { b.isLogged(t, serves) })
	t.Run("attempts to sign in count by the visitor's address", func(t *testing.T) { b.countsVisitors(t, serves) })
}

// member is an end user who has signed in.
type member struct{ id, token string }

// join makes an account through a process, and signs in through another.
func (b *board) join(t *testing.T, at, through *process.Service) member {
	t.Helper()
	name := "m" + strings.ReplaceAll(string(core.NewID()), "-", "") + "@example.com"
	status, answer := b.ask(at, b.site(at, usersPath+"/records"), toJSON(t, map[string]string{"email": name, "password": "long enough", "passwordConfirm": "long enough"}), "")
	if status != http.StatusOK {
		t.Fatalf("an account: got %d %s", status, answer)
	}
	status, answer = b.ask(through, b.site(through, usersPath+"/auth-with-password"), toJSON(t, map[string]string{"identity": name, "password": "long enough"}), "")
	var signedIn struct {
		Token  string
		Record struct{ ID string }
	}
	if err := json.Unmarshal(answer, &signedIn); status != http.StatusOK || err != nil {
		t.Fatalf("a sign-in: got %d %s", status, answer)
	}
	return member{signedIn.Record.ID, signedIn.Token}
}

// isLogged sends requests that are told apart by their perPage.
func (b *board) isLogged(t *testing.T, serves []*process.Service) {
	want := map[string]string{}
	for i, at := range serves {
		who := b.join(t, at, serves[(i+1)%len(serves)])
		for n, asker := range []member{who, {}} {
			query := fmt.Sprintf("%s?perPage=%d", notesPath, 100+10*i+n)
			if status, answer := b.ask(at, b.site(at, query), "", asker.token); status != http.StatusOK {
				t.Errorf("process %d: the notes answered %d %s", i, status, answer)
			}
			want[query] = ""
			if asker.id != "" {
				want[query] = "users/" + asker.id
			}
		}
		call := fmt.Sprintf("/_fn/who/%d", i)
		status, answer := b.ask(at, b.site(at, call), "", who.token)
		if status != http.StatusOK || !strings.Contains(string(answer), who.id) {
			t.Errorf("process %d: the function answered %d %s, want the member %s", i, status, answer, who.id)
		}
		want[call] = "users/" + who.id
	}
	var found map[string][]string
	wait(t, "all requests in the log", func() bool {
		found = b.logged(t, serves[0])
		for path := range want {
			if len(found[path]) == 0 {
				return false
			}
		}
		return true
	})
	for path, user := range want {
		if got := found[path]; len(got) != 1 || got[0] != user {
			t.Errorf("%s: got the users %q in the log, want %q once", path, got, user)
		}
	}
}

// logged returns the users of the calls in the log of live data, by their paths.
func (b *board) logged(t *testing.T, at *process.Service) map[string][]string {
	t.Helper()
	var list struct {
		Items []struct{ Path, User string }
	}
	b.who.call(at, http.StatusOK, http.MethodGet, "/projects/"+string(b.who.project)+"/backend/live/logs?limit=100", "", &list)
	found := map[string][]string{}
	for _, call := range list.Items {
		found[call.Path] = append(found[call.Path], call.User)
	}
	return found
}

// countsVisitors guesses passwords from an address through all processes until it is refused
// everywhere. Others are not, through any.
func (b *board) countsVisitors(t *testing.T, serves []*process.Service) {
	wait(t, "the end of one visitor's attempts", func() bool {
		for _, at := range serves {
			if b.guess(t, at, "203.0.113.7") != http.StatusTooManyRequests {
				return false
			}
		}
		return true
	})
	for i, at := range serves {
		if status := b.guess(t, at, fmt.Sprintf("203.0.113.%d", 20+i)); status != http.StatusBadRequest {
			t.Errorf("process %d: got %d for another visitor, want 400", i, status)
		}
	}
}

// guess tries to sign in with a wrong password from an address.
func (b *board) guess(t *testing.T, at *process.Service, from string) int {
	t.Helper()
	body := toJSON(t, map[string]string{"identity": noMembers, "password": "a wrong one"})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.site(at, usersPath+"/auth-with-password"), strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	b.aim(r, at)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from)
	answer, err := b.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode
}
