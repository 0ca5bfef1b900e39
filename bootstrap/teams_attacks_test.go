package bootstrap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

func TestAnInviteLinkIsWorthNothingToAnotherAccount(t *testing.T) {
	c := newCompany(serve(t, t.TempDir(), inmemory.New, nil))
	thief, guest := c.signUp(), c.signUp()
	c.invite(c.admin, guest.user.Email, core.RoleAdmin)
	accept := c.inviteLink(guest.user.Email, 1) + "/accept"
	got := thief.refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, accept, nil)
	if strings.Contains(string(got.body), guest.user.Email) {
		t.Errorf("got %s, want the address kept from the thief", got.body)
	}
	thief.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, c.space, nil)
	(&caller{site: c.site}).refused(http.StatusUnauthorized, core.CodeUnauthenticated, http.MethodPost, accept, nil)
	guest.must(http.StatusOK, http.MethodPost, accept, nil, nil)
	guest.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, accept, nil)
}

func TestAnAdminCannotBecomeOwner(t *testing.T) {
	c := newCompany(serve(t, t.TempDir(), inmemory.New, nil))
	second := c.signUp()
	for _, try := range []struct {
		method, path string
		body         any
	}{
		{http.MethodPatch, c.memberPath(c.admin), map[string]any{"role": "owner"}},
		{http.MethodPatch, c.memberPath(c.member), map[string]any{"role": "owner"}},
		{http.MethodPatch, c.memberPath(c.owner), map[string]any{"role": "member"}},
		{http.MethodDelete, c.memberPath(c.owner), nil},
		{http.MethodPost, c.space + "/transfer", map[string]any{"userId": c.admin.user.ID}},
		{http.MethodPost, c.space + "/invites", map[string]any{"email": second.user.Email, "role": "owner"}},
	} {
		c.admin.refused(http.StatusForbidden, core.CodeForbidden, try.method, try.path, try.body)
	}
	c.wantRoles(map[*caller]core.Role{c.owner: core.RoleOwner, c.admin: core.RoleAdmin, c.member: core.RoleMember})
}

// TestARemovedAdminsInvitesOpenNoBackDoor sends an invite to a second account just
// before the sender is removed.
func TestARemovedAdminsInvitesOpenNoBackDoor(t *testing.T) {
	c := newCompany(serve(t, t.TempDir(), inmemory.New, nil))
	second := c.signUp()
	c.invite(c.admin, second.user.Email, core.RoleAdmin)
	accept := c.inviteLink(second.user.Email, 1) + "/accept"
	c.owner.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.admin), nil, nil)
	second.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, accept, nil)
}

// TestAGuestsPersonalWorkspaceStaysTheirHome invites somebody into a personal
// workspace that is older than theirs.
func TestAGuestsPersonalWorkspaceStaysTheirHome(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			host, guest := s.signUp(), s.signUp()
			space := "/workspaces/" + string(host.workspace)
			host.must(http.StatusCreated, http.MethodPost, space+"/invites", map[string]any{"email": guest.user.Email, "role": "owner"}, nil)
			guest.must(http.StatusOK, http.MethodPost, s.inviteLink(guest.user.Email, 1)+"/accept", nil, nil)
			var me struct{ Workspace core.Workspace }
			guest.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
			var list struct{ Items []core.Workspace }
			guest.must(http.StatusOK, http.MethodGet, "/workspaces", nil, &list)
			if me.Workspace.ID != guest.workspace || list.Items[0].ID != guest.workspace || len(list.Items) != 2 {
				t.Errorf("got the home %s and the list %+v, want %s first", me.Workspace.ID, list.Items, guest.workspace)
			}
			guest.refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, space+"/members/"+string(host.user.ID), nil)
			guest.refused(http.StatusConflict, core.CodeConflict, http.MethodPatch, space+"/members/"+string(host.user.ID), map[string]any{"role": "member"})
			host.refused(http.StatusConflict, core.CodeConflict, http.MethodDelete, space+"/members/"+string(host.user.ID), nil)
			host.refused(http.StatusConflict, core.CodeConflict, http.MethodPost, space+"/transfer", map[string]any{"userId": guest.user.ID})
		})
	}
}

