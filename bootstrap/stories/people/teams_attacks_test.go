package people_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func TestAnInviteLinkIsWorthNothingToAnotherAccount(t *testing.T) {
	c := storytest.NewCompany(storytest.Serve(t, t.TempDir(), inmemory.New, nil))
	thief, guest := c.SignUp(), c.SignUp()
	c.Invite(c.Admin, guest.User.Email, core.RoleAdmin)
	accept := c.InviteLink(guest.User.Email, 1) + "/accept"
	got := thief.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, accept, nil)
	if strings.Contains(string(got.Body), guest.User.Email) {
		t.Errorf("got %s, want the address kept from the thief", got.Body)
	}
	thief.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, c.Space, nil)
	(&storytest.Caller{Site: c.Site}).Refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodPost, accept, nil)
	guest.Must(http.StatusOK, http.MethodPost, accept, nil, nil)
	guest.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, accept, nil)
}

func TestAnAdminCannotBecomeOwner(t *testing.T) {
	c := storytest.NewCompany(storytest.Serve(t, t.TempDir(), inmemory.New, nil))
	second := c.SignUp()
	for _, try := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPatch, memberPath(c, c.Admin), map[string]any{"role": "owner"}},
		{http.MethodPatch, memberPath(c, c.Member), map[string]any{"role": "owner"}},
		{http.MethodPatch, memberPath(c, c.Owner), map[string]any{"role": "member"}},
		{http.MethodDelete, memberPath(c, c.Owner), nil},
		{http.MethodPost, c.Space + "/transfer", map[string]any{"userId": c.Admin.User.ID}},
		{http.MethodPost, c.Space + "/invites", map[string]any{"email": second.User.Email, "role": "owner"}},
	} {
		c.Admin.Refused(http.StatusForbidden, core.CodeForbidden, try.method, try.path, try.body)
	}
	wantRoles(c, map[*storytest.Caller]core.Role{c.Owner: core.RoleOwner, c.Admin: core.RoleAdmin, c.Member: core.RoleMember})
}

// TestARemovedAdminsInvitesOpenNoBackDoor sends an invite to a second account just
// before the sender is removed.
func TestARemovedAdminsInvitesOpenNoBackDoor(t *testing.T) {
	c := storytest.NewCompany(storytest.Serve(t, t.TempDir(), inmemory.New, nil))
	second := c.SignUp()
	c.Invite(c.Admin, second.User.Email, core.RoleAdmin)
	accept := c.InviteLink(second.User.Email, 1) + "/accept"
	c.Owner.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Admin), nil, nil)
	second.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, accept, nil)
}

// TestAGuestsPersonalWorkspaceStaysTheirHome invites somebody into a personal
// workspace that is older than theirs.
func TestAGuestsPersonalWorkspaceStaysTheirHome(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			host, guest := s.SignUp(), s.SignUp()
			space := "/workspaces/" + string(host.Workspace)
			host.Must(http.StatusCreated, http.MethodPost, space+"/invites", map[string]any{"email": guest.User.Email, "role": "owner"}, nil)
			guest.Must(http.StatusOK, http.MethodPost, s.InviteLink(guest.User.Email, 1)+"/accept", nil, nil)
			var me struct{ Workspace core.Workspace }
			guest.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
			var list struct{ Items []core.Workspace }
			guest.Must(http.StatusOK, http.MethodGet, "/workspaces", nil, &list)
			if me.Workspace.ID != guest.Workspace || list.Items[0].ID != guest.Workspace || len(list.Items) != 2 {
				t.Errorf("got the home %s and the list %+v, want %s first", me.Workspace.ID, list.Items, guest.Workspace)
			}
			guest.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, space+"/members/"+string(host.User.ID), nil)
			guest.Refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, space+"/members/"+string(host.User.ID), map[string]any{"role": "member"})
			host.Refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, space+"/members/"+string(host.User.ID), nil)
			host.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, space+"/transfer", map[string]any{"userId": guest.User.ID})
		})
	}
}

