package tasks_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/tasks"
)

const (
	shopPage = `<!doctype html><html lang="en"><title>Shop</title><body><h1>Shop</h1><div id="root"></div><script type="module" src="shop.js"></script></body></html>`
	// shopCode offers the button while a or b does.
	shopCode = `import { a } from './a.js';
import { b } from './b.js';
const items = [
  'one',
  'two',
  'three',
  'four',
  'five',
];
document.getElementById('root').innerHTML =
  '<ul>' + items.map((item) => '<li>' + item + '</li>').join('') + '</ul>' + (a || b ? '<button>Buy</button>' : '');
`
	buyingCheck = `{"title": "One can buy", "path": "/", "steps": [{"expect": "visible", "target": {"role": "button", "name": "Buy"}}]}`
	fiveCheck   = `{"title": "Five items", "path": "/", "steps": [{"expect": "count", "target": {"role": "listitem"}, "count": 5}]}`
)

func edits(path, from, to string) []storytest.ToolCall {
	return []storytest.ToolCall{storytest.Calls("read_file", "path", path), storytest.Calls("edit_file", "path", path, "oldText", from, "newText", to)}
}

// TestFourTasksMergedAtOnceKeepTheChecksGreen: two of the four are sound by themselves and break a
// check together. One of them is held back, and merged when the agent has mended it.
func TestFourTasksMergedAtOnceKeepTheChecksGreen(t *testing.T) {
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"task 0": edits("shop.js", "'one'", "'first'"), "task 1": edits("shop.js", "'five'", "'last'"),
		"task 2": edits("a.js", "true", "false"), "task 3": edits("b.js", "true", "false"),
	}}
	b := newBoard(t, storytest.Programs()["local"], play, map[string]string{"BROWSING": "on"})
	b.Put("index.html", shopPage)
	b.Put("shop.js", shopCode)
	b.Put("a.js", "export const a = true;\n")
	b.Put("b.js", "export const b = true;\n")
	b.Put(".atelier/checks/buying.json", buyingCheck)
	b.Put(".atelier/checks/five.json", fiveCheck)
	var made []tasks.View
	for i := range 4 {
		made = append(made, b.begin(fmt.Sprintf("task %d", i)))
	}
	for _, task := range made {
		b.await(task.ID, tasks.Ready)
	}
	answers := make([]storytest.Answer, len(made))
	var merges sync.WaitGroup
	for i, task := range made {
		merges.Go(func() {
			answers[i] = b.Do(http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/merge"), storytest.Fields{})
		})
	}
	merges.Wait()
	var held []int
	for i, answer := range answers {
		if answer.Status != http.StatusOK {
			held = append(held, i)
		}
	}
	if len(held) != 1 || held[0] < 2 {
		t.Fatalf("got %v, want one of the last two held back", answers)
	}
	var refused struct {
		Error  core.Code
		Checks []core.CheckFailure
	}
	must(t, json.Unmarshal(answers[held[0]].Body, &refused))
	if refused.Error != core.CodeChecksFailed || len(refused.Checks) != 1 || refused.Checks[0].Title != "One can buy" || refused.Checks[0].Step != 1 {
		t.Errorf("got %s, want the check that would break", answers[held[0]].Body)
	}
	b.wantGreen()
	task := b.await(made[held[0]].ID, tasks.ChecksFailed)

	// The agent is told what fails, and mends it.
	play.Other = func(string) []storytest.ToolCall {
		return edits([]string{"a.js", "b.js"}[held[0]-2], "false", "true /* the only way to buy */")
	}
	b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/resolve"), storytest.Fields{"by": "agent"}, nil)
	if merged := b.await(task.ID, tasks.Merged); merged.Checks.State != core.ChecksPassed {
		t.Errorf("got %+v, want it merged with the checks green", merged)
	}
	b.wantGreen()
	found := b.Files()
	for path, want := range map[string]string{
		"shop.js":                           shopCodeWith("'first'", "'last'"),
		[]string{"a.js", "b.js"}[held[0]-2]: fmt.Sprintf("export const %s = true /* the only way to buy */;\n", []string{"a", "b"}[held[0]-2]),
		[]string{"b.js", "a.js"}[held[0]-2]: fmt.Sprintf("export const %s = false;\n", []string{"b", "a"}[held[0]-2]),
	} {
		if found[path] != want {
			t.Errorf("%s: got %q, want %q", path, found[path], want)
		}
	}
}

// TestAMergeDespiteItsChecks: a person may merge anyway, and the board tells what fails then.
func TestAMergeDespiteItsChecks(t *testing.T) {
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Stop selling": edits("a.js", "true", "false")}}
	b := newBoard(t, storytest.Programs()["local"], play, map[string]string{"BROWSING": "on"})
	b.Put("index.html", shopPage)
	b.Put("shop.js", shopCode)
	b.Put("a.js", "export const a = true;\n")
	b.Put("b.js", "export const b = false;\n")
	b.Put(".atelier/checks/buying.json", buyingCheck)
	b.wantGreen()
	task := b.begin("Stop selling")
	b.await(task.ID, tasks.Ready)
	b.Refused(http.StatusConflict, core.CodeChecksFailed, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/merge"), nil)
	b.Refused(http.StatusBadRequest, core.CodeInvalidRequest, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/merge"), storytest.Fields{"ignoreChecks": "yes"})
	b.Must(http.StatusOK, http.MethodPost, b.Path("/tasks/"+string(task.ID)+"/merge"), storytest.Fields{"ignoreChecks": true}, nil)
	merged := b.awaitThat(task.ID, "merged and played", func(task tasks.View) bool { return task.Checks.State == core.ChecksFailed })
	if len(merged.Checks.Failed) != 1 || !merged.Checks.Failed[0].PassedBefore || merged.Status != tasks.Merged {
		t.Errorf("got %+v, want the check that had passed before", merged)
	}
}

func shopCodeWith(first, last string) string {
	return fmt.Sprintf(`import { a } from './a.js';
import { b } from './b.js';
const items = [
  %s,
  'two',
  'three',
  'four',
  %s,
];
document.getElementById('root').innerHTML =
  '<ul>' + items.map((item) => '<li>' + item + '</li>').join('') + '</ul>' + (a || b ? '<button>Buy</button>' : '');
`, first, last)
}

// wantGreen fails the test unless the project's checks pass.
func (b board) wantGreen() {
	b.T.Helper()
	var played struct {
		Items []struct {
			Name, Message string
			Passed        bool
		}
	}
	b.Must(http.StatusOK, http.MethodPost, b.Path("/checks/run"), storytest.Fields{}, &played)
	for _, one := range played.Items {
		if !one.Passed {
			b.T.Errorf("the check %s fails: %s", one.Name, one.Message)
		}
	}
}
