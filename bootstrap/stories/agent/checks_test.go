package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

const (
	memberNotesSchema = `{"collections": [{"name": "people", "type": "auth"}, {"name": "notes", "listRule": "@request.auth.id != ''", "createRule": "@request.auth.id != ''", "fields": [{"name": "text", "type": "text"}]}]}`
	memberNotesSeed   = `{"people": [{"email": "anna@example.com", "password": "secret-of-anna"}], "notes": [{"text": "from the seed"}]}`
	// notesCode keeps its session as PocketBase's client does.
	notesCode = `const session = JSON.parse(localStorage.getItem('pocketbase_auth') ?? '{}');
const root = document.getElementById('root');
const head = { authorization: session.token ?? '', 'content-type': 'application/json' };
root.innerHTML = '<p role="status"></p><form><label>New note <input id="t"></label><button>Add</button></form><ul id="l"></ul>';
root.querySelector('p').textContent = session.record ? 'Hello ' + session.record.email : 'Who are you?';
async function show() {
  const answer = await fetch('/_data/collections/notes/records', { headers: head });
  const { items } = await answer.json();
  document.getElementById('l').replaceChildren(...items.map(({ text }) => Object.assign(document.createElement('li'), { textContent: text })));
}
root.querySelector('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  await fetch('/_data/collections/notes/records', { method: 'POST', headers: head, body: JSON.stringify({ text: document.getElementById('t').value }) });
  await show();
});
show();
`
	annasCheck = `{"title": "Anna adds a note", "path": "/", "as": "anna@example.com", "steps": [
  {"expect": "text", "target": {"role": "status"}, "value": "Hello anna@example.com"},
  {"expect": "count", "target": {"role": "listitem"}, "count": 1},
  {"do": "fill", "target": {"role": "textbox", "name": "New note"}, "value": "Milk"},
  {"do": "click", "target": {"role": "button", "name": "Add"}},
  {"expect": "text", "target": {"role": "listitem", "nth": 2}, "value": "Milk"}]}`
	guestsCheck = `{"title": "Guests see nothing", "path": "/", "steps": [
  {"expect": "text", "value": "Who are you?"},
  {"expect": "count", "target": {"role": "listitem"}, "count": 0}]}`
)

type playedCheck struct {
	Name    string
	Passed  bool
	Step    int
	Message string
	Picture string
}

func play(w *storytest.Work) []playedCheck {
	w.T.Helper()
	var answer struct{ Items []playedCheck }
	w.Must(http.StatusOK, http.MethodPost, "/projects/"+string(w.ID)+"/checks/run", storytest.Fields{}, &answer)
	return answer.Items
}

// TestChecksArePlayedAsGuestsAndUsersOnFreshData: nobody's rows change, however often they are
// played, and a failure has a picture.
func TestChecksArePlayedAsGuestsAndUsersOnFreshData(t *testing.T) {
	w := seeing(t, nil)
	w.Put("index.html", todosPage)
	w.Put("todos.js", notesCode)
	w.Put(core.BackendSeedPath, memberNotesSeed)
	w.Put(core.BackendSchemaPath, memberNotesSchema)
	w.Put(".atelier/checks/anna.json", annasCheck)
	w.Put(".atelier/checks/guests.json", guestsCheck)
	for range 2 {
		for _, one := range play(w) {
			if !one.Passed {
				t.Errorf("got %+v, want it to pass", one)
			}
		}
	}
	var state struct {
		Environments struct{ Test struct{ Records int } }
	}
	w.Must(http.StatusOK, http.MethodGet, "/projects/"+string(w.ID)+"/backend", nil, &state)
	if state.Environments.Test.Records != 2 {
		t.Errorf("got %d records, want Anna and a note", state.Environments.Test.Records)
	}

	w.Put("todos.js", strings.Replace(notesCode, "method: 'POST'", "method: 'GET'", 1))
	got := play(w)
	if len(got) != 2 || got[0].Passed || got[0].Step != 5 || !got[1].Passed || got[0].Picture == "" {
		t.Fatalf("got %+v, want Anna's last step to fail", got)
	}
	picture := w.Do(http.MethodGet, "/projects/"+string(w.ID)+"/checks/anna/picture", nil)
	if picture.Status != http.StatusOK || !strings.HasPrefix(string(picture.Body), "\x89PNG") {
		t.Errorf("got %d, want a picture", picture.Status)
	}
	refused := w.Do(http.MethodPost, "/projects/"+string(w.ID)+"/publish", storytest.Fields{})
	if refused.Status != http.StatusConflict || !strings.Contains(string(refused.Body), `"checks_failed"`) || !strings.Contains(string(refused.Body), "Anna adds a note") {
		t.Errorf("got %d %s, want a refusal with the check", refused.Status, refused.Body)
	}
	w.Must(http.StatusOK, http.MethodPost, "/projects/"+string(w.ID)+"/publish", storytest.Fields{"ignoreChecks": true}, nil)
}

// TestTheAgentKeepsACheckAndMendsWhatBreaksIt: what it tried is played after its next runs.
func TestTheAgentKeepsACheckAndMendsWhatBreaksIt(t *testing.T) {
	w := seeing(t, map[string][]storytest.ToolCall{
		"build": {
			storytest.Calls("delete_file", "path", "index.html"), write("index.html", todosPage), write("todos.js", todosCode),
			storytest.Calls("look"),
			storytest.Calls("act", "steps", `[{"do":"fill","target":{"role":"textbox","name":"New todo"},"value":"Milk"},{"do":"click","target":{"role":"button","name":"Add"}},{"expect":"text","target":{"role":"listitem"},"value":"Milk"}]`),
			storytest.Calls("save_check", "name", "adding", "title", "Adding a todo"),
		},
		"break": {
			storytest.Calls("read_file", "path", "todos.js"),
			storytest.Calls("edit_file", "path", "todos.js", "oldText", ".append(item)", "newText", ".remove(item)"), storytest.Pause(),
			storytest.Calls("edit_file", "path", "todos.js", "oldText", ".remove(item)", "newText", ".append(item)"),
		},
	})
	all := w.Send("build")
	if last := storytest.LastOf(all); last["reason"] != "done" {
		t.Fatalf("got %v ending with %v, want the run done", storytest.Kinds(all), last)
	}
	if got := verdicts(all); got != "adding passed" {
		t.Errorf("got %q, want the new check played", got)
	}
	all = w.Send("break")
	if got := verdicts(all); got != "adding failed, adding passed" || storytest.LastOf(all)["reason"] != "done" {
		t.Errorf("got %q ending with %v, want the check to fail, and to pass in the end", got, storytest.LastOf(all))
	}
	if said := texts(all); len(said) != 2 {
		t.Errorf("got %q, want the model asked once more", said)
	}
}

// verdicts lists what became of checks in a run.
func verdicts(all []storytest.Event) string {
	var list []string
	for _, e := range all {
		if e.Kind() == "check.result" {
			word := "failed"
			if e.Data["passed"] == true {
				word = "passed"
			}
			list = append(list, e.Data["name"].(string)+" "+word)
		}
	}
	return strings.Join(list, ", ")
}