// TestARemovedMembersOldPreviewAddressIsDead covers everything that changes who is
// in a workspace, on every program.
func TestARemovedMembersOldPreviewAddressIsDead(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := storytest.NewCompany(program.Serve(t))
			w := c.Owner.Create("static-html")
			guest := c.SignUp()
			for _, change := range []func(){
				func() { c.Hire(guest, core.RoleMember) },
				func() {
					c.Owner.Must(http.StatusOK, http.MethodPatch, memberPath(c, c.Admin), map[string]any{"role": "member"}, nil)
				},
				func() { c.Owner.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Member), nil, nil) },
				func() { guest.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, guest), nil, nil) },
				func() {
					c.Owner.Must(http.StatusOK, http.MethodPost, c.Space+"/transfer", map[string]any{"userId": c.Admin.User.ID}, nil)
				},
			} {
				before := w.Preview(c.Owner)
				if got := c.Fetch(before + "/"); got.Status != http.StatusOK {
					t.Fatalf("got %d %.200s, want the page of the preview", got.Status, got.Body)
				}
				change()
				if got := c.Fetch(before + "/"); got.Status != http.StatusNotFound {
					t.Errorf("got %d, want the old address dead", got.Status)
				}
				if after := w.Preview(c.Owner); after == before || c.Fetch(after+"/").Status != http.StatusOK {
					t.Errorf("got %s after %s, want another address that works", after, before)
				}
			}
			c.Member.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, w.Path("/preview"), nil)
		})
	}
}

// stream opens a stream of server-sent events that no read of waits for long.
func stream(c *storytest.Caller, path string) *http.Response {
	c.T.Helper()
	response := c.Open(conformance.Bounded(c.T), http.MethodGet, path, nil)
	c.T.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		c.T.Fatalf("%s: got %d, want a stream", path, response.StatusCode)
	}
	return response
}

// wantEnded reads the rest of a stream, which must end.
func wantEnded(t *testing.T, what string, response *http.Response) string {
	t.Helper()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Errorf("%s: got %v, want the stream ended", what, err)
	}
	return string(content)
}

// TestARemovedMemberHearsAndSpendsNothingMore removes somebody who has a run under
// way, streams open, and an API token.
func TestARemovedMemberHearsAndSpendsNothingMore(t *testing.T) {
	address, gone := storytest.SlowOllama(t)
	c := storytest.NewCompany(storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}))
	w := c.Owner.Create("static-html")
	mine := *w
	mine.Caller = c.Member
	robot := robot(c.Member, "chat", "projects:read")
	chatStream := "/chat/" + string(w.ID) + "/stream" + storytest.Query("chatId", string(w.Chat))

	message := mine.OpenMessage(conformance.Bounded(t), map[string]any{"text": "hi", "detach": true})
	defer message.Body.Close()
	follower, tokens := stream(c.Member, chatStream), stream(robot, chatStream)
	before := w.Preview(c.Member)
	previews := stream(c.Member, w.Path("/preview/events"))
	stays := stream(c.Owner, chatStream)

	c.Owner.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Member), nil, nil)
	conformance.Await(t, "the end of the model call", gone)
	wantEnded(t, "the message", message)
	wantEnded(t, "the follower", follower)
	wantEnded(t, "the follower with a token", tokens)
	heard := wantEnded(t, "the preview", previews)
	if addresses := strings.Count(heard, `"url":"`); addresses == 0 || addresses != strings.Count(heard, `"url":"`+before) {
		t.Errorf("got %s, want nothing but the old address", heard)
	}
	if heard := wantEnded(t, "a member's stream", stays); !strings.Contains(heard, `"reason":"stopped"`) {
		t.Errorf("got %s, want the end of the run told to those who stay", heard)
	}
	for _, p := range []*storytest.Caller{c.Member, robot} {
		p.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, chatStream, nil)
		p.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.Chat, "text": "hi"})
	}
}

// robot is the caller through an API token.
func robot(c *storytest.Caller, scopes ...string) *storytest.Caller {
	c.T.Helper()
	var made struct{ Token string }
	c.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "robot", "scopes": scopes}, &made)
	robot := *c
	robot.Token = made.Token
	return &robot
}

// TestARemovedMemberLosesTheStreamOfAnothersRunWhichGoesOn removes somebody who
// only watches.
func TestARemovedMemberLosesTheStreamOfAnothersRunWhichGoesOn(t *testing.T) {
	address, gone := storytest.SlowOllama(t)
	c := storytest.NewCompany(storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}))
	w := c.Owner.Create("static-html")
	message := w.OpenMessage(t.Context(), map[string]any{"text": "hi", "detach": true})
	defer message.Body.Close()
	watching := stream(c.Member, "/chat/"+string(w.ID)+"/stream"+storytest.Query("chatId", string(w.Chat)))
	c.Member.Must(http.StatusNoContent, http.MethodDelete, memberPath(c, c.Member), nil, nil)
	wantEnded(t, "the stream", watching)
	if len(gone) != 0 {
		t.Error("the run of somebody else was stopped")
	}
	w.Must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]any{"chatId": w.Chat}, nil)
}

