package mcp_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// ofType is a body of a type.
type ofType struct {
	*strings.Reader
	kind string
}

// ContentType is what storytest sends.
func (b ofType) ContentType() string { return b.kind }

func sent(text string) ofType { return ofType{strings.NewReader(text), "application/json"} }

const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestWhatIsNoMessageOfAKnownProgramIsRefused(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	c := s.SignUp()
	known := &storytest.Caller{Site: s, Token: token(c)}
	unknown := &storytest.Caller{Site: s}
	for name, one := range map[string]struct {
		by     *storytest.Caller
		method string
		body   ofType
		header []string
		status int
		code   core.Code
	}{
		"a ping":              {known, http.MethodPost, sent(ping), nil, http.StatusOK, ""},
		"of a session":        {c, http.MethodPost, sent(ping), nil, http.StatusOK, ""},
		"no token":            {unknown, http.MethodPost, sent(ping), nil, http.StatusUnauthorized, core.CodeUnauthenticated},
		"a cookie":            {unknown, http.MethodPost, sent(ping), []string{"Cookie", "app_access_token=" + c.Token}, http.StatusUnauthorized, core.CodeUnauthenticated},
		"another token":       {unknown, http.MethodPost, sent(ping), []string{"Authorization", "Bearer " + core.APITokenPrefix + "x"}, http.StatusUnauthorized, core.CodeUnauthenticated},
		"own page":            {known, http.MethodPost, sent(ping), []string{"Origin", s.URL}, http.StatusOK, ""},
		"a page elsewhere":    {known, http.MethodPost, sent(ping), []string{"Origin", "https://evil.example"}, http.StatusForbidden, core.CodeCrossOrigin},
		"a stream of its own": {known, http.MethodGet, sent(""), nil, http.StatusMethodNotAllowed, core.CodeMethodNotAllowed},
		"an end of a session": {known, http.MethodDelete, sent(""), nil, http.StatusMethodNotAllowed, core.CodeMethodNotAllowed},
		"a batch":             {known, http.MethodPost, sent("\n[" + ping + "," + ping + "]"), nil, http.StatusBadRequest, core.CodeInvalidRequest},
		"no JSON":             {known, http.MethodPost, sent(`{"jsonrpc"`), nil, http.StatusBadRequest, core.CodeInvalidRequest},
		"no message":          {known, http.MethodPost, sent(`{"a":1}`), nil, http.StatusBadRequest, core.CodeInvalidRequest},
		"nothing":             {known, http.MethodPost, sent(""), nil, http.StatusBadRequest, core.CodeInvalidRequest},
		"another type":        {known, http.MethodPost, ofType{strings.NewReader(ping), "text/plain"}, nil, http.StatusUnsupportedMediaType, core.CodeUnsupportedMediaType},
		"an unknown method":   {known, http.MethodPost, sent(strings.Replace(ping, "ping", "pong", 1)), nil, http.StatusBadRequest, core.CodeInvalidRequest},
		"an unknown version":  {known, http.MethodPost, sent(ping), []string{"Mcp-Protocol-Version", "1999-01-01"}, http.StatusBadRequest, core.CodeInvalidRequest},
		"too much":            {known, http.MethodPost, sent(`"` + strings.Repeat("x", 4<<20) + `"`), nil, http.StatusRequestEntityTooLarge, core.CodePayloadTooLarge},
	} {
		got := one.by.Do(one.method, "/mcp", one.body, one.header...)
		if got.Status != one.status || got.Code() != one.code {
			t.Errorf("%s: got %d %s, want %d %s", name, got.Status, got.Body, one.status, one.code)
		}
		if challenge := got.Header.Get("WWW-Authenticate"); (got.Status == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Bearer ") {
			t.Errorf("%s: got the challenge %q with %d", name, challenge, got.Status)
		}
	}
}

