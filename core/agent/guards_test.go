package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// lastText is the text of the run's last event, "" if that is not a message.
func (s *scene) lastText() string {
	if notice, is := s.events[len(s.events)-1].(core.SessionNotice); is {
		return notice.Text
	}
	message, _ := s.events[len(s.events)-1].(core.AssistantMessage)
	return message.Text
}

func TestAModelThatLearnsNothingNewIsStopped(t *testing.T) {
	s := newScene()
	for range 20 {
		s.model.Call("list_files", `{}`)
	}
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || s.err != nil || !strings.Contains(s.lastText(), "without making progress") {
		t.Fatalf("got %v, %v, %q, want limit with a note", s.outcome, s.err, s.lastText())
	}
	if used := 20 - s.model.Left(); used != 7 {
		t.Errorf("got %d steps, want the first that was news and six that were not", used)
	}
}

func TestLookingAgainAfterAChangeIsNews(t *testing.T) {
	s := newScene()
	for i := range 10 {
		s.model.Call("read_file", `{"path":"a.txt"}`).Call("write_file", fmt.Sprintf(`{"path":"a.txt","content":"%d"}`, i))
	}
	s.model.Say("Done.")
	if s.run(t.Context()); s.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %v, %v, %q, want the run to go on", s.outcome, s.err, s.lastText())
	}
}

func TestAnAnswerWithoutAnEndIsCutOff(t *testing.T) {
	for name, chunk := range map[string]ai.Chunk{
		"text": {Text: strings.Repeat("la ", 10_000)}, "thoughts": {Reasoning: strings.Repeat("hm ", 10_000)},
	} {
		s := newScene()
		chunks := make([]ai.Chunk, 100)
		for i := range chunks {
			chunks[i] = chunk
		}
		s.model.Answer(chunks...)
		s.run(t.Context())
		if s.outcome.Reason != core.ReasonLimit || s.err != nil || !strings.Contains(s.lastText(), "did not end") {
			t.Errorf("%s: got %v, %v, want limit with a note", name, s.outcome, s.err)
		}
		if n := len(s.events); n > 20 {
			t.Errorf("%s: got %d events, want the answer cut off early", name, n)
		}
	}
}

func TestCreditThatRunsOutCutsTheAnswerOff(t *testing.T) {
	s := newScene()
	s.meter.most = 1000
	chunks := make([]ai.Chunk, 100)
	for i := range chunks {
		chunks[i] = ai.Chunk{Text: strings.Repeat("x", 1000)}
	}
	s.model.Answer(chunks...)
	s.run(t.Context())
	if !core.IsCode(s.err, core.CodeCreditExhausted) || s.meter.settled != 1 {
		t.Fatalf("got %v and %d settled, want credit_exhausted and the call paid", s.err, s.meter.settled)
	}
	if got := s.types(); got != "assistant.message_delta assistant.message session.usage_info" {
		t.Errorf("got %s, want what was seen closed in the log", got)
	}
	// A piece has 250 tokens.
	if used := s.meter.used; used.OutputTokens < 1000 || used.OutputTokens > 1300 || used.InputTokens == 0 {
		t.Errorf("got %+v booked, want an estimate of what the vendor did not tell, at most a piece beyond the credit", used)
	}
}

func TestAProjectThatDoesNotBuildIsMendedBeforeTheRunEnds(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", `{"path":"a.txt","content":"BROKEN"}`).Say("Done.").
		Call("write_file", `{"path":"a.txt","content":"fine"}`).Say("Mended.")
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonDone || s.project.files["a.txt"] != "fine" {
		t.Fatalf("got %v, %v, %q, want it mended", s.outcome, s.err, s.project.files["a.txt"])
	}
	asked := s.model.Requests()[2].Messages
	if hint := asked[len(asked)-1]; hint.Role != ai.RoleUser || !strings.Contains(hint.Text, "a.txt:1:1: it is broken") {
		t.Errorf("got %+v, want the model told what is wrong", hint)
	}
}

func TestWhatCannotBeMendedIsSaid(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", `{"path":"a.txt","content":"BROKEN"}`)
	for range 10 {
		s.model.Say("All done.")
	}
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || !strings.Contains(s.lastText(), "a.txt:1:1: it is broken") || s.model.Left() != 6 {
		t.Fatalf("got %v, %q with %d answers left, want three rounds and an honest word", s.outcome, s.lastText(), s.model.Left())
	}
}

func TestARunThatEndsEarlySaysWhatItLeavesBroken(t *testing.T) {
	for name, end := range map[string]func(*scene){
		"at a limit": func(s *scene) {
			for range 3 {
				s.model.Call("read_file", `{"path":"missing.txt"}`)
			}
		},
		"without its vendor": func(s *scene) {
			s.model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "400")})
		},
		"without credit": func(s *scene) { s.meter.allowed = 1 },
	} {
		s := newScene()
		s.model.Call("write_file", `{"path":"a.txt","content":"BROKEN"}`)
		end(s)
		s.run(t.Context())
		if !strings.Contains(s.lastText(), "a.txt:1:1: it is broken") {
			t.Errorf("%s: got the last words %q and %v, want what is broken", name, s.lastText(), s.err)
		}
		if code := core.CodeOf(s.err); (name == "at a limit") != (code == "") {
			t.Errorf("%s: got the error %v", name, s.err)
		}
	}
}

