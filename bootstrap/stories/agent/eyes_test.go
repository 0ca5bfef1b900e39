package agent_test

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// seeing is a project of a service whose agent sees pages in the real browser, with a model that
// follows scripts.
func seeing(t *testing.T, scripts map[string][]storytest.ToolCall) *storytest.Work {
	t.Helper()
	env := (&storytest.Screenplay{Scripts: scripts}).Env(t)
	maps.Copy(env, map[string]string{"BROWSING": "on"})
	return storytest.Serve(t, t.TempDir(), storytest.Programs()["local"].Make, env).SignUp().Create(storytest.Template)
}

func write(path, content string) storytest.ToolCall {
	return storytest.Calls("write_file", "path", path, "content", content)
}

// texts returns what the agent said.
func texts(all []storytest.Event) []string {
	var said []string
	for _, e := range all {
		if e.Kind() == "assistant.message" {
			said = append(said, e.Data["text"].(string))
		}
	}
	return said
}

const (
	todosPage = `<!doctype html><html lang="en"><title>Todos</title><body><h1>Todos</h1><div id="root"></div><script type="module" src="todos.js"></script></body></html>`
	todosCode = `const root = document.getElementById('root');
root.innerHTML = '<form><label>New todo <input id="t"></label><button>Add</button></form><ul id="l"></ul>';
root.querySelector('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const item = document.createElement('li');
  item.textContent = document.getElementById('t').value;
  document.getElementById('l').append(item);
});
`
)

// TestTheAgentMendsAPageThatBuilds: three states of a page that build, and do not work.
func TestTheAgentMendsAPageThatBuilds(t *testing.T) {
	w := seeing(t, map[string][]storytest.ToolCall{"build": {
		storytest.Calls("delete_file", "path", "index.html"),
		write("index.html", `<!doctype html><title>Todos</title><div id="root"></div><script type="module" src="/todos.js"></script>`),
		write("todos.js", "export const todos = [];\n"), storytest.Pause(),
		storytest.Calls("delete_file", "path", "todos.js"), write("todos.js", "const list = undefined;\nlist.map(String);\n"), storytest.Pause(),
		storytest.Calls("delete_file", "path", "todos.js"), write("todos.js", todosCode+"fetch('/todos.json');\n"), storytest.Pause(),
		storytest.Calls("delete_file", "path", "todos.js"), write("todos.js", todosCode),
		storytest.Calls("act", "steps", `[{"do":"fill","target":{"role":"textbox","name":"New todo"},"value":"Milk"},{"do":"click","target":{"role":"button","name":"Add"}},{"expect":"text","target":{"role":"listitem"},"value":"Milk"}]`),
	}})
	all := w.Send("build")
	if said := texts(all); len(said) != 4 || storytest.LastOf(all)["reason"] != "done" {
		t.Errorf("got %q, ending with %v, want three rounds of mending, and the run done", said, storytest.LastOf(all))
	}
	if got := results(all); !strings.Contains(got[len(got)-1], "All 3 steps done.") || !strings.Contains(got[len(got)-1], `"Milk"`) {
		t.Errorf("got %q, want the page used", got[len(got)-1])
	}
}

// TestTheAgentUsesItsPage: what it sees is the page of the moment, also after a change.
func TestTheAgentUsesItsPage(t *testing.T) {
	w := seeing(t, map[string][]storytest.ToolCall{
		"build": {
			storytest.Calls("delete_file", "path", "index.html"), write("index.html", todosPage), write("todos.js", todosCode),
			storytest.Calls("look"),
			storytest.Calls("act", "steps", `[{"do":"click","target":{"role":"button","name":"Remove"}},{"do":"wait"}]`),
			storytest.Calls("edit_file", "path", "todos.js", "oldText", "<button>Add</button>", "newText", "<button>Put</button>"),
			storytest.Calls("look"),
			storytest.Calls("look", "path", "/about.html"),
			storytest.Calls("look", "path", "/nothing.html"),
		},
		"nothing": {storytest.Calls("look")},
	})
	all := w.Send("build")
	wantResults(t, all, "deleted", "created", "created",
		"Page / \"Todos\"\nheading 1 \"Todos\"\ntextbox \"New todo\" e", `failed: validation_failed: step 1 of 2 failed, and those after it were not tried: there is no button "Remove"; the page has the button "Add"`,
		"modified", `button "Put"`, `heading 1 "About"`, "(status 404)")
	if got := results(all)[3]; strings.Contains(got, "localhost") || strings.Contains(got, "preview") {
		t.Errorf("got %q, want no address of the preview", got)
	}
	if last := storytest.LastOf(all); last["reason"] != "done" {
		t.Errorf("got %v, want the run done", last)
	}
	wantResults(t, w.Send("nothing"), `button "Put"`)
	// Those who watch saw each look, and the step that failed.
	for i, kind := range []string{"tool.result", "tool.error"} {
		if filmed := wantFrames(w, all, kind); filmed != []int{4, 1}[i] {
			t.Errorf("got %d events of type %s with a picture, want %d", filmed, kind, []int{4, 1}[i])
		}
	}
}

