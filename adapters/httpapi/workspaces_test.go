package httpapi

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestWorkspaceLife(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	token := bearer(session.text("accessToken"))
	made := api.do("POST", "/workspaces", `{"name":" The Team "}`, token)
	made.want(t, "create", http.StatusCreated, "")
	for path, want := range map[string]any{
		"name": "The Team", "personal": false, "role": "owner", "creditLimit": nil, "creditUsed": 0.0,
		"createdAt": "2030-01-02T03:04:05.000Z", "updatedAt": "2030-01-02T03:04:05.000Z",
	} {
		if got := made.member(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
	if slug := made.text("slug"); !regexp.MustCompile(`^the-team-[0-9a-f]{8}$`).MatchString(slug) {
		t.Errorf("slug: got %q, want the name's with eight digits", slug)
	}
	path := "/workspaces/" + made.text("id")
	if got := api.do("GET", path, "", token); got.StatusCode != http.StatusOK || got.body != made.body {
		t.Errorf("get: got %d %s, want %s", got.StatusCode, got.body, made.body)
	}
	changed := api.do("PATCH", path, `{"name":"Team","creditLimit":12.5}`, token)
	if changed.text("name") != "Team" || changed.member("creditLimit") != 12.5 || changed.text("role") != "owner" {
		t.Errorf("change: got %d %s, want the new name and limit", changed.StatusCode, changed.body)
	}
	if got := api.do("PATCH", path, `{"creditLimit":null}`, token); got.StatusCode != http.StatusOK || got.member("creditLimit") != nil || got.text("name") != "Team" {
		t.Errorf("no limit: got %d %s, want null", got.StatusCode, got.body)
	}
	if hosts, given := made.member("commandHosts").([]any); !given || len(hosts) != 0 {
		t.Errorf("commandHosts: got %v, want an empty list", made.member("commandHosts"))
	}
	changed = api.do("PATCH", path, `{"commandHosts":["registry.npmjs.org","*.example.com"]}`, token)
	if got := fmt.Sprint(changed.member("commandHosts")); got != "[*.example.com registry.npmjs.org]" {
		t.Errorf("hosts: got %d %s, want both, sorted", changed.StatusCode, changed.body)
	}
	if got := api.do("PATCH", path, `{"commandHosts":null}`, token); got.StatusCode != http.StatusOK || len(got.member("commandHosts").([]any)) != 2 {
		t.Errorf("null: got %d %s, want the hosts to stay", got.StatusCode, got.body)
	}
	list, _ := api.do("GET", "/workspaces", "", token).member("items").([]any)
	if len(list) != 2 || list[0].(map[string]any)["personal"] != true || list[1].(map[string]any)["role"] != "owner" {
		t.Errorf("list: got %v, want the personal workspace and the team's", list)
	}
	api.do("DELETE", path, "", token).want(t, "delete", http.StatusNoContent, "")
	api.do("GET", path, "", token).want(t, "get it again", http.StatusNotFound, "not_found")
}

func TestWorkspaceRefusals(t *testing.T) {
	api := newAPI(t)
	session := api.signUp("ada@example.com")
	personal := "/workspaces/" + session.text("workspace.id")
	ada, eve := bearer(session.text("accessToken")), bearer(api.signUp("eve@example.com").text("accessToken"))
	for _, c := range []struct {
		name, method, path, body string
		by                       requestOption
		status                   int
		code                     string
	}{
		{"a personal workspace", "DELETE", personal, "", ada, 409, "conflict"},
		{"somebody else reads", "GET", personal, "", eve, 404, "not_found"},
		{"somebody else changes", "PATCH", personal, `{"name":"Mine"}`, eve, 404, "not_found"},
		{"somebody else deletes", "DELETE", personal, "", eve, 404, "not_found"},
		{"an unknown one", "GET", "/workspaces/" + string(core.NewID()), "", ada, 404, "not_found"},
		{"no id", "GET", "/workspaces/x", "", ada, 404, "not_found"},
		{"an id in capitals", "GET", strings.ToUpper(personal), "", ada, 404, "not_found"},
		{"no id, with a body", "PATCH", "/workspaces/x", `{"name":"x"}`, ada, 404, "not_found"},
		{"no name", "POST", "/workspaces", `{}`, ada, 400, "invalid_request"},
		{"an empty name", "POST", "/workspaces", `{"name":"  "}`, ada, 400, "validation_failed"},
		{"a long name", "POST", "/workspaces", `{"name":"` + strings.Repeat("x", 101) + `"}`, ada, 400, "validation_failed"},
		{"a control character", "POST", "/workspaces", `{"name":"a\u0000b"}`, ada, 400, "validation_failed"},
		{"an owner of one's choice", "POST", "/workspaces", `{"name":"x","role":"owner"}`, ada, 400, "invalid_request"},
		{"credit of one's choice", "POST", "/workspaces", `{"name":"x","creditUsed":-5}`, ada, 400, "invalid_request"},
		{"a negative limit", "PATCH", personal, `{"creditLimit":-1}`, ada, 400, "validation_failed"},
		{"an endless limit", "PATCH", personal, `{"creditLimit":1e300}`, ada, 400, "validation_failed"},
		{"a limit as text", "PATCH", personal, `{"creditLimit":"5"}`, ada, 400, "invalid_request"},
		{"an address for commands", "PATCH", personal, `{"commandHosts":["10.0.0.1"]}`, ada, 400, "validation_failed"},
		{"a host with a port", "PATCH", personal, `{"commandHosts":["example.com:80"]}`, ada, 400, "validation_failed"},
		{"hosts as text", "PATCH", personal, `{"commandHosts":"example.com"}`, ada, 400, "invalid_request"},
		{"a slug", "PATCH", personal, `{"slug":"x"}`, ada, 400, "invalid_request"},
	} {
		api.do(c.method, c.path, c.body, c.by).want(t, c.name, c.status, c.code)
	}
}
