package browser

import (
	"net/http"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestStudioTaskBoard: two tasks on copies of a project, one merged, one with a conflict that a
// person settles, and one discarded, by the board of the studio.
func TestStudioTaskBoard(t *testing.T) {
	play := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{
		"Say goodbye":  {storytest.Calls("write_file", "path", "bye.txt", "content", "goodbye\n")},
		"Say hi":       {storytest.Calls("write_file", "path", "hello.txt", "content", "hi\n")},
		"Say anything": {storytest.Calls("write_file", "path", "any.txt", "content", "x\n")},
	}}
	c, s := startChromium(t), startService(t, "localhost", play.Env(t))
	axe := fetchAxe(t)
	project := s.signUp(t).create("static-html")
	project.save("hello.txt", "hello\n")
	p := c.enterAs(t, project.user, "/projects/"+string(project.ID))
	p.press("button", "Tasks")
	p.sees("No tasks yet.")
	for _, wanted := range []string{"Say goodbye", "Say hi", "Say anything"} {
		p.fill("What should the agent do?", wanted)
		p.press("button", "Start task")
		p.sees(wanted)
	}
	p.until("three tasks that are ready", `[...document.querySelectorAll('.task .badge')].filter((b) => b.textContent === 'Ready').length === 3`)
	project.save("hello.txt", "good morning\n")
	p.until("the merge of the first", `(() => { const task = document.querySelectorAll('.task')[0]; if (task.textContent.includes('Merged')) return true; if (!window.askedFirst) { window.askedFirst = true; [...task.querySelectorAll('button')].find((b) => b.textContent === 'Merge').click(); } return false; })()`)
	p.until("the conflict of the second", `(() => { const task = document.querySelectorAll('.task')[1]; if (task.textContent.includes('Conflict')) return true; if (!window.askedSecond) { window.askedSecond = true; [...task.querySelectorAll('button')].find((b) => b.textContent === 'Merge').click(); } return false; })()`)
	p.pardon(http.StatusConflict)
	p.sees("hello.txt")
	p.looks("tasks", axe)
	p.press("button", "Discard “Say anything”")
	p.agree("Discard task")
	p.until("two tasks", `document.querySelectorAll('.task').length === 2`)
	p.press("button", "Resolve it myself")
	p.sees("The conflicts are marked in the copy")
	p.press("link", "Open")
	p.sees("Task copy")
	p.looks("working copy", axe)
	p.press("link", "Back to the project")
	p.press("button", "Tasks")
	p.sees("Merged")
}
