package browser

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
)

func workspaceStories() map[string]func(*testing.T, *chromium, *service) {
	return map[string]func(*testing.T, *chromium, *service){
		"an invited person joins a workspace, rises and is removed": anInvitedPersonJoins,
		"a workspace is handed over and left":                       aWorkspaceIsHandedOver,
		"a provider is set up with a key and answers":               aProviderIsSetUp,
		"a provider is changed, chosen and deleted":                 aProviderIsChanged,
		"an admin gives everyone a provider":                        everyoneGetsAProvider,
		"an admin gives a workspace quotas":                         anAdminGivesQuotas,
		"Ollama is looked for and found":                            ollamaIsFound,
		"a service without private addresses has its own Ollama":    aServiceSaysWhatToSet,
		"a mode is made, changed and deleted":                       aModeIsMade,
		"a workspace is renamed, limited and deleted":               aWorkspaceIsRenamed,
		"a workspace tells the agent what it knows":                 aWorkspaceKnows,
		"the rules for the agent are opened from the settings":      rulesAreWritten,
	}
}

// team makes a workspace that the user owns.
func (u *user) team(name string) core.ID {
	u.t.Helper()
	var made core.Workspace
	u.call(http.StatusCreated, http.MethodPost, "/workspaces", map[string]string{"name": name}, &made)
	return made.ID
}

// pick chooses an option, by its text, of the choice with a label.
func (p *tab) pick(label, option string) {
	p.t.Helper()
	p.until("the choice "+label, fmt.Sprintf(`[...(%s?.options ?? [])].some((o) => o.text.startsWith(%q))`, named("combobox", label), option))
	p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`void (() => {
		const choice = %s;
		choice.value = [...choice.options].find((o) => o.text.startsWith(%q)).value;
		choice.dispatchEvent(new Event('change', {bubbles: true}));
	})()`, named("combobox", label), option)))
}

// lacks checks that the page does not offer something.
func (p *tab) lacks(role, name string) {
	p.t.Helper()
	if evaluate[bool](p, named(role, name)+" !== null") {
		p.t.Errorf("got the %s %q, want it not to be offered", role, name)
	}
}

func anInvitedPersonJoins(t *testing.T, c *chromium, s *service) {
	ada, bob := s.signUp(t), s.signUp(t)
	place := "/workspaces/" + string(ada.team("Analytical Engines"))
	p := c.enterAs(t, ada, place+"/members")
	p.wantHeading("Members")
	p.sees("No mail server is set up")
	p.fill("Email address", bob.email)
	p.press("button", "Invite")
	p.sees("Copy the link and send it yourself")
	p.sees("Valid until")
	link := "document.querySelector('.copyable code').textContent"
	first := evaluate[string](p, link)
	p.press("button", "Copy link: "+bob.email)
	p.until("another link", "document.querySelector('.person__link') !== null")
	for _, shape := range shapes {
		p.show(shape.width, shape.height, shape.scheme)
		p.snapshot("invites " + shape.name)
	}
	p.show(1440, 900, "light")
	second := evaluate[string](p, strings.Replace(link, ".copyable", ".person__link .copyable", 1))
	bob.call(http.StatusNotFound, http.MethodPost, strings.TrimPrefix(first, s.url)+"/accept", nil, nil)
	bob.call(http.StatusOK, http.MethodPost, strings.TrimPrefix(second, s.url)+"/accept", nil, nil)

	q := c.enterAs(t, bob, place+"/members")
	q.sees(ada.email)
	q.lacks("button", "Invite")
	q.lacks("combobox", "Role of "+ada.email)
	q.lacks("link", "Security log")
	q.visit(s.url + place + "/audit")
	q.sees("Only admins and owners can see this")

	p.visit(s.url + place + "/members")
	p.pick("Role of "+bob.email, "Admin")
	p.sees(bob.email + ": Admin")
	q.visit(s.url + place + "/members")
	q.press("link", "Security log")
	q.sees("changed a role")
	q.sees(bob.email + ": member → admin")
	q.wantQuiet()

	p.press("button", "More actions for "+bob.email)
	p.press("menuitem", "Remove from workspace")
	p.press("button", "Remove")
	p.sees(bob.email + " is no longer a member.")
	p.until("one member", "document.querySelectorAll('.person--member').length === 1")
	p.press("link", "Security log")
	for _, words := range []string{"invited someone", "joined", "changed a role", "removed a member", "created the workspace", "127.0.0.1"} {
		p.sees(words)
	}
	p.wantQuiet()
	q.visit(s.url + place + "/members")
	q.sees("This page doesn’t exist")
	q.wantQuiet()
}

