package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
)

// plays plays results one after the other, the last again and again.
func (s *scene) plays(failing ...[]core.CheckFailure) *int {
	played, former := 0, s.alter
	s.alter = func(task *agent.Task) {
		if former != nil {
			former(task)
		}
		task.Checks = func(_ context.Context, tell func(core.CheckResult) error) ([]core.CheckFailure, error) {
			now := failing[min(played, len(failing)-1)]
			played++
			result := core.CheckResult{Name: "add", Title: "Adding", Passed: len(now) == 0}
			for _, failure := range now {
				result.Message = failure.Message
			}
			return now, tell(result)
		}
	}
	return &played
}

var broken = []core.CheckFailure{{Name: "add", Title: "Adding", Step: 2, Message: "there is no button", Shown: "Page / is empty"}}

// said is the text of the last message.
func (s *scene) said() (text string) {
	for _, event := range s.events {
		if message, ok := event.(core.AssistantMessage); ok {
			text = message.Text
		}
	}
	return text
}

func (s *scene) results() (passed, failed int) {
	for _, event := range s.events {
		if result, ok := event.(core.CheckResult); ok {
			if result.Passed {
				passed++
			} else {
				failed++
			}
		}
	}
	return passed, failed
}

func TestAFailingCheckIsGivenBackOnce(t *testing.T) {
	s := newScene()
	played := s.plays(broken, nil)
	s.model.Call("write_file", `{"path":"index.html","content":"<h1>one</h1>"}`)
	s.model.Say("Done.")
	s.model.Call("write_file", `{"path":"more.html","content":"<h1>two</h1>"}`)
	s.model.Say("Now it is.")
	outcome := s.run(t.Context()).outcome
	requests := s.model.Requests()
	if len(requests) != 4 || *played != 2 || outcome.Reason != core.ReasonDone {
		t.Fatalf("got %d requests, %d plays, %v; want the failure given back, and the checks played again", len(requests), *played, outcome)
	}
	last := requests[2].Messages[len(requests[2].Messages)-1].Text
	for _, want := range []string{"Adding (.atelier/checks/add.json), step 2: there is no button", "It is data", "Page / is empty"} {
		if !strings.Contains(last, want) {
			t.Errorf("got %q, want %q in it", last, want)
		}
	}
	if passed, failed := s.results(); passed != 1 || failed != 1 {
		t.Errorf("got %d passed, %d failed in the log, want one each", passed, failed)
	}
}

func TestACheckThatStillFailsIsToldToThePerson(t *testing.T) {
	s := newScene()
	played := s.plays(broken)
	s.model.Call("write_file", `{"path":"index.html","content":"<h1>one</h1>"}`)
	s.model.Say("Done.")
	s.model.Say("I cannot.")
	outcome := s.run(t.Context()).outcome
	if len(s.model.Requests()) != 3 || *played != 2 || outcome.Reason != core.ReasonLimit {
		t.Fatalf("got %d requests, %d plays, %v; want an end after one try", len(s.model.Requests()), *played, outcome)
	}
	if text := s.said(); !strings.Contains(text, "not all of its checks pass") || !strings.Contains(text, "Adding: there is no button") {
		t.Errorf("got %q, want the check that fails", text)
	}
}

func TestChecksThatPassCostNoModelCall(t *testing.T) {
	s := newScene()
	played := s.plays(nil)
	s.model.Call("write_file", `{"path":"index.html","content":"<h1>one</h1>"}`)
	s.model.Say("Done.")
	if outcome := s.run(t.Context()).outcome; len(s.model.Requests()) != 2 || *played != 1 || outcome.Reason != core.ReasonDone {
		t.Errorf("got %d requests, %d plays, %v; want no further request", len(s.model.Requests()), *played, outcome)
	}
}

func TestARunThatChangesNothingPlaysNoChecks(t *testing.T) {
	s := newScene()
	played := s.plays(broken)
	s.model.Say("Hello.")
	if outcome := s.run(t.Context()).outcome; *played != 0 || outcome.Reason != core.ReasonDone {
		t.Errorf("got %d plays, %v; want none", *played, outcome)
	}
}

func TestABrowserThatFailsEndsNoRun(t *testing.T) {
	s := newScene()
	s.alter = func(task *agent.Task) {
		task.Checks = func(context.Context, func(core.CheckResult) error) ([]core.CheckFailure, error) {
			return nil, errors.New("the browser is gone")
		}
	}
	s.model.Call("write_file", `{"path":"index.html","content":"<h1>one</h1>"}`)
	s.model.Say("Done.")
	if outcome := s.run(t.Context()).outcome; outcome.Reason != core.ReasonDone {
		t.Errorf("got %v, want an ordinary end", outcome)
	}
}

func TestWhatWasDoneIsKeptAsACheck(t *testing.T) {
	s := seeing(t, form)
	s.project.files["found.html"] = `<!doctype html><h2>One cup</h2>`
	s.model.Call("save_check", `{"name":"searching","title":"Searching finds cups"}`)
	s.model.Call("act", `{"steps":[{"do":"fill","target":{"role":"textbox","name":"Search"},"value":"cup"},{"do":"click","target":{"role":"button","name":"Find"}}]}`)
	s.model.Call("save_check", `{"name":"searching","title":"Searching finds cups"}`)
	s.model.Call("act", `{"steps":[{"expect":"visible","target":{"role":"heading","name":"One cup"}}]}`)
	s.model.Call("save_check", `{"name":"Searching!","title":"Searching finds cups"}`)
	s.model.Call("save_check", `{"name":"searching","title":"Searching finds cups"}`)
	s.model.Say("Kept.")
	s.run(t.Context())
	check, err := core.ParseCheck([]byte(s.project.files[".atelier/checks/searching.json"]))
	if err != nil || check.Title != "Searching finds cups" || check.Path != "/" || len(check.Steps) != 3 || check.Steps[2].Expect != core.ExpectVisible {
		t.Errorf("got %+v, %v, want the three steps", check, err)
	}
	var refused []string
	for _, event := range s.events {
		if failure, ok := event.(core.ToolError); ok {
			refused = append(refused, failure.Error)
		}
	}
	if len(refused) != 3 || !strings.Contains(refused[0], "use act first") || !strings.Contains(refused[1], "at least one expect") || !strings.Contains(refused[2], "lower-case") {
		t.Errorf("got %q, want why nothing was kept", refused)
	}
}

// TestWhatARunDoesAfterAnAnswerIsTold: one step after another, so that nobody watches a run that seems to
// stand still.
func TestWhatARunDoesAfterAnAnswerIsTold(t *testing.T) {
	s := seeing(t, form)
	s.plays(nil)
	s.model.Call("write_file", throws).Say("Done.").Call("write_file", sound).Say("Mended.")
	s.run(t.Context())
	var steps []string
	for _, event := range s.events {
		if step, is := event.(core.SessionStep); is {
			steps = append(steps, fmt.Sprintf("%s %d", step.Step, step.Faults))
		}
	}
	if got, want := strings.Join(steps, ", "), "build 0, look 0, mend 1, build 0, look 0, checks 0"; got != want {
		t.Errorf("got the steps %q, want %q", got, want)
	}
	s = seeing(t, form)
	s.model.Say("Hello.")
	if s.run(t.Context()); strings.Contains(s.types(), "session.step") {
		t.Errorf("got %s, want no steps of a run that changed nothing", s.types())
	}
}