// wantFrames counts the events of a type that have pictures, and reads each of these.
func wantFrames(w *storytest.Work, all []storytest.Event, kind string) int {
	w.T.Helper()
	filmed := 0
	for _, e := range all {
		frames, _ := e.Data["frames"].([]any)
		if e.Kind() != kind || len(frames) == 0 {
			continue
		}
		filmed++
		for _, frame := range frames {
			answer := w.Must(http.StatusOK, http.MethodGet, w.Path("/chats/"+string(w.Chat)+"/attachments/"+frame.(map[string]any)["id"].(string)), nil, nil)
			if !strings.HasPrefix(string(answer.Body), "\x89PNG") {
				w.T.Errorf("got %.20q, want a picture", answer.Body)
			}
		}
	}
	return filmed
}

func TestWithoutABrowserTheAgentIsBlind(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), storytest.Programs()["local"].Make, (&storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"look": {storytest.Calls("look")},
	}}).Env(t)).SignUp().Create(storytest.Template)
	wantResults(t, w.Send("look"), "failed: there is no browser here")
	if slices.Contains(texts(w.Send("look")), "") {
		t.Error("got an empty answer")
	}
}

// TestTheAgentSeesChangesLive: the stream of a project's own data reaches the page in the cage.
func TestTheAgentSeesChangesLive(t *testing.T) {
	const page = `<!doctype html><html lang="en"><title>Notes</title><body><h1>Notes</h1><ul id="l"></ul><script type="module" src="live.js"></script></body></html>`
	const live = `const say = (text) => { const item = document.createElement('li'); item.textContent = text; document.getElementById('l').append(item); };
const events = new EventSource('/_data/api/realtime');
events.addEventListener('PB_CONNECT', async (event) => {
  const { clientId } = JSON.parse(event.data);
  const answer = await fetch('/_data/api/realtime', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ clientId, subscriptions: ['notes/*'] }) });
  say('following ' + answer.status);
});
events.addEventListener('notes/*', (event) => say(JSON.parse(event.data).record.text));
`
	w := seeing(t, map[string][]storytest.ToolCall{"build": {
		write("backend/schema.json", `{"collections":[{"name":"notes","type":"base","listRule":"","viewRule":"","fields":[{"name":"text","type":"text"}]}]}`),
		storytest.Calls("delete_file", "path", "index.html"), write("index.html", page), write("live.js", live),
		storytest.Calls("act", "steps", `[{"expect":"text","target":{"role":"listitem"},"value":"following 204"}]`),
		request("POST", notesPath, "owner", `{"text":"written elsewhere"}`),
		storytest.Calls("act", "steps", `[{"expect":"text","target":{"role":"list"},"value":"written elsewhere"}]`),
	}})
	all := w.Send("build")
	if got := results(all); len(got) != 7 || !strings.Contains(got[4], "All 1 steps done.") || !strings.Contains(got[6], "All 1 steps done.") || storytest.LastOf(all)["reason"] != "done" {
		t.Errorf("got %q, ending with %v, want the change seen", got, storytest.LastOf(all))
	}
}

// TestTheAgentIsToldPlacesInTheSources, not in the code that the preview makes of them.
func TestTheAgentIsToldPlacesInTheSources(t *testing.T) {
	w := seeing(t, map[string][]storytest.ToolCall{"build": {
		storytest.Calls("delete_file", "path", "index.html"),
		write("index.html", `<!doctype html><title>Cups</title><h1>Cups</h1><script type="module" src="/src/cups.ts"></script>`),
		write("src/cups.ts", "interface Cup {\n  name: string;\n}\n\nconst cups = undefined as unknown as Cup[];\nexport const names = () => cups.map((cup) => cup.name);\nnames();\n"),
		storytest.Calls("look"),
	}})
	got := results(w.Send("build"))
	if seen := got[len(got)-1]; !strings.Contains(seen, "names (src/cups.ts:6:33)") || !strings.Contains(seen, "src/cups.ts:7:1") || strings.Contains(seen, "@app") {
		t.Errorf("got the page %q, want the lines of src/cups.ts", seen)
	}
}
