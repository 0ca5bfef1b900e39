package people_test

import (
	"bufio"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/ports/conformance"
)

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"

// withAgent opens another session of the account with a program that names itself.
func (a account) withAgent(agent string) account {
	a.T.Helper()
	var session struct{ AccessToken, RefreshToken string }
	got := (&storytest.Caller{Site: a.Site}).Do(http.MethodPost, "/auth/login", map[string]string{"email": a.User.Email, "password": "long enough"}, "User-Agent", agent)
	if err := json.Unmarshal(got.Body, &session); err != nil || got.Status != http.StatusOK {
		a.T.Fatalf("login: got %d %s %v", got.Status, got.Body, err)
	}
	other := a
	other.Caller = &storytest.Caller{Site: a.Site, Token: session.AccessToken, User: a.User}
	other.refresh = session.RefreshToken
	return other
}

func (a account) sessions() []accounts.OpenSession {
	a.T.Helper()
	var listed struct{ Items []accounts.OpenSession }
	a.Must(http.StatusOK, http.MethodGet, "/auth/sessions", nil, &listed)
	return listed.Items
}

func TestPeopleSeeAndEndTheirSessions(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			a := newAccount(program.Serve(t))
			lost := a.withAgent(firefox)
			stranger := newAccount(a.Site)

			listed := a.sessions()
			if len(listed) != 2 || !listed[0].Current || listed[1].Current {
				t.Fatalf("got %+v, want this session and the other", listed)
			}
			other := listed[1]
			if other.Device != "Firefox on Windows" || other.Address == "" || other.LastSeenAt == 0 || other.ExpiresAt <= other.CreatedAt {
				t.Errorf("got %+v, want the device, the address and the times", other)
			}
			path := "/auth/sessions/" + string(other.ID)
			stranger.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, path, nil)
			a.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, "/auth/sessions/nonsense", nil)

			a.Must(http.StatusNoContent, http.MethodDelete, path, nil, nil)
			lost.wantOver("a session that was ended")
			a.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, path, nil)
			if left := a.sessions(); len(left) != 1 || !left[0].Current {
				t.Errorf("got %+v, want only this session", left)
			}
			var log struct {
				Items []struct{ Action core.AuditAction }
			}
			a.Must(http.StatusOK, http.MethodGet, "/auth/me/audit", nil, &log)
			if len(log.Items) == 0 || log.Items[0].Action != core.AuditSessionEnded {
				t.Errorf("got %+v in the log, want the end of the session", log.Items)
			}
			a.Must(http.StatusNoContent, http.MethodDelete, "/auth/sessions/"+string(a.sessions()[0].ID), nil, nil)
			a.wantOver("the own session")
		})
	}
}

func TestAnEndedSessionsStreamsEndWithin10Seconds(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := account{Caller: program.Serve(t).SignUp()}
			work := a.Create(storytest.Template)
			lost := a.withAgent(firefox)
			ctx := conformance.Bounded(t)
			stream := lost.Open(ctx, http.MethodGet, "/projects/"+string(work.ID)+"/preview/events", nil)
			defer stream.Body.Close()
			lines := bufio.NewScanner(stream.Body)
			if !lines.Scan() || !strings.HasPrefix(lines.Text(), ":") {
				t.Fatalf("got %d %q, want an open stream", stream.StatusCode, lines.Text())
			}
			a.Must(http.StatusNoContent, http.MethodDelete, "/auth/sessions/"+string(a.sessions()[1].ID), nil, nil)
			for lines.Scan() {
				// What was on its way still arrives.
			}
			if ctx.Err() != nil {
				t.Error("the stream goes on after its session was ended")
			}
		})
	}
}
