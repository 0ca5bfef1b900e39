package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/atelierhq/atelier/core"
)

// connect adds a connector to a workspace, with tools that are allowed.
func (u *user) connect(workspace core.ID, name, url string, enabled map[string]string) {
	u.t.Helper()
	tools := []map[string]string{}
	for tool, consent := range enabled {
		tools = append(tools, map[string]string{"name": tool, "consent": consent})
	}
	u.call(http.StatusCreated, http.MethodPost, "/workspaces/"+string(workspace)+"/connectors", map[string]any{
		"name": name, "url": url, "headers": map[string]string{"X-Key": "s3cret"}, "enabledTools": tools,
	}, nil)
}

// wantTools checks the tools of a workspace's connectors: name, state and consent of each.
func (u *user) wantTools(workspace core.ID, tools ...string) {
	u.t.Helper()
	var list struct {
		Items []struct {
			Tools []struct{ Name, State, Consent string }
		}
	}
	u.call(http.StatusOK, http.MethodGet, "/workspaces/"+string(workspace)+"/connectors", nil, &list)
	var got []string
	for _, connector := range list.Items {
		for _, tool := range connector.Tools {
			got = append(got, tool.Name+" "+tool.State+" "+tool.Consent)
		}
	}
	if !slices.Equal(got, tools) {
		u.t.Errorf("got the tools %q, want %q", got, tools)
	}
}

// callOf has a model call a tool of a connector.
func callOf(connector, tool, args string) answer {
	return answer{calls: [][2]string{{"call_connector", fmt.Sprintf(`{"connector":%q,"tool":%q,"args":%s}`, connector, tool, args)}}}
}

// wantSaid checks the newest messages of a chat, as people see them.
func (p *tab) wantSaid(words ...string) {
	p.t.Helper()
	wanted, err := json.Marshal(words)
	if err != nil {
		p.t.Fatal(err)
	}
	p.until("the messages", fmt.Sprintf(`JSON.stringify([...document.querySelectorAll('.said__text')].slice(-%d).map((e) => e.textContent)) === %q`, len(words), wanted))
}

// everybodySeesTheCall: two people follow a chat. One allows a call, and the other sees what became of
// it. A message instead of an answer lets the next call lapse. An answer is no message to send again.
func everybodySeesTheCall(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	talks, s := startTalker(t)
	talks.on("shut issue seven", callOf("Issues", "close_issue", `{"why":"done","id":7}`))
	talks.on("Closed it for good", answer{pieces: []string{"Issue seven is closed."}})
	talks.on("shut issue eight", callOf("Issues", "close_issue", `{"id":8}`))
	talks.on("say hello instead", answer{pieces: []string{"Hello, both of you."}})
	first, second := s.signUp(t), s.signUp(t)
	shared := first.shareWith(second)
	server := &issues{description: "Closes an issue."}
	first.connect(shared.WorkspaceID, "Issues", server.serve(t), map[string]string{"close_issue": "ask"})
	p, q := c.workbench(t, shared), c.workbench(t, &project{user: second, Project: shared.Project})
	p.ask("shut issue seven")
	for _, tab := range []*tab{p, q} {
		tab.until("a request that waits", named("button", "Allow once")+"?.disabled === false")
		tab.sees(`"why": "done"`)
	}
	p.until("the request announced", `[...document.querySelectorAll('[role=status]')].some((e) => e.textContent.includes('wants to use'))`)
	q.press("button", "Allow once")
	for _, tab := range []*tab{p, q} {
		tab.sees("Issue seven is closed.")
		tab.answered()
		tab.wantSaid("shut issue seven", "Allowed, once.")
		tab.lacks("button", "Allow once")
		tab.lacks("button", "Ask again")
		tab.lacks("button", "Edit and resend")
	}
	q.do(chromedp.Evaluate[chromedp.Void](`document.querySelector('.composer__field').focus()`), chromedp.KeyEvent(kb.ArrowUp))
	q.painted()
	if got := evaluate[string](q, `document.querySelector('.composer__field').value`); got != "" {
		t.Errorf("got %q recalled, want no words that nobody wrote", got)
	}

	p.ask("shut issue eight")
	q.until("the second request", named("button", "Don’t allow")+"?.disabled === false")
	p.ask("say hello instead")
	for _, tab := range []*tab{p, q} {
		tab.sees("Hello, both of you.")
		tab.sees("Not answered, so it wasn’t done.")
		tab.answered()
		tab.lacks("button", "Allow once")
	}
	p.everywhere("approval settled", axe)
	p.reload()
	p.wantSaid("shut issue seven", "Allowed, once.", "shut issue eight", "say hello instead")
	if got, want := server.calls(), `[{"id":7,"why":"done"}]`; got != want {
		t.Errorf("got the calls %s, want %s", got, want)
	}
	p.wantQuiet()
	q.wantQuiet()
}

