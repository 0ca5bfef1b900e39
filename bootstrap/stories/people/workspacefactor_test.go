package people_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// strictTeam is a workspace of an owner with a second factor and a member without one, with a project.
type strictTeam struct {
	owner, member *keeper
	space         string
	work          *storytest.Work
}

func newStrictTeam(s *storytest.Site) *strictTeam {
	s.T.Helper()
	// The first account is an admin of the installation, who resets factors.
	team := &strictTeam{owner: verifiedKeeper(s), member: verifiedKeeper(s)}
	id := team.owner.Found("Team")
	team.owner.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(id)+"/invites", storytest.Fields{"email": team.member.User.Email, "role": "admin"}, nil)
	var invites struct{ Items []struct{ ID core.ID } }
	team.member.Must(http.StatusOK, http.MethodGet, "/users/me/invites", nil, &invites)
	team.member.Must(http.StatusOK, http.MethodPost, "/users/me/invites/"+string(invites.Items[0].ID)+"/accept", nil, nil)
	team.space = "/workspaces/" + string(id)
	team.work = team.owner.InWorkspace(id).Create("static-html")
	return team
}

func (t *strictTeam) require(by *storytest.Caller, required bool) storytest.Answer {
	return by.Do(http.MethodPatch, t.space, storytest.Fields{"requireMfa": required})
}

// secured are the members who have a second factor, as somebody is told.
func (t *strictTeam) secured(by *storytest.Caller) map[string]*bool {
	by.T.Helper()
	var list struct{ Items []core.Member }
	by.Must(http.StatusOK, http.MethodGet, t.space+"/members", nil, &list)
	told := map[string]*bool{}
	for _, member := range list.Items {
		told[member.Email] = member.SecondFactor
	}
	return told
}

// wantShutOut checks that somebody sees the workspace in lists, and nothing of it.
func (t *strictTeam) wantShutOut(k *keeper) {
	k.T.Helper()
	for _, path := range []string{t.space, t.space + "/members", t.space + "/projects", t.work.Path(""), t.work.Path("/files"), "/projects?workspaceId=" + strings.TrimPrefix(t.space, "/workspaces/")} {
		k.Refused(http.StatusForbidden, core.CodeMFASetupRequired, http.MethodGet, path, nil)
	}
	k.Refused(http.StatusForbidden, core.CodeMFASetupRequired, http.MethodPost, t.work.Path("/preview"), nil)
	var spaces struct{ Items []core.Workspace }
	k.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, &spaces)
	if len(spaces.Items) != 2 || spaces.Items[0].RequireMFA || !spaces.Items[1].RequireMFA {
		k.T.Errorf("got %+v, want both workspaces", spaces.Items)
	}
	if found := k.ProjectIDs(); len(found) != 0 {
		k.T.Errorf("got the projects %v, want none", found)
	}
}

// TestAWorkspaceRequiresSecondFactors has a member who lacks one, sets it up, and loses it.
func TestAWorkspaceRequiresSecondFactors(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			team := newStrictTeam(s)
			owner, member := team.owner, team.member
			robot := robot(member.Caller, "projects:read", "files:read")
			wantRefused(t, "an owner without one", team.require(owner.Caller, true), http.StatusConflict, core.CodeConflict)
			owner.turnOn("")
			wantRefused(t, "an admin without one", team.require(member.Caller, true), http.StatusConflict, core.CodeConflict)
			old := team.work.Preview(member.Caller)
			if got := team.require(owner.Caller, true); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want it required", got.Status, got.Body)
			}

			team.wantShutOut(member)
			if got := s.Fetch(old + "/"); got.Status != http.StatusNotFound {
				t.Errorf("got %d, want the old address of the preview dead", got.Status)
			}
			if told := team.secured(owner.Caller); !*told[owner.User.Email] || *told[member.User.Email] {
				t.Errorf("got %v, want who has a second factor", told)
			}
			robot.Must(http.StatusOK, http.MethodGet, team.work.Path(""), nil, nil)
			if found := robot.ProjectIDs(); len(found) != 1 {
				t.Errorf("got the projects %v by the token, want that of the workspace", found)
			}
			member.Refused(http.StatusForbidden, core.CodeMFASetupRequired, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "x", "scopes": []string{"chat"}})
			member.Must(http.StatusCreated, http.MethodPost, "/workspaces", storytest.Fields{"name": "x"}, nil)
			wantRefused(t, "an owner who turns theirs off", owner.Do(http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"password": "long enough"}), http.StatusConflict, core.CodeConflict)
			if log := auditAt(owner.Caller, team.space+"/audit", "50"); log[0].Action != core.AuditWorkspaceUpdated || log[0].Target != "requireMfa: true" {
				t.Errorf("got %+v, want it in the log of the workspace", log[0])
			}

			member.turnOn("")
			member.Must(http.StatusOK, http.MethodGet, team.work.Path(""), nil, nil)
			shown := team.work.Preview(member.Caller)
			owner.Must(http.StatusNoContent, http.MethodPost, "/admin/users/"+string(member.User.ID)+"/reset-mfa", nil, nil)
			member.Refused(http.StatusForbidden, core.CodeMFASetupRequired, http.MethodGet, team.work.Path(""), nil)
			if got := s.Fetch(shown + "/"); got.Status != http.StatusNotFound {
				t.Errorf("got %d, want the address of the preview dead after the reset", got.Status)
			}
			if got := team.require(owner.Caller, false); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want it required no more", got.Status, got.Body)
			}
			member.Must(http.StatusOK, http.MethodGet, team.work.Path(""), nil, nil)
			owner.Must(http.StatusNoContent, http.MethodDelete, "/auth/mfa/totp", storytest.Fields{"password": "long enough"}, nil)
		})
	}
}