func TestARunThatChangedNothingDoesNotMendWhatOthersBroke(t *testing.T) {
	s := newScene()
	s.project.files["a.txt"] = "BROKEN"
	s.model.Say("It is blue.").Say("never asked for")
	if s.run(t.Context()); s.outcome.Reason != core.ReasonDone || s.model.Left() != 1 {
		t.Fatalf("got %v, %v with %d left, want the answer alone", s.outcome, s.err, s.model.Left())
	}
}

func TestAPlanIsReadFromTheLastAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		structured bool
		answers    []string
		want       string
	}{
		"as JSON":                             {true, []string{`{"steps":[{"title":"One"}]}`}, "One"},
		"as text, asked for once more":        {true, []string{"1. Uno", `{"steps":[{"title":"One"}]}`}, "One"},
		"as text, when the second is no JSON": {true, []string{"1. Uno", "I will not."}, "Uno"},
		"as text, by a model without JSON":    {false, []string{"1. Uno"}, "Uno"},
		"as text, when the second one fails":  {true, []string{"1. Uno"}, "Uno"},
	} {
		s := newScene()
		s.mode = core.ModePlan
		for _, answer := range c.answers {
			s.model.Say(answer)
		}
		s.alter = func(task *agent.Task) { task.Structured = c.structured }
		if name == "as text, when the second one fails" {
			s.model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "400")})
		}
		s.run(t.Context())
		if s.err != nil || s.outcome.Plan == nil || len(s.outcome.Plan.Steps) != 1 || s.outcome.Plan.Steps[0].Title != c.want {
			t.Errorf("%s: got %+v, %v, want the step %s", name, s.outcome.Plan, s.err, c.want)
			continue
		}
		if s.outcome.Plan.RawText != c.answers[0] || s.lastText() != c.answers[0] && !c.structured {
			t.Errorf("%s: got the raw text %q, want the answer that was seen", name, s.outcome.Plan.RawText)
		}
		for i, request := range s.model.Requests() {
			if (request.Schema != nil) != (i == 1) {
				t.Errorf("%s: got a schema %q in request %d", name, request.Schema, i)
			}
		}
	}
}

func TestOnlyPlanModeMakesPlans(t *testing.T) {
	s := newScene()
	s.model.Say("1. Uno")
	if s.run(t.Context()); s.outcome.Plan != nil {
		t.Fatalf("got %+v, want none", s.outcome.Plan)
	}
}

func TestAModelWhoseCallsAllFailIsHintedAndStopped(t *testing.T) {
	s := newScene()
	for i := range 20 {
		s.model.Call("edit_file", fmt.Sprintf(`{"path":"src/App.tsx","oldText":"nowhere %d","newText":"x"}`, i))
	}
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || s.err != nil || !strings.Contains(s.lastText(), "Nothing that I tried in six steps worked") {
		t.Fatalf("got %v, %v, %q, want limit with a note", s.outcome, s.err, s.lastText())
	}
	if used := 20 - s.model.Left(); used != 6 {
		t.Errorf("got %d steps, want six", used)
	}
	hints := 0
	for _, event := range s.events {
		if failure, is := event.(core.ToolError); is && strings.Contains(failure.Error, "write it whole with write_file") {
			hints++
		}
	}
	if hints != 1 {
		t.Errorf("got %d hints, want one after the second failure", hints)
	}
}

func TestWhoKeepsLookingIsWarnedBeforeTheEnd(t *testing.T) {
	s := newScene()
	for range 10 {
		s.model.Call("read_file", `{"path":"src/App.tsx"}`)
	}
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || !strings.Contains(s.lastText(), "looking at the same things") || s.model.Left() != 3 {
		t.Fatalf("got %v, %q with %d calls left, want the run ended after seven", s.outcome, s.lastText(), s.model.Left())
	}
	for i, want := range []bool{false, false, false, false, true, true, true} {
		if told, _ := s.given(t, i); strings.Contains(told, "You have seen exactly this before") != want {
			t.Errorf("call %d: got %q, want a warning: %v", i+1, told, want)
		}
	}
}

// TestWhatACompactionDroppedMayBeReadAnew: a model that was told to read again what left its window is not
// one that makes no progress.
func TestWhatACompactionDroppedMayBeReadAnew(t *testing.T) {
	s := newScene()
	s.small()
	s.longReads(7)
	for range 2 {
		for i := range 7 {
			s.model.Call("read_file", fmt.Sprintf(`{"path":"f%d.txt"}`, i))
		}
	}
	s.model.Say("Now I know all of them.")
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonDone || s.err != nil {
		t.Errorf("got %v, %v with %d calls left, want the run done", s.outcome, s.err, s.model.Left())
	}
}