func aWorkspaceIsHandedOver(t *testing.T, c *chromium, s *service) {
	ada, bob := s.signUp(t), s.signUp(t)
	place := "/workspaces/" + string(ada.team("Ours"))
	ada.call(http.StatusCreated, http.MethodPost, place+"/invites", map[string]string{"email": bob.email, "role": "member"}, nil)
	bob.call(http.StatusOK, http.MethodPost, s.linkMailed(t, bob.email, "/invites/")+"/accept", nil, nil)
	p := c.enterAs(t, ada, place+"/members")
	p.sees("You’re the only owner.")
	p.press("button", "More actions for "+bob.email)
	p.press("menuitem", "Transfer ownership")
	p.press("button", "Transfer")
	p.sees(bob.email + " now owns the workspace.")
	p.press("button", "Leave workspace")
	p.sees("You’ll no longer see its projects.")
	p.press("button", "Leave")
	p.until("the dashboard", "location.pathname === '/dashboard'")
	p.sees("You left Ours.")
	p.wantQuiet()
	ada.call(http.StatusNotFound, http.MethodGet, place, nil, nil)
}

func aProviderIsSetUp(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	place := "/workspaces/" + string(u.workspace)
	lab := startLab(t)
	p := c.enterAs(t, u, place+"/providers")
	p.press("button", "API key")
	p.press("radio", "OpenAI-compatible")
	p.fill("API key", "sk-not-the-key-at-all")
	p.fill("Base URL", lab)
	p.press("button", "Connect")
	p.sees("refused the key")
	p.pardon(http.StatusBadGateway)
	var providers struct{ Items []core.Provider }
	if u.call(http.StatusOK, http.MethodGet, place+"/ai-providers", nil, &providers); len(providers.Items) != 0 {
		t.Errorf("got %v, want nothing left of a provider that refused", providers.Items)
	}
	p.fill("API key", labKey)
	p.press("button", "Connect")
	p.pick("Model", "lab-large (33K tokens, price unknown)")
	p.press("button", "Use this model")
	p.sees("Default model: lab-large")
	p.press("button", "Test 127.0.0.1")
	p.sees("It answers")
	p.sees("Calls tools natively")
	p.sees("Reads 32,768 tokens at once")
	p.misses(labKey)
	p.wantQuiet()

	u.converse(t, "Hello")
	p.press("link", "Usage")
	p.sees("lab-large")
	p.until("what came from the cache", `/^[1-9].*,000$/.test(document.querySelector('td[data-label="From cache"]')?.textContent)`)
	p.sees("no limit")
	p.until("a bar", "document.querySelectorAll('.chart__bar').length === 1")
	p.press("tab", "Tokens")
	p.until("its table", `[...document.querySelectorAll('table caption')].some((c) => c.textContent === 'By day')`)
	u.call(http.StatusOK, http.MethodPatch, place, map[string]float64{"creditLimit": 0.01}, nil)
	p.visit(s.url + place + "/usage")
	p.sees("The credit is used up.")
	p.press("link", "Security log")
	p.sees("added an AI provider")
	p.wantQuiet()
	u.call(http.StatusOK, http.MethodPatch, place, map[string]any{"creditLimit": nil}, nil)
	aModelIsChosenByItsPrice(t, c, u)
}

