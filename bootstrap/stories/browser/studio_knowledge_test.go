package browser

import (
	"net/http"
	"strings"
	"testing"
)

// aWorkspaceKnows: what is typed comes back after a reload, also what looks like a tag, and a
// text that is too long says by how much.
func aWorkspaceKnows(t *testing.T, c *chromium, s *service) {
	const known = "Our brand is green. <script>alert(1)</script>"
	u := s.signUp(t)
	place := "/workspaces/" + string(u.workspace)
	p := c.enterAs(t, u, place+"/general")
	p.until("the text", named("textbox", "What the agent should know")+" !== null")
	p.fill("What the agent should know", known)
	p.press("button", "Save knowledge")
	p.sees("Saved")
	var got struct{ Text string }
	u.call(http.StatusOK, http.MethodGet, place+"/knowledge", nil, &got)
	if got.Text != known {
		t.Errorf("got %q, want what was typed", got.Text)
	}
	for name, scheme := range map[string]string{"light": "light", "dark": "dark"} {
		for view, width := range map[string]int64{"phone": 390, "tablet": 820, "desk": 1440} {
			p.show(width, 900, scheme)
			p.picture("knowledge-" + view + "-" + name)
		}
	}
	p.show(1440, 900, "light")
	p.visit(s.url + place + "/general")
	p.until("the text again", named("textbox", "What the agent should know")+`?.value.startsWith('Our brand') === true`)
	p.fill("What the agent should know", strings.Repeat("x", 16<<10+3))
	p.sees("This is 3 bytes too long.")
	p.wantQuiet()
}

// rulesAreWritten: the settings open AGENTS.md in the editor, and make it only where it is not.
func rulesAreWritten(t *testing.T, c *chromium, s *service) {
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	for range 2 {
		p.press("button", "More actions for "+isolated(made.Name))
		p.press("menuitem", "Settings…")
		p.press("button", "Rules for the agent")
		p.until("the file in the editor", `document.querySelector('.cm-content')?.textContent.includes('Rules for the agent') === true`)
		// The second time the file is there.
		p.pardon(http.StatusPreconditionFailed)
	}
	if got := made.read("AGENTS.md"); got != "# Rules for the agent\n\n" {
		t.Errorf("got %q, want the beginning once", got)
	}
}
