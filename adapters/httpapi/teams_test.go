package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// noRuns stops nobody's runs, because there are none.
type noRuns struct{}

func (noRuns) StopOf(context.Context, core.ID, core.ID) error { return nil }

// noTrash is never emptied, because there are no projects.
type noTrash struct{}

func (noTrash) WakePurge() {}

// team is an API with somebody's personal workspace and another one of theirs.
type team struct {
	*api
	user, personal, space string
	session               requestOption
}

func newTeam(t *testing.T) team {
	t.Helper()
	a := newAPI(t)
	signed := a.signUp("ada@example.com")
	session := bearer(signed.text("accessToken"))
	made := a.do("POST", "/workspaces", `{"name":"Team"}`, session)
	return team{a, signed.text("user.id"), "/workspaces/" + signed.text("workspace.id"), "/workspaces/" + made.text("id"), session}
}

// must is do with the status that has to come back.
func (m team) must(status int, method, target, body string) answer {
	m.t.Helper()
	got := m.do(method, target, body, m.session)
	if got.StatusCode != status {
		m.t.Fatalf("%s %s: got %d %s, want %d", method, target, got.StatusCode, got.body, status)
	}
	return got
}

// items returns the members of a list by the name of one of their fields.
func (a answer) items(field string) []any {
	list, _ := a.member("items").([]any)
	values := make([]any, len(list))
	for i, item := range list {
		object, _ := item.(map[string]any)
		values[i] = object[field]
	}
	return values
}

func TestMembersOverHTTP(t *testing.T) {
	m := newTeam(t)
	list := m.must(http.StatusOK, "GET", m.space+"/members", "")
	for _, field := range []string{"userId", "email", "displayName", "avatarUrl", "role", "joinedAt"} {
		if !strings.Contains(list.body, `"`+field+`":`) {
			t.Errorf("got %s, want the field %s", list.body, field)
		}
	}
	own := m.space + "/members/" + m.user
	for target, want := range map[string]struct {
		method, body string
		status       int
		code         string
	}{
		own:                       {"PATCH", `{"role":"admin"}`, 409, "conflict"},
		own + "?":                 {"PATCH", `{"role":"boss"}`, 400, "validation_failed"},
		own + "?1":                {"PATCH", `{}`, 400, "invalid_request"},
		own + "?2":                {"PATCH", `{"role":null}`, 400, "invalid_request"},
		own + "?3":                {"DELETE", "", 409, "conflict"},
		m.space + "/members/x":    {"PATCH", `{"role":"admin"}`, 404, "not_found"},
		m.space + "/transfer":     {"POST", `{"userId":"` + m.user + `"}`, 400, "validation_failed"},
		m.space + "/transfer?1":   {"POST", `{"userId":"x"}`, 404, "not_found"},
		m.personal + "/transfer":  {"POST", `{"userId":"` + m.user + `"}`, 409, "conflict"},
		m.space + "/members":      {"POST", `{}`, 405, "method_not_allowed"},
		"/workspaces/x/members":   {"GET", "", 404, "not_found"},
		m.space + "/transfer/":    {"POST", `{}`, 404, "not_found"},
		m.space + "/members/x/y/": {"GET", "", 404, "not_found"},
	} {
		m.do(want.method, target, want.body, m.session).want(t, want.method+" "+target, want.status, want.code)
	}
}

func TestInvitesOverHTTP(t *testing.T) {
	m := newTeam(t)
	made := m.must(http.StatusCreated, "POST", m.space+"/invites", `{"email":" Bob@Example.com ","role":"admin"}`)
	if made.text("email") != "bob@example.com" || made.text("role") != "admin" || made.text("invitedBy") != m.user || made.text("expiresAt") != "2030-01-09T03:04:05.000Z" {
		t.Errorf("got %s", made.body)
	}
	if strings.Contains(strings.ToLower(made.body), "token") || strings.Contains(strings.ToLower(made.body), "hash") {
		t.Errorf("got %s, want nothing of the token", made.body)
	}
	if got := m.must(http.StatusOK, "GET", m.space+"/invites", "").items("id"); len(got) != 1 || got[0] != made.member("id") {
		t.Errorf("got %v, want the invite", got)
	}
	m.do("POST", m.space+"/invites", `{"email":"bob","role":"member"}`, m.session).want(t, "no address", 400, "validation_failed")
	m.do("POST", m.space+"/invites", `{"email":"b@example.com","role":"king"}`, m.session).want(t, "no role", 400, "validation_failed")
	m.do("POST", m.space+"/invites", `{"email":"b@example.com"}`, m.session).want(t, "a role missing", 400, "invalid_request")
	m.must(http.StatusNoContent, "DELETE", m.space+"/invites/"+made.text("id"), "")
	m.do("DELETE", m.space+"/invites/"+made.text("id"), "", m.session).want(t, "again", 404, "not_found")
}