// TestWhatIsOpenEndsWithoutTheRequiredFactor has streams, a socket, a run and a members' site open.
func TestWhatIsOpenEndsWithoutTheRequiredFactor(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			team := newStrictTeam(s)
			owner, member, work := team.owner, team.member, team.work
			owner.turnOn("")
			follows := "/projects/" + string(work.ID) + "/preview/events"
			var published struct{ URL string }
			owner.Must(http.StatusOK, http.MethodPost, work.Path("/publish"), map[string]any{}, &published)
			owner.Must(http.StatusOK, http.MethodPatch, work.Path("/site"), map[string]any{"access": "workspace"}, nil)
			inSite, ownersSite := enter(s, pass(member.Caller, work)), enter(s, pass(owner.Caller, work))
			wantSeen(s, "the site before", published.URL, inSite, http.StatusOK)
			watched := stream(member.Caller, follows)
			socket := dialRoom(t, member.Caller, work)
			open := map[string]*websocket.Conn{"the owner's": dialRoom(t, owner.Caller, work), "the token's": dialRoom(t, robot(member.Caller, "files:read"), work)}
			for _, conn := range open {
				go readOn(t.Context(), conn)
			}

			if got := team.require(owner.Caller, true); got.Status != http.StatusOK {
				t.Fatalf("got %d %s, want it required", got.Status, got.Body)
			}
			wantEnded(t, "the events of the preview", watched)
			if code := closeOf(t, socket); code != 4403 {
				t.Errorf("got the socket closed with %d, want 4403", code)
			}
			member.Refused(http.StatusForbidden, core.CodeMFASetupRequired, http.MethodGet, follows, nil)
			wantSeen(s, "the site of the workspace", published.URL, inSite, http.StatusUnauthorized)
			wantSeen(s, "the site for the owner", published.URL, ownersSite, http.StatusOK)
			for who, conn := range open {
				if err := conn.Ping(t.Context()); err != nil {
					t.Errorf("%s socket: got %v, want it open", who, err)
				}
			}
		})
	}
}

// readOn reads a socket to its end, as pages do: only who reads answers the service's pings.
func readOn(ctx context.Context, conn *websocket.Conn) {
	for {
		if _, _, err := conn.Read(ctx); err != nil {
			return
		}
	}
}

// dialRoom opens a socket into a project's room.
func dialRoom(t *testing.T, c *storytest.Caller, work *storytest.Work) *websocket.Conn {
	t.Helper()
	address := strings.Replace(c.URL, "http", "ws", 1) + "/ws/project/" + string(work.ID)
	socket, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{
		HTTPClient: c.Client, HTTPHeader: http.Header{"Authorization": {"Bearer " + c.Token}}, Subprotocols: []string{"atelier.v1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.CloseNow() })
	return socket
}

// closeOf returns the code with which a socket is closed.
func closeOf(t *testing.T, socket *websocket.Conn) websocket.StatusCode {
	t.Helper()
	ctx := conformance.Bounded(t)
	for {
		if _, _, err := socket.Read(ctx); err != nil {
			return websocket.CloseStatus(err)
		}
	}
}
