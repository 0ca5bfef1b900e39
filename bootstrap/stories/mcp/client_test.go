package mcp_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// bearer sends a token with every request.
type bearer struct {
	token string
	next  http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.next.RoundTrip(r)
}

// program is a program that is connected to the tools.
type program struct {
	t       testing.TB
	session *sdk.ClientSession
}

// connect is a program with a token.
func connect(t testing.TB, s *storytest.Site, token string) *program {
	t.Helper()
	client := *s.Described()
	client.Transport = bearer{token, client.Transport}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "story"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: s.URL + "/mcp", HTTPClient: &client}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &program{t, session}
}

// token is an API token of c's with scopes, all without any.
func token(c *storytest.Caller, scopes ...core.Scope) string {
	c.T.Helper()
	if scopes == nil {
		scopes = core.Scopes()
	}
	var made struct{ Token string }
	c.Must(http.StatusCreated, http.MethodPost, "/auth/api-tokens", storytest.Fields{"name": "tools", "scopes": scopes}, &made)
	return made.Token
}

// call calls a tool, and returns the text of its result.
func (p *program) call(tool string, arguments storytest.Fields) (text string, failed bool) {
	p.t.Helper()
	result, err := p.session.CallTool(p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		p.t.Fatalf("%s: %v", tool, err)
	}
	if len(result.Content) != 1 {
		p.t.Fatalf("%s: got %d parts, want one", tool, len(result.Content))
	}
	content, is := result.Content[0].(*sdk.TextContent)
	if !is {
		p.t.Fatalf("%s: got %T, want text", tool, result.Content[0])
	}
	return content.Text, result.IsError
}

// must calls a tool that has to do its work. into, if given, receives the JSON.
func (p *program) must(tool string, arguments storytest.Fields, into any) string {
	p.t.Helper()
	text, failed := p.call(tool, arguments)
	if failed {
		p.t.Fatalf("%s: got %s", tool, text)
	}
	if into != nil {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			p.t.Fatalf("%s: %v in %.300s", tool, err, text)
		}
	}
	return text
}

// refused calls a tool that the API has to refuse with a code.
func (p *program) refused(code core.Code, tool string, arguments storytest.Fields) {
	p.t.Helper()
	text, failed := p.call(tool, arguments)
	var body struct{ Error core.Code }
	if err := json.Unmarshal([]byte(text), &body); err != nil || !failed || body.Error != code {
		p.t.Errorf("%s: got %.300s, want %s", tool, text, code)
	}
}

// follow follows a chat's run from a place in its log to the end.
func (p *program) follow(project, chat core.ID, after int64) []storytest.Fields {
	p.t.Helper()
	var all []storytest.Fields
	for end := time.Now().Add(conformance.Patience); time.Now().Before(end); {
		var part struct {
			Events []storytest.Fields
			After  int64
			Ended  bool
		}
		p.must("follow_run", storytest.Fields{"projectId": project, "chatId": chat, "after": after}, &part)
		all, after = append(all, part.Events...), part.After
		if part.Ended {
			return all
		}
	}
	p.t.Fatalf("got no end of the run, but %v", all)
	return nil
}