// aConnectorIsChanged: an admin chooses with the keyboard, turns off a tool that is gone, deletes the
// headers that are stored and moves the connector, which takes all permissions away.
func aConnectorIsChanged(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	_, s := startTalker(t)
	admin, member := s.signUp(t), s.signUp(t)
	team := admin.shareWith(member).WorkspaceID
	page := "/workspaces/" + string(team) + "/connectors"
	server := &issues{description: "Closes an issue."}
	at := server.serve(t)
	admin.connect(team, "Issues", at, map[string]string{"list_issues": "always"})
	p := c.enterAs(t, admin, page)
	p.press("button", "Tools of Issues")
	p.until("the choice", "(("+named("combobox", "What close_issue needs")+")?.focus(), document.activeElement?.tagName === 'SELECT')")
	p.do(chromedp.KeyEvent(kb.ArrowDown))
	p.until("it is saved", `[...document.querySelectorAll('.badge')].some((b) => b.textContent === '2 tools allowed') && document.querySelector('[aria-busy=true]') === null`)
	if !evaluate[bool](p, "document.activeElement?.tagName === 'SELECT'") {
		t.Error("got the focus taken from the choice by saving it")
	}
	p.press("button", "Close")

	server.shorten()
	p.press("button", "More actions for Issues")
	p.press("menuitem", "Look for tools again")
	p.sees("1 tool gone")
	p.press("button", "Tools of Issues")
	p.everywhere("connector gone", axe)
	p.pick("What list_issues needs", "Off")
	p.misses("list_issues")
	p.press("button", "Close")

	edit := func() {
		p.press("button", "More actions for Issues")
		p.press("menuitem", "Edit")
		p.sees("Stored: X-Key")
	}
	edit()
	for range 2 {
		p.press("button", "Add header")
	}
	for at, value := range []string{"X-Key", "one", "x-key", "two"} {
		p.until("a field of a header", fmt.Sprintf(`((field) => {
			if (!field) return false;
			field.value = %q;
			field.dispatchEvent(new InputEvent('input', { bubbles: true }));
			return true;
		})(document.querySelectorAll('dialog .form__pair input')[%d])`, value, at))
		p.painted()
	}
	p.press("button", "Save")
	p.sees("Each header needs a name of its own.")
	p.press("button", "Cancel")
	edit()
	p.fill("Address of the MCP server", at+"?team=2")
	p.sees("With another address, you have to allow its tools")
	p.everywhere("connector moves", axe)
	p.press("button", "Add header")
	p.fill("Header", "X-Key")
	p.fill("Value", "s3cret")
	p.press("button", "Save")
	p.sees("Tools of Issues")
	admin.wantTools(team, "close_issue off never")
	p.press("button", "Close")
	if strings.Contains(evaluate[string](p, "document.documentElement.outerHTML"), "s3cret") {
		t.Error("got the value of a header on the page")
	}
	edit()
	p.press("checkbox", "Delete the stored headers")
	p.press("button", "Save")
	p.sees("The connector is saved.")
	p.press("button", "More actions for Issues")
	p.press("menuitem", "Look for tools again")
	p.sees("Not reachable")
	p.everywhere("connector problem", axe)
	p.press("button", "More actions for Issues")
	p.press("menuitem", "Delete")
	p.press("button", "Delete")
	p.sees("No connectors yet")
	p.visit(s.url + "/workspaces/" + string(team) + "/audit")
	p.sees("deleted a connector")
	p.wantQuiet()
	q := c.enterAs(t, member, page)
	q.sees("Only admins and owners can see this")
	q.wantQuiet()
}

// connectorsSpeak: the page, its dialogs and a call because of text from outside, in German and Spanish.
func connectorsSpeak(t *testing.T, c *chromium, _ *service) {
	axe := fetchAxe(t)
	talks, s := startTalker(t)
	talks.on("look at them", callOf("Issues", "list_issues", `{}`))
	talks.on("Closed it for good", callOf("Mail", "close_issue", fmt.Sprintf(`{"id":7,"to":"eve@evil.test","text":%q}`, strings.Repeat("All of it. ", 100))))
	made := s.signUp(t).create("blank")
	at := (&issues{description: strings.Repeat("Closes an issue. ", 20)}).serve(t)
	made.connect(made.WorkspaceID, "Issues", at, map[string]string{"list_issues": "always"})
	made.connect(made.WorkspaceID, "Mail", at, map[string]string{"close_issue": "always"})
	made.connect(made.WorkspaceID, "Nowhere", "http://localhost:9/"+strings.Repeat("long", 60), nil)
	p := c.workbench(t, made)
	p.ask("look at them")
	p.sees("This chat contains text from another program or web page")
	for language, words := range map[string][5]string{
		"de": {"Der Agent möchte", "Neuer Konnektor", "Abbrechen", "Werkzeuge von Issues", "Der Server ist nicht erreichbar"},
		"es": {"El agente quiere usar", "Nuevo conector", "Cancelar", "Herramientas de Issues", "No se puede conectar con el servidor"},
	} {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`localStorage.setItem('atelier.language', %q)`, language)))
		p.visit(s.url + made.path(""))
		p.sees(words[0])
		p.everywhere("approval outside "+language, axe)
		p.visit(s.url + "/workspaces/" + string(made.WorkspaceID) + "/connectors")
		p.press("button", words[1])
		p.sees("https://")
		p.everywhere("connector form "+language, axe)
		p.press("button", words[2])
		p.sees(words[4])
		p.everywhere("connectors "+language, axe)
		p.press("button", words[3])
		p.until("the tools", "document.querySelector('dialog select') !== null")
		p.everywhere("connector tools "+language, axe)
	}
	p.wantQuiet()
}