// TestAFolderOfAnotherWorkspaceHoldsNoProject smuggles a project into somebody
// else's folder, on every program.
func TestAFolderOfAnotherWorkspaceHoldsNoProject(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			victim, thief := s.SignUp(), s.SignUp()
			var folder core.Folder
			victim.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(victim.Workspace)+"/folders", map[string]any{"name": "Secret"}, &folder)
			space, w := "/workspaces/"+string(thief.Workspace), thief.Create("static-html")
			for _, id := range []core.ID{folder.ID, core.NewID(), "nowhere"} {
				thief.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, space+"/projects", map[string]any{"name": "x", "folderId": id})
				thief.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPatch, w.Path(""), map[string]any{"folderId": id})
				thief.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, space+"/folders", map[string]any{"name": "x", "parentId": id})
			}
			thief.WantFound("?folderId=" + string(folder.ID))
			thief.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodPatch, "/folders/"+string(folder.ID), map[string]any{"name": "Mine"})
			thief.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, "/folders/"+string(folder.ID), nil)
		})
	}
}

// writingOllama calls write_file at first and says "Done" then. It keeps the
// requests.
type writingOllama struct {
	mu       sync.Mutex
	requests []map[string]any
}

func (o *writingOllama) serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"},{"name":"small","model":"small"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		var request map[string]any
		_ = json.NewDecoder(r.Body).Decode(&request)
		o.requests = append(o.requests, request)
		message := `{"role":"assistant","content":"Done"}`
		if len(o.requests)%2 == 1 {
			message = `{"role":"assistant","content":"","tool_calls":[{"function":{"name":"write_file","arguments":{"path":"stolen.txt","content":"x"}}}]}`
		}
		fmt.Fprintf(w, `{"model":"m","message":%s,"done":false}`+"\n"+`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}`+"\n", message)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// first returns the first request since n.
func (o *writingOllama) first(n int) map[string]any {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.requests[n]
}

func TestAModeIsHeldToItsTools(t *testing.T) {
	model := &writingOllama{}
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": model.serve(t), "AI_MODEL": "m"})
	w := s.SignUp().Create("static-html")
	modes := "/workspaces/" + string(w.Workspace) + "/modes"
	w.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, modes, map[string]any{"name": "root", "prompt": "x", "tools": []string{"read_file", "read_environment"}})
	w.Must(http.StatusCreated, http.MethodPost, modes, map[string]any{"name": "review", "prompt": "Only look, whatever you are told.", "tools": []string{"read_file"}, "model": "small"}, nil)
	w.Must(http.StatusOK, http.MethodPatch, w.Path("/chats/"+string(w.Chat)), map[string]any{"mode": "review"}, nil)

	if got := storytest.Kinds(w.Send("Write a file")); !strings.Contains(got, "tool.call session.usage_info tool.error") || strings.Contains(got, "file.changed") {
		t.Errorf("got %s, want the tool refused", got)
	}
	w.Must(http.StatusNotFound, http.MethodGet, w.Path("/files/stolen.txt"), nil, nil)
	asked, _ := json.Marshal(model.first(0))
	if text := string(asked); strings.Count(text, `"type":"function"`) != 1 || !strings.Contains(text, `"name":"read_file"`) ||
		!strings.Contains(text, "Only look, whatever you are told.") || !strings.Contains(text, `"model":"small"`) {
		t.Errorf("got the request %.3000s, want the mode's tool, prompt and model", text)
	}

	w.Must(http.StatusNoContent, http.MethodDelete, modes+"/review", nil, nil)
	if got := storytest.Kinds(w.Send("Write a file")); !strings.Contains(got, "file.changed") {
		t.Errorf("got %s, want the tools of build for a word that is no mode any more", got)
	}
	var chats struct{ Items []core.Chat }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &chats)
	if chats.Items[0].Mode != "review" {
		t.Errorf("got the mode %q, want the chat to keep its word", chats.Items[0].Mode)
	}
}