func aModelIsChosenByItsPrice(t *testing.T, c *chromium, u *user) {
	p := c.workbench(t, u.create("static-html"))
	p.press("button", "Model: Default model")
	p.sees("33K tokens · price unknown")
	p.sees("128K tokens · $2.00 in, $6.00 out per million")
	p.snapshot("models")
	p.press("option", "mistral-large")
	p.ask("Hello")
	// 3,000 tokens at 2 USD a million, 9,000 from the cache at 0.2, 800 written at 6.
	p.sees("12,800 tokens · $0.0126")
	p.until("what came from the cache, by hover", `document.querySelector('.spent').title === '12,000 read, 9,000 of them from the provider’s cache, 800 written'`)
	p.wantQuiet()
}

// converse has the agent answer a message in a new project.
func (u *user) converse(t *testing.T, text string) {
	t.Helper()
	made := u.create("blank")
	var chats struct{ Items []core.Chat }
	u.call(http.StatusOK, http.MethodGet, made.path("/chats"), nil, &chats)
	body := fmt.Sprintf(`{"chatId":%q,"text":%q}`, chats.Items[0].ID, text)
	response := u.send(http.MethodPost, "/chat/"+string(made.ID)+"/messages", "application/json", strings.NewReader(body))
	defer response.Body.Close()
	events, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(events), "session.task_complete") {
		t.Fatalf("got %d %s, %v, want a run that ends well", response.StatusCode, events, err)
	}
}

func aProviderIsChanged(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	place := "/workspaces/" + string(u.workspace)
	lab := startLab(t)
	add := map[string]string{"kind": "openai", "name": "Lab <b>bold</b>", "baseUrl": lab, "apiKey": labKey}
	u.call(http.StatusCreated, http.MethodPost, place+"/ai-providers", add, nil)
	p := c.enterAs(t, u, place+"/providers")
	p.sees("Lab <b>bold</b>")
	p.sees("key …cdef")
	p.press("button", "Add provider")
	p.press("radio", "Demo")
	p.press("button", "Add provider")
	p.sees("Demo")
	p.sees("It answers")

	p.press("button", "More actions for Lab")
	p.press("menuitem", "Choose model")
	p.pick("Default model", "lab-small")
	p.press("button", "Save")
	p.sees("Default model: lab-small")
	p.sees("Reads 8,192 tokens at once")
	p.press("button", "More actions for Lab")
	p.press("menuitem", "Edit")
	p.sees("Leave empty to keep the current key (…cdef).")
	p.fill("Base URL", lab+"/")
	p.sees("If you change the address, the stored key is removed")
	p.press("button", "Save")
	p.sees("It can’t be used.")
	p.sees("requires a key")

	p.press("button", "More actions for Demo")
	p.press("menuitem", "Make default")
	p.sees("Demo is now the default.")
	p.press("button", "More actions for Lab")
	p.press("menuitem", "Delete")
	p.press("button", "Delete")
	p.sees("is deleted.")
	p.until("one provider", "document.querySelectorAll('.provider').length === 1")
	p.wantQuiet()
}

func ollamaIsFound(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	p := c.enterAs(t, u, "/workspaces/"+string(u.workspace)+"/providers")
	p.press("button", "API key")
	p.press("button", "Another way")
	p.press("button", "Ollama on this machine")
	p.fill("Ollama’s address", "http://127.0.0.1:1")
	p.press("button", "Look again")
	p.sees("ollama pull qwen3:8b")
	p.fill("Ollama’s address", startOllama(t))
	p.press("button", "Look again")
	p.pick("Model", "qwen3:8b (41K tokens, free)")
	p.press("button", "Use this model")
	p.sees("Default model: qwen3:8b")
	p.pardon(http.StatusBadGateway)
	p.wantQuiet()
}