// TestTheLogHoldsNoInviteToken covers the call and the page of an invite's link.
func TestTheLogHoldsNoInviteToken(t *testing.T) {
	m := newTeam(t)
	token := core.NewSecret()
	m.do("POST", "/invites/"+token+"/accept", "", m.session).want(t, "accepts", 404, "not_found")
	m.do("POST", "/invites/"+token+"/accept", "").want(t, "accepts signed out", 401, "unauthenticated")
	m.do("GET", "/invites/"+token, "")
	m.do("GET", "/invites/"+token+"/", "", m.session)
	if log := m.log.String(); strings.Contains(log, token) || !strings.Contains(log, "/invites/:token") {
		t.Errorf("got %s, want the requests without the token", log)
	}
}

func TestFoldersOverHTTP(t *testing.T) {
	m := newTeam(t)
	top := m.must(http.StatusCreated, "POST", m.space+"/folders", `{"name":"Top"}`)
	if parent := top.member("parentId"); parent != nil || !strings.Contains(top.body, `"parentId":null`) {
		t.Errorf("got %s, want the root", top.body)
	}
	below := m.must(http.StatusCreated, "POST", m.space+"/folders", `{"name":"Below","parentId":"`+top.text("id")+`"}`)
	renamed := m.must(http.StatusOK, "PATCH", "/folders/"+below.text("id"), `{"name":"Deep"}`)
	if renamed.text("name") != "Deep" || renamed.text("parentId") != top.text("id") {
		t.Errorf("got %s, want the parent kept", renamed.body)
	}
	moved := m.must(http.StatusOK, "PATCH", "/folders/"+below.text("id"), `{"parentId":null}`)
	if moved.member("parentId") != nil {
		t.Errorf("got %s, want the root", moved.body)
	}
	m.do("PATCH", "/folders/"+below.text("id"), `{"name":null}`, m.session).want(t, "no name", 400, "invalid_request")
	m.do("PATCH", "/folders/"+below.text("id"), `{"parentId":7}`, m.session).want(t, "no id", 400, "invalid_request")
	m.do("PATCH", "/folders/"+below.text("id"), `{"parentId":"`+below.text("id")+`"}`, m.session).want(t, "into itself", 409, "conflict")
	m.do("POST", m.space+"/folders", `{"name":"x","parentId":"nowhere"}`, m.session).want(t, "below nothing", 400, "validation_failed")
	m.do("PATCH", "/folders/nowhere", `{"name":"x"}`, m.session).want(t, "no folder", 404, "not_found")
	m.must(http.StatusNoContent, "DELETE", "/folders/"+top.text("id"), "")
	if got := m.must(http.StatusOK, "GET", m.space+"/folders", "").items("name"); len(got) != 1 || got[0] != "Deep" {
		t.Errorf("got %v, want the folder that is left", got)
	}
}

// TestNamesOfModesInPaths takes names that a path must escape, each unescaped just
// once.
func TestNamesOfModesInPaths(t *testing.T) {
	m := newTeam(t)
	for _, name := range []string{"review", "a/b", "50% off", "%2F", "ä ☕", "a+b?c#d", "..."} {
		made := m.must(http.StatusCreated, "POST", m.space+"/modes", `{"name":"`+name+`","prompt":"x","tools":[]}`)
		if made.text("name") != name || !strings.Contains(made.body, `"tools":[]`) || !strings.Contains(made.body, `"model":null`) {
			t.Errorf("got %s", made.body)
		}
		target := m.space + "/modes/" + url.PathEscape(name)
		changed := m.must(http.StatusOK, "PATCH", target, `{"prompt":"y","tools":["read_file"],"model":"m"}`)
		if changed.text("name") != name || changed.text("prompt") != "y" || changed.text("model") != "m" {
			t.Errorf("got %s", changed.body)
		}
		if cleared := m.must(http.StatusOK, "PATCH", target, `{"model":null}`); cleared.member("model") != nil || cleared.text("prompt") != "y" {
			t.Errorf("got %s, want the model cleared and no more", cleared.body)
		}
		m.must(http.StatusNoContent, "DELETE", target, "")
	}
	if got := m.must(http.StatusOK, "GET", m.space+"/modes", ""); got.body != "{\"items\":[]}\n" {
		t.Errorf("got %s, want no mode left", got.body)
	}
	m.must(http.StatusCreated, "POST", m.space+"/modes", `{"name":"kept","prompt":"x","tools":[]}`)
	for _, field := range []string{"name", "prompt", "tools"} {
		m.do("PATCH", m.space+"/modes/kept", `{"`+field+`":null}`, m.session).want(t, field+" of null", 400, "invalid_request")
	}
	m.do("POST", m.space+"/modes", `{"name":"x","prompt":"x"}`, m.session).want(t, "no tools", 400, "invalid_request")
	m.do("POST", m.space+"/modes", `{"name":"x","prompt":"x","tools":null}`, m.session).want(t, "tools of null", 400, "invalid_request")
	m.do("POST", m.space+"/modes", `{"name":"x","prompt":"x","tools":["sudo"]}`, m.session).want(t, "a tool of nobody's", 400, "validation_failed")
	m.do("POST", m.space+"/modes", `{"name":"build","prompt":"x","tools":[]}`, m.session).want(t, "a built-in name", 409, "conflict")
}
