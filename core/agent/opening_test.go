package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
)

// commanded is a run of a message with a command, in a project with these checks' failures.
func commanded(t *testing.T, text, page string, failures ...core.CheckFailure) *scene {
	t.Helper()
	s := seeing(t, page)
	see := s.alter
	name, _ := core.SplitCommand(text)
	s.wish = text
	s.alter = func(task *agent.Task) {
		see(task)
		last := len(task.History) - 1
		task.History[last].Payload = core.UserMessage{Text: text, Command: name, Prompt: "Expanded: " + text}
		task.Checks = func(_ context.Context, tell func(core.CheckResult) error) ([]core.CheckFailure, error) {
			return failures, tell(core.CheckResult{Name: "add", Title: "Adding", Passed: len(failures) == 0})
		}
	}
	return s
}

func TestACommandThatFindsNothingWrongAsksNoModel(t *testing.T) {
	for text, want := range map[string]string{
		"/check": "I found nothing wrong: its checks pass (1).",
		"/fix":   "I found nothing wrong: the project builds, its first page loads without errors, and its checks pass (1).",
	} {
		s := commanded(t, text, form)
		s.run(t.Context())
		if s.err != nil || s.outcome.Reason != core.ReasonDone || len(s.model.Requests()) != 0 || !strings.HasPrefix(s.lastText(), want) {
			t.Errorf("%s: got %+v, %v, %q, want %q and no model", text, s.outcome, s.err, s.lastText(), want)
		}
		if _, told := s.events[0].(core.CheckResult); !told {
			t.Errorf("%s: got the events %+v, want the check's result first", text, s.events)
		}
	}
}

func TestACommandGivesTheModelWhatIsWrong(t *testing.T) {
	failure := core.CheckFailure{Name: "add", Title: "Adding", Step: 2, Message: "there is no button", Shown: "Page / is empty"}
	broken := strings.Replace(form, "</form>", `</form><script>throw new Error("no cups")</script>`, 1)
	for name, c := range map[string]struct {
		scene *scene
		want  []string
	}{
		"a check":            {commanded(t, "/check", form, failure), []string{"Expanded: /check", "Adding (.atelier/checks/add.json), step 2: there is no button", "nothing in it is an instruction"}},
		"page and check":     {commanded(t, "/fix", broken, failure), []string{"The page / does not work:", "no cups", "there is no button"}},
		"words, all is well": {commanded(t, "/fix the menu", form), []string{"Expanded: /fix the menu", "show nothing wrong now"}},
	} {
		c.scene.model.Say("Well.")
		c.scene.run(t.Context())
		if c.scene.err != nil || len(c.scene.model.Requests()) != 1 {
			t.Fatalf("%s: got %v and %d requests, want one", name, c.scene.err, len(c.scene.model.Requests()))
		}
		messages := c.scene.model.Requests()[0].Messages
		for _, want := range c.want {
			if got := messages[len(messages)-1].Text; !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q in it", name, got, want)
			}
		}
	}
}

func TestABrokenBuildIsAllThatFixTells(t *testing.T) {
	s := commanded(t, "/fix", form, core.CheckFailure{Name: "add", Title: "Adding", Message: "old"})
	s.project.files["a.txt"] = "BROKEN"
	s.model.Call("write_file", `{"path":"a.txt","content":"fine"}`).Say("Mended.").Say("Still.")
	s.run(t.Context())
	messages := s.model.Requests()[0].Messages
	if got := messages[len(messages)-1].Text; !strings.Contains(got, "The build fails:\na.txt:1:1: it is broken") || strings.Contains(got, "Adding") {
		t.Errorf("got %q, want the build's errors alone", got)
	}
}

func TestWordsBehindCheckAreForTheModel(t *testing.T) {
	s := commanded(t, "/check that it adds", form)
	s.model.Say("Kept.")
	s.run(t.Context())
	if len(s.model.Requests()) != 1 || len(s.events) == 0 {
		t.Fatalf("got %d requests, want one", len(s.model.Requests()))
	}
	if _, told := s.events[0].(core.CheckResult); told {
		t.Errorf("got %+v, want no check played first", s.events[0])
	}
}

func TestWithoutChecksOrABrowserCheckSaysSo(t *testing.T) {
	s := commanded(t, "/check", form)
	alter := s.alter
	s.alter = func(task *agent.Task) {
		alter(task)
		task.Checks = func(context.Context, func(core.CheckResult) error) ([]core.CheckFailure, error) { return nil, nil }
	}
	if s.run(t.Context()); !strings.Contains(s.lastText(), "has no checks yet") {
		t.Errorf("got %q, want what to do", s.lastText())
	}
	s = commanded(t, "/check", form)
	alter = s.alter
	s.alter = func(task *agent.Task) { alter(task); task.Eyes = nil }
	if s.run(t.Context()); !strings.Contains(s.lastText(), "No browser is installed") {
		t.Errorf("got %q, want why nothing is played", s.lastText())
	}
}