func aServiceSaysWhatToSet(t *testing.T, c *chromium, _ *service) {
	s := startService(t, "localhost", map[string]string{"OLLAMA_HOST": startOllama(t)})
	u := s.signUp(t)
	p := c.enterAs(t, u, "/workspaces/"+string(u.workspace)+"/providers")
	p.press("button", "Ollama on this machine")
	p.pick("Model", "qwen3:8b (41K tokens, free)")
	p.press("button", "Use this model")
	p.sees("Default model: qwen3:8b")
	p.press("button", "Add provider")
	p.sees("How it appears in the chat.")
	p.fill("Base URL", "http://127.0.0.1:9")
	p.press("button", "Add provider")
	p.sees("This server isn’t allowed to call private addresses")
	p.press("button", "Cancel")
	p.pardon(http.StatusBadRequest)
	p.wantQuiet()
}

func aModeIsMade(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	place := "/workspaces/" + string(u.workspace) + "/modes"
	hostile := "<img src=x onerror=alert(1)>"
	p := c.enterAs(t, u, place)
	p.sees("No modes yet")
	p.press("button", "New mode")
	p.fill("Name", "build")
	p.fill("Instructions for the agent", hostile+" Review the code.")
	p.press("button", "Create")
	p.sees(`The mode "build" is built in: choose another name.`)
	p.pardon(http.StatusConflict)
	p.fill("Name", hostile)
	p.press("checkbox", "Run commands")
	p.press("button", "Create")
	p.sees(hostile + " is created.")
	p.sees("10 tools")
	p.press("button", "More actions for "+hostile)
	p.press("menuitem", "Edit")
	p.press("button", "All")
	p.press("checkbox", "Delete files")
	p.fill("Name", "Reviewer/2")
	p.press("button", "Save")
	p.sees("21 tools")
	var modes struct{ Items []core.Mode }
	u.call(http.StatusOK, http.MethodGet, place, nil, &modes)
	if len(modes.Items) != 1 || modes.Items[0].Name != "Reviewer/2" || slices.Contains(modes.Items[0].Tools, "delete_file") || modes.Items[0].Prompt != hostile+" Review the code." {
		t.Errorf("got %+v, want the mode as it was typed", modes.Items)
	}
	p.press("button", "More actions for Reviewer/2")
	p.press("menuitem", "Delete")
	p.press("button", "Delete")
	p.sees("No modes yet")
	p.wantQuiet()
}

func aWorkspaceIsRenamed(t *testing.T, c *chromium, s *service) {
	u := s.signUp(t)
	place := "/workspaces/" + string(u.team("Before"))
	p := c.enterAs(t, u, place+"/general")
	p.fill("Name", "After")
	p.press("checkbox", "No limit")
	p.fill("Credit limit", "12.5")
	p.fill("Network access for commands", "registry.npmjs.org 10.0.0.1")
	p.press("button", "Save")
	p.sees("CommandHosts must be names")
	p.pardon(http.StatusBadRequest)
	p.fill("Network access for commands", "registry.npmjs.org")
	p.press("checkbox", "Only admins publish changes")
	p.press("button", "Save")
	p.sees("Saved")
	p.press("button", "Workspace: After")
	p.press("menuitem", "After")
	var space core.Workspace
	u.call(http.StatusOK, http.MethodGet, place, nil, &space)
	if space.Name != "After" || space.CreditLimit == nil || *space.CreditLimit != 12.5 || len(space.CommandHosts) != 1 || space.LivePublish != core.RoleAdmin {
		t.Errorf("got %+v, want what was typed", space)
	}
	p.press("button", "Delete workspace")
	p.sees("Type After to continue")
	p.until("a button that waits", named("button", "Delete workspace")+"?.disabled === true")
	p.fill("Type After", "After")
	p.press("button", "Delete workspace")
	p.until("the dashboard", "location.pathname === '/dashboard'")
	u.call(http.StatusNotFound, http.MethodGet, place, nil, nil)
	p.wantQuiet()
}
