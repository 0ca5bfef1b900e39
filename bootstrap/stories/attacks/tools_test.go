package attacks_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/mcp"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// listedTool is a tool as tools/list shows it.
type listedTool struct {
	Name        string
	InputSchema struct{ Properties map[string]any }
	Annotations struct{ ReadOnlyHint, DestructiveHint bool }
}

// TestEveryToolAnswersEveryCallerAsItsRoute plays every (tool, caller, visibility) over MCP and
// over REST. Both outcomes must be what the table of authorization says, and alike.
func TestEveryToolAnswersEveryCallerAsItsRoute(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCast(program.Serve(t))
			listed := c.player("owner").tools()
			routes := map[string]line{}
			for _, route := range c.App.Routes() {
				routes[nameOf(route)] = route
			}
			for _, visibility := range []core.Visibility{core.VisibilityPrivate, core.VisibilityWorkspace, core.VisibilityPublic} {
				home := c.home(visibility)
				// The versions that are restored have the schema of the data.
				home.creator.Must(http.StatusCreated, http.MethodPost, home.project()+"/versions", storytest.Fields{"message": "x"}, nil)
				for _, tool := range mcp.Tools() {
					route, served := routes[tool.Method+" "+tool.Pattern]
					if shown, there := listed[tool.Name]; !served || !there {
						t.Errorf("%s: got a route %v and a place in the list %v, want both", tool.Name, served, there)
					} else if isOfProject(route) || visibility == core.VisibilityPublic {
						home.playTool(t, shown, route)
					}
				}
			}
			if len(listed) != len(mcp.Tools()) {
				t.Errorf("got %d tools listed, want %d", len(listed), len(mcp.Tools()))
			}
		})
	}
}

// tools are those that the player is shown, by name.
func (p *player) tools() map[string]listedTool {
	p.T.Helper()
	var answer struct{ Result struct{ Tools []listedTool } }
	p.Must(http.StatusOK, http.MethodPost, "/mcp", storytest.Fields{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, &answer)
	all := map[string]listedTool{}
	for _, tool := range answer.Result.Tools {
		all[tool.Name] = tool
	}
	return all
}

// playTool has every player use the tool and its route.
func (s *stage) playTool(t *testing.T, tool listedTool, route line) {
	t.Helper()
	for _, p := range s.players {
		want := s.want(p, route)
		fresh := func(beginning string) string {
			if want == "" && usedUp(nameOf(route)) == beginning {
				return s.fresh(beginning, p)
			}
			return s.record(beginning)
		}
		s.prepare(route)
		overREST := s.call(t, p, route, fill(route.Pattern(), fresh))
		s.prepare(route)
		overMCP := p.use(t, tool.Name, s.arguments(t, tool, route, fresh))
		for where, got := range map[string]outcome{"REST": overREST, "MCP": overMCP} {
			if problem := judge(route, want, got); problem != "" {
				t.Errorf("%s over %s by the %s, %s project: %s", tool.Name, where, p.name, s.visibility, problem)
			}
		}
		// Of two messages in a chat, the second may find the first at work.
		if overREST.code != overMCP.code && overREST.code != core.CodeChatBusy && overMCP.code != core.CodeChatBusy {
			t.Errorf("%s by the %s, %s project: got %q over MCP, want %q as over REST", tool.Name, p.name, s.visibility, overMCP.code, overREST.code)
		}
	}
}

// prepare makes what one call uses up and no path names: the changes that become a version.
func (s *stage) prepare(route line) {
	if nameOf(route) == "POST /projects/:projectId/versions" {
		s.newFile(nil)
	}
}

// arguments are a route's sample as the tool takes it.
func (s *stage) arguments(t *testing.T, tool listedTool, route line, value func(beginning string) string) storytest.Fields {
	t.Helper()
	all := storytest.Fields{}
	for _, beginning := range beginnings(route.Pattern()) {
		all[beginning[strings.LastIndex(beginning, "/")+2:]] = value(beginning)
	}
	if search := queries()[nameOf(route)]; search != nil {
		query, err := url.ParseQuery(strings.TrimPrefix(search(s), "?"))
		if err != nil {
			t.Fatal(err)
		}
		for name := range query {
			all[name] = query.Get(name)
		}
	}
	if sample := bodies()[nameOf(route)]; sample != nil {
		switch body := sample(s).(type) {
		case storytest.Fields:
			for name, member := range body {
				all[name] = member
			}
		case io.Reader:
			text, err := io.ReadAll(body)
			if err != nil {
				t.Fatal(err)
			}
			all["content"] = string(text)
		}
	}
	for name := range all {
		if _, taken := tool.InputSchema.Properties[name]; !taken {
			delete(all, name)
		}
	}
	return all
}

// use calls a tool.
func (p *player) use(t *testing.T, tool string, arguments storytest.Fields) outcome {
	t.Helper()
	got := p.Do(http.MethodPost, "/mcp", storytest.Fields{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": storytest.Fields{"name": tool, "arguments": arguments}})
	if got.Status != http.StatusOK {
		return outcome{got.Status, got.Code()}
	}
	var answer struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
		Error any
	}
	if err := json.Unmarshal(got.Body, &answer); err != nil || answer.Error != nil || len(answer.Result.Content) != 1 {
		t.Errorf("%s by the %s: got %.300s, want a result", tool, p.name, got.Body)
		return outcome{}
	}
	if !answer.Result.IsError {
		return outcome{http.StatusOK, ""}
	}
	failure := storytest.Answer{Body: []byte(answer.Result.Content[0].Text)}
	return outcome{http.StatusBadRequest, failure.Code()}
}

// TestTheHintsOfToolsAreThoseOfTheirActions wants what changes nothing to say so, and what
// replaces or removes something, too.
func TestTheHintsOfToolsAreThoseOfTheirActions(t *testing.T) {
	c := newCast(storytest.Programs()["inmemory"].Serve(t))
	listed := c.player("owner").tools()
	for _, tool := range mcp.Tools() {
		for _, route := range c.App.Routes() {
			if route.Method() != tool.Method || route.Pattern() != tool.Pattern {
				continue
			}
			action, _ := route.Action()
			reads := core.RuleOf(action).Effect == core.EffectRead || tool.Method == http.MethodGet
			replaces := !reads && core.RuleOf(action).Effect == core.EffectReplace
			if got := listed[tool.Name].Annotations; got.ReadOnlyHint != reads || got.DestructiveHint != replaces {
				t.Errorf("%s: got the hints %+v, want reading %v, replacing %v", tool.Name, got, reads, replaces)
			}
		}
	}
	for name, want := range map[string]bool{"read_file": true, "check_types": true, "write_file": false, "publish": false, "create_project": false} {
		if got := listed[name].Annotations.ReadOnlyHint; got != want {
			t.Errorf("%s: got reading %v, want %v", name, got, want)
		}
	}
}