// preview returns the address of the work's preview, as c is told it.
func (w *work) preview(c *caller) string {
	w.t.Helper()
	var status struct{ URL string }
	c.must(http.StatusOK, http.MethodPost, w.path("/preview"), nil, &status)
	return status.URL
}

// TestARemovedMembersOldPreviewAddressIsDead covers everything that changes who is
// in a workspace, on every program.
func TestARemovedMembersOldPreviewAddressIsDead(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := newCompany(program.serve(t))
			w := c.owner.create("static-html")
			guest := c.signUp()
			for _, change := range []func(){
				func() { c.hire(guest, core.RoleMember) },
				func() {
					c.owner.must(http.StatusOK, http.MethodPatch, c.memberPath(c.admin), map[string]any{"role": "member"}, nil)
				},
				func() { c.owner.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.member), nil, nil) },
				func() { guest.must(http.StatusNoContent, http.MethodDelete, c.memberPath(guest), nil, nil) },
				func() {
					c.owner.must(http.StatusOK, http.MethodPost, c.space+"/transfer", map[string]any{"userId": c.admin.user.ID}, nil)
				},
			} {
				before := w.preview(c.owner)
				if got := c.fetch(before + "/"); got.status != http.StatusOK {
					t.Fatalf("got %d %.200s, want the page of the preview", got.status, got.body)
				}
				change()
				if got := c.fetch(before + "/"); got.status != http.StatusNotFound {
					t.Errorf("got %d, want the old address dead", got.status)
				}
				if after := w.preview(c.owner); after == before || c.fetch(after+"/").status != http.StatusOK {
					t.Errorf("got %s after %s, want another address that works", after, before)
				}
			}
			c.member.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, w.path("/preview"), nil)
		})
	}
}

// stream opens a stream of server-sent events that no read of waits for long.
func (c *caller) stream(path string) *http.Response {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 30*time.Second)
	c.t.Cleanup(cancel)
	response := c.open(ctx, http.MethodGet, path, nil)
	c.t.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		c.t.Fatalf("%s: got %d, want a stream", path, response.StatusCode)
	}
	return response
}

// wantEnded reads what is left of a stream, which has to end by a deadline.
func wantEnded(t *testing.T, what string, response *http.Response, deadline time.Time) string {
	t.Helper()
	content, err := io.ReadAll(response.Body)
	if late := time.Since(deadline); err != nil || late > 0 {
		t.Errorf("%s: got %v, %s after the deadline, want the stream ended", what, err, late)
	}
	return string(content)
}

// TestARemovedMemberHearsAndSpendsNothingMore removes somebody who has a run under
// way, streams open, and an API token.
func TestARemovedMemberHearsAndSpendsNothingMore(t *testing.T) {
	address, gone := slowOllama(t)
	c := newCompany(serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}))
	w := c.owner.create("static-html")
	mine := *w
	mine.caller = c.member
	robot := c.member.robot("chat", "projects:read")
	chatStream := "/chat/" + string(w.ID) + "/stream" + query("chatId", string(w.chat))

	message := mine.openMessage(t.Context(), map[string]any{"text": "hi", "detach": true})
	defer message.Body.Close()
	follower, tokens := c.member.stream(chatStream), robot.stream(chatStream)
	before := w.preview(c.member)
	previews := c.member.stream(w.path("/preview/events"))
	stays := c.owner.stream(chatStream)

	c.owner.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.member), nil, nil)
	deadline := time.Now().Add(10 * time.Second)
	within(t, 2*time.Second, "the end of the model call", gone)
	wantEnded(t, "the message", message, deadline)
	wantEnded(t, "the follower", follower, deadline)
	wantEnded(t, "the follower with a token", tokens, deadline)
	heard := wantEnded(t, "the preview", previews, deadline)
	if addresses := strings.Count(heard, `"url":"`); addresses == 0 || addresses != strings.Count(heard, `"url":"`+before) {
		t.Errorf("got %s, want nothing but the old address", heard)
	}
	if heard := wantEnded(t, "a member's stream", stays, deadline); !strings.Contains(heard, `"reason":"stopped"`) {
		t.Errorf("got %s, want the end of the run told to those who stay", heard)
	}
	for _, p := range []*caller{c.member, robot} {
		p.refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, chatStream, nil)
		p.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.chat, "text": "hi"})
	}
}

