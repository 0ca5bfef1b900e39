package browser

import (
	"maps"
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

const (
	shopPage = `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1><div id="root"></div><script type="module" src="shop.js"></script></html>`
	// shopCode offers the button while a or b does.
	shopCode = `import { a } from './a.js';
import { b } from './b.js';
document.getElementById('root').innerHTML = '<p>Tea</p>' + (a || b ? '<button>Buy</button>' : '');
document.querySelector('button')?.addEventListener('click', (event) => { event.target.style.background = 'gold'; });
`
	buyingCheck = `{"title": "One can buy", "path": "/", "steps": [{"expect": "visible", "target": {"role": "button", "name": "Buy"}}]}`
)

// TestStudioShowsWhatTheAgentSees: frames of the page in the chat, and merges that checks refuse, with
// the service's own browser.
func TestStudioShowsWhatTheAgentSees(t *testing.T) {
	stop := []storytest.ToolCall{storytest.Calls("read_file", "path", "a.js"), storytest.Calls("edit_file", "path", "a.js", "oldText", "true", "newText", "false")}
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"Look around": {
			storytest.Calls("look"),
			storytest.Calls("act", "steps", `[{"do":"click","target":{"role":"button","name":"Buy"}},{"expect":"visible","target":{"role":"button","name":"Gone"}}]`),
		},
		"Stop": stop, "Stop selling": stop,
		"Sell nothing": {storytest.Calls("read_file", "path", "shop.js"), storytest.Calls("edit_file", "path", "shop.js", "oldText", "a || b", "newText", "!a || b")},
	}}
	env := play.Env(t)
	maps.Copy(env, map[string]string{"BROWSING": "on"})
	c, s := startChromium(t), startService(t, "localhost", env)
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	for path, content := range map[string]string{
		"index.html": shopPage, "shop.js": shopCode, "a.js": "export const a = true;\n", "b.js": "export const b = false;\n",
		".atelier/checks/buying.json": buyingCheck,
	} {
		project.save(path, content)
	}
	p := c.workbench(t, project)
	theAgentIsWatched(p, axe)
	project.save("a.js", "export const a = true;\n")
	project.user.call(http.StatusOK, http.MethodPost, project.path("/checks/run"), map[string]any{}, nil)

	p.press("button", "Tasks")
	for _, wanted := range []string{"Stop selling", "Sell nothing"} {
		p.fill("What should the agent do?", wanted)
		p.press("button", "Start task")
		p.sees(wanted)
	}
	badges := func(text string) string {
		return `[...document.querySelectorAll('.task .badge')].filter((b) => b.textContent === '` + text + `').length`
	}
	p.until("two tasks that are ready", badges("Ready")+" === 2")
	p.press("button", "Merge")
	p.until("the refusal", badges("Checks failed")+" === 1")
	p.pardon(http.StatusConflict)
	p.sees("These checks fail with the task’s changes, so nothing was merged:")
	p.sees("One can buy")
	p.show(390, 844, "dark")
	p.wantAccessible("a task that checks hold back", axe)
	p.picture("task held back")
	p.show(1440, 900, "light")
	play.Other = func(string) []storytest.ToolCall {
		return []storytest.ToolCall{
			storytest.Calls("read_file", "path", "a.js"), storytest.Calls("edit_file", "path", "a.js", "oldText", "false", "newText", "true /* still sold */"),
			storytest.Calls("read_file", "path", "shop.js"), storytest.Calls("edit_file", "path", "shop.js", "oldText", "!a || b", "newText", "a || b"),
		}
	}
	p.press("button", "Let the agent fix it")
	p.until("the merge of what it fixed", badges("Merged")+" === 1")
	p.press("button", "Merge")
	p.until("the second refusal", badges("Checks failed")+" === 1")
	p.pardon(http.StatusConflict)
	p.press("button", "Merge anyway")
	p.until("both merges", badges("Merged")+" === 2")
	p.sees("Checks fail after the merge:")
	p.wantQuiet()
}

// theAgentIsWatched enlarges a frame, and sees where a check failed.
func theAgentIsWatched(p *tab, axe string) {
	p.t.Helper()
	p.ask("Look around")
	p.answered()
	p.until("a frame of each step", `[...document.querySelectorAll('.frame img')].filter((image) => image.naturalWidth === 640).length === 3`)
	p.wantAccessible("a chat with frames", axe)
	width := `document.querySelector('.frame img').getBoundingClientRect().width`
	small := evaluate[float64](p, width)
	p.press("button", "What the agent saw")
	if large := evaluate[float64](p, width); large < 2*small || evaluate[string](p, `document.querySelector('.frame').ariaExpanded`) != "true" {
		p.t.Errorf("got a frame %.0f wide, and %.0f when it is opened, want it enlarged", small, large)
	}
	p.picture("frames")
	p.press("button", "What the agent saw")
	p.ask("Stop")
	p.sees("Check failed:")
	p.until("the page where the check failed", `document.querySelector('.quiet--failed + .frames img')?.naturalWidth === 1024`)
	p.picture("failed check")
	p.answered()
	p.visit(evaluate[string](p, `location.href`))
	p.until("the frames after a reload", `[...document.querySelectorAll('.frame img')].filter((image) => image.naturalWidth > 0).length >= 4`)
}