// TestNothingKeepsTheConnectionOpen: there are no notifications to wait for.
func TestNothingKeepsTheConnectionOpen(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	const version = "2026-07-28"
	params := storytest.Fields{"_meta": storytest.Fields{
		"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientInfo": storytest.Fields{"name": "x", "version": "1"},
		"io.modelcontextprotocol/clientCapabilities": storytest.Fields{},
	}, "notifications": storytest.Fields{"toolsListChanged": true}}
	body, err := json.Marshal(storytest.Fields{"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/mcp", strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Authorization": "Bearer " + token(s.SignUp()), "Mcp-Protocol-Version": version, "Mcp-Method": "subscriptions/listen"} {
		request.Header.Set(name, value)
	}
	response, err := s.Client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var text strings.Builder
	if _, err := io.Copy(&text, response.Body); err != nil || response.StatusCode != http.StatusNotFound {
		t.Errorf("got %d %q, %v, want a refusal", response.StatusCode, text.String(), err)
	}
}

func TestArgumentsThatAreNotTheToolsAreRefused(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	w := s.SignUp().Create(storytest.Template)
	p := connect(t, s, token(w.Caller))
	for _, c := range []struct {
		tool      string
		arguments storytest.Fields
		want      core.Code
	}{
		{"get_project", nil, core.CodeInvalidRequest},
		{"get_project", storytest.Fields{"projectId": w.ID, "more": 1}, core.CodeInvalidRequest},
		{"get_project", storytest.Fields{"projectId": []string{string(w.ID)}}, core.CodeInvalidRequest},
		{"get_project", storytest.Fields{"projectId": nil}, core.CodeInvalidRequest},
		{"get_project", storytest.Fields{"projectId": string(w.ID) + "/files"}, core.CodeNotFound},
		{"get_project", storytest.Fields{"projectId": "../workspaces"}, core.CodeNotFound},
		{"get_project", storytest.Fields{"projectId": string(w.ID) + "?x=1#y"}, core.CodeNotFound},
		{"get_project", storytest.Fields{"projectId": ""}, core.CodeNotFound},
		{"read_file", storytest.Fields{"projectId": w.ID, "path": "../../etc/passwd"}, core.CodePathTraversal},
		{"read_file", storytest.Fields{"projectId": w.ID, "path": "%2e%2e/x"}, core.CodeNotFound},
		{"write_file", storytest.Fields{"projectId": w.ID, "path": "x.txt", "content": storytest.Fields{}}, core.CodeInvalidRequest},
		{"create_chat", storytest.Fields{"projectId": w.ID}, core.CodeInvalidRequest},
		{"create_chat", storytest.Fields{"projectId": w.ID, "mode": 5}, core.CodeInvalidRequest},
		{"send_message", storytest.Fields{"projectId": w.ID, "chatId": w.Chat, "text": "x", "detach": false}, core.CodeInvalidRequest},
		{"list_records", storytest.Fields{"projectId": w.ID, "name": "notes", "env": "live"}, core.CodeInvalidRequest},
		{"publish", storytest.Fields{"projectId": w.ID, "acceptDataLoss": "x"}, core.CodeInvalidRequest},
		{"publish", storytest.Fields{"projectId": w.ID, "acceptFindings": []string{"x"}}, core.CodeInvalidRequest},
		{"publish", storytest.Fields{"projectId": w.ID, "ignoreChecks": true}, core.CodeInvalidRequest},
		{"publish", storytest.Fields{"projectId": w.ID, "slug": "-"}, core.CodeValidationFailed},
	} {
		p.refused(c.want, c.tool, c.arguments)
	}
	if _, err := p.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("got a result of an unknown tool, want an error")
	}
}

// TestATokenNeedsTheScopeOfTheTool: reaching /mcp is no permission.
func TestATokenNeedsTheScopeOfTheTool(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	w := s.SignUp().Create(storytest.Template)
	p := connect(t, s, token(w.Caller, core.ScopeFilesRead))
	project := storytest.Fields{"projectId": w.ID}
	p.must("list_files", project, nil)
	p.refused(core.CodeInsufficientScope, "get_project", project)
	p.refused(core.CodeInsufficientScope, "write_file", storytest.Fields{"projectId": w.ID, "path": "x.txt", "content": "x"})
}

// TestCallsOfToolsCountInTheLimit is about the same limit as that of REST.
func TestCallsOfToolsCountInTheLimit(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, map[string]string{"RATE_LIMIT_PER_MINUTE": "40"})
	known := token(s.SignUp())
	p := connect(t, s, known)
	calls := 0
	for ; calls < 40; calls++ {
		result, err := p.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "list_workspaces"})
		if err != nil || result.IsError {
			break
		}
	}
	if calls < 10 || calls > 20 {
		t.Errorf("got %d calls before the limit, want two for each of 40", calls)
	}
	over := (&storytest.Caller{Site: s, Token: known}).Do(http.MethodGet, "/workspaces", nil)
	if over.Code() != core.CodeRateLimited {
		t.Errorf("got %d %s over REST, want rate_limited", over.Status, over.Body)
	}
}

// TestValuesOfTheEnvironmentAreNeverRead looks for one in everything that the tools say.
func TestValuesOfTheEnvironmentAreNeverRead(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	w := s.SignUp().Create(storytest.Template)
	p := connect(t, s, token(w.Caller))
	p.must("set_variable", storytest.Fields{"projectId": w.ID, "key": "SECRET", "value": "a value to keep"}, nil)
	if list := p.must("list_variables", storytest.Fields{"projectId": w.ID}, nil); !strings.Contains(list, "SECRET") || strings.Contains(list, "to keep") {
		t.Errorf("got %s, want the key alone", list)
	}
	p.must("delete_variable", storytest.Fields{"projectId": w.ID, "key": "SECRET"}, nil)
}