// robot is the caller through an API token.
func (c *caller) robot(scopes ...string) *caller {
	c.t.Helper()
	var made struct{ Token string }
	c.must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", map[string]any{"name": "robot", "scopes": scopes}, &made)
	robot := *c
	robot.token = made.Token
	return &robot
}

// TestARemovedMemberLosesTheStreamOfAnothersRunWhichGoesOn removes somebody who
// only watches.
func TestARemovedMemberLosesTheStreamOfAnothersRunWhichGoesOn(t *testing.T) {
	address, gone := slowOllama(t)
	c := newCompany(serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}))
	w := c.owner.create("static-html")
	message := w.openMessage(t.Context(), map[string]any{"text": "hi", "detach": true})
	defer message.Body.Close()
	watching := c.member.stream("/chat/" + string(w.ID) + "/stream" + query("chatId", string(w.chat)))
	c.member.must(http.StatusNoContent, http.MethodDelete, c.memberPath(c.member), nil, nil)
	wantEnded(t, "the stream", watching, time.Now().Add(10*time.Second))
	if len(gone) != 0 {
		t.Error("the run of somebody else was stopped")
	}
	w.must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]any{"chatId": w.chat}, nil)
}

// TestAFolderOfAnotherWorkspaceHoldsNoProject smuggles a project into somebody
// else's folder, on every program.
func TestAFolderOfAnotherWorkspaceHoldsNoProject(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			victim, thief := s.signUp(), s.signUp()
			var folder core.Folder
			victim.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(victim.workspace)+"/folders", map[string]any{"name": "Secret"}, &folder)
			space, w := "/workspaces/"+string(thief.workspace), thief.create("static-html")
			for _, id := range []core.ID{folder.ID, core.NewID(), "nowhere"} {
				thief.refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, space+"/projects", map[string]any{"name": "x", "folderId": id})
				thief.refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPatch, w.path(""), map[string]any{"folderId": id})
				thief.refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, space+"/folders", map[string]any{"name": "x", "parentId": id})
			}
			thief.wantFound("?folderId=" + string(folder.ID))
			thief.refused(http.StatusNotFound, core.CodeNotFound, http.MethodPatch, "/folders/"+string(folder.ID), map[string]any{"name": "Mine"})
			thief.refused(http.StatusNotFound, core.CodeNotFound, http.MethodDelete, "/folders/"+string(folder.ID), nil)
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
	s := serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": model.serve(t), "AI_MODEL": "m"})
	w := s.signUp().create("static-html")
	modes := "/workspaces/" + string(w.workspace) + "/modes"
	w.refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPost, modes, map[string]any{"name": "root", "prompt": "x", "tools": []string{"read_file", "read_environment"}})
	w.must(http.StatusCreated, http.MethodPost, modes, map[string]any{"name": "review", "prompt": "Only look, whatever you are told.", "tools": []string{"read_file"}, "model": "small"}, nil)
	w.must(http.StatusOK, http.MethodPatch, w.path("/chats/"+string(w.chat)), map[string]any{"mode": "review"}, nil)

	if got := kinds(w.send("Write a file")); !strings.Contains(got, "tool.call session.usage_info tool.error") || strings.Contains(got, "file.changed") {
		t.Errorf("got %s, want the tool refused", got)
	}
	w.must(http.StatusNotFound, http.MethodGet, w.path("/files/stolen.txt"), nil, nil)
	asked, _ := json.Marshal(model.first(0))
	if text := string(asked); strings.Count(text, `"type":"function"`) != 1 || !strings.Contains(text, `"name":"read_file"`) ||
		!strings.Contains(text, "Only look, whatever you are told.") || !strings.Contains(text, `"model":"small"`) {
		t.Errorf("got the request %.3000s, want the mode's tool, prompt and model", text)
	}

	w.must(http.StatusNoContent, http.MethodDelete, modes+"/review", nil, nil)
	if got := kinds(w.send("Write a file")); !strings.Contains(got, "file.changed") {
		t.Errorf("got %s, want the tools of build for a word that is no mode any more", got)
	}
	var chats struct{ Items []core.Chat }
	w.must(http.StatusOK, http.MethodGet, w.path("/chats"), nil, &chats)
	if chats.Items[0].Mode != "review" {
		t.Errorf("got the mode %q, want the chat to keep its word", chats.Items[0].Mode)
	}
}
