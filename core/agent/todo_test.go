package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

const twoSteps = `{"items":[{"text":"Build  the form","state":"done"},{"text":"Style it","state":"doing"},{"text":"Check it","state":"open"}]}`

func TestAListOfStepsIsTaken(t *testing.T) {
	for name, c := range map[string]struct {
		args, want string
		failed     bool
	}{
		"three steps":     {twoSteps, "The list has 3 steps, 1 of them done.", false},
		"an empty list":   {`{"items":[]}`, "The list is empty.", false},
		"no state":        {`{"items":[{"text":"a"}]}`, "The list has 1 steps, 0 of them done.", false},
		"no list":         {`{}`, "items must be the whole list", true},
		"another state":   {`{"items":[{"text":"a","state":"later"}]}`, "open, doing or done", true},
		"an empty step":   {`{"items":[{"text":" ","state":"open"}]}`, "1 to 120 characters", true},
		"a long step":     {`{"items":[{"text":"` + strings.Repeat("é", 121) + `","state":"open"}]}`, "1 to 120 characters", true},
		"too many steps":  {`{"items":[` + strings.Repeat(`{"text":"a","state":"open"},`, 20) + `{"text":"b","state":"open"}]}`, "at most 20 steps", true},
		"steps of text":   {`{"items":["a","b"]}`, "the arguments are wrong", true},
		"another member":  {`{"todos":[]}`, "the arguments are wrong", true},
		"a remark beside": {`{"items":[{"text":"a","state":"open"}],"explanation":"first"}`, "The list has 1 steps", false},
	} {
		s := newScene()
		s.model.Call("todo", c.args).Say("Well.")
		s.run(t.Context())
		if got, failed := s.given(t, 0); failed != c.failed || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q (failed %v), want %q", name, got, failed, c.want)
		}
	}
}

// shownList is how a conversation shows twoSteps once its call is gone.
const shownList = "[The list of steps, as you last wrote it:]\n[x] Build the form\n[~] Style it\n[ ] Check it\n"

// TestTheListOfStepsOutlastsTheConversation: with a summary, and where messages were
// dropped without one, whether the run wrote the list or one before it.
func TestTheListOfStepsOutlastsTheConversation(t *testing.T) {
	for name, summary := range map[string]string{"a summary": "They want a form.", "no summary": ""} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.small()
			for i := range 10 {
				s.project.files[fmt.Sprintf("f%d.txt", i)] = strings.Repeat(fmt.Sprintf("words of file %d\n", i), 300)
			}
			s.before = []core.Payload{
				core.UserMessage{Text: "A form, please."}, core.ToolCall{ID: "t0", Tool: "todo", Args: []byte(`{"items":[{"text":"Old","state":"open"}]}`)},
				core.UsageInfo{InputTokens: 1}, core.ToolResult{ID: "t0", Result: "The list has 1 steps."},
				core.ToolCall{ID: "t1", Tool: "todo", Args: []byte(twoSteps)}, core.UsageInfo{InputTokens: 1}, core.ToolResult{ID: "t1", Result: "The list has 3 steps."},
				core.ToolCall{ID: "t2", Tool: "todo", Args: []byte(`{"items":7}`)}, core.UsageInfo{InputTokens: 1}, core.ToolError{ID: "t2", Error: "wrong"},
				core.AssistantMessage{Text: "One moment."}, core.TaskComplete{Reason: core.ReasonDone},
			}
			s.before = append(s.before, talk(40)...)
			s.wish = strings.Repeat("Go on with the form. ", 300)
			s.model.Say(summary)
			if summary == "" {
				// A model that gives no summary is asked with a hint no second time.
				s.model.Say("")
			}
			s.model.Say("Done.")
			s.run(t.Context())
			requests := s.model.Requests()
			last := requests[len(requests)-1]
			var all strings.Builder
			for _, message := range last.Messages {
				all.WriteString(message.Text)
			}
			if strings.Count(all.String(), shownList) != 1 || strings.Contains(all.String(), "Old") {
				t.Errorf("got %d requests, the last with %.3000q, want the newest list once", len(requests), all.String())
			}
		})
	}
}

func TestAListThatIsStillShownIsNotRepeated(t *testing.T) {
	s := newScene()
	s.small()
	s.before = talk(8)
	s.model.Say("They wanted eight things.").Call("todo", twoSteps).Say("Done.")
	s.run(t.Context())
	for _, request := range s.model.Requests() {
		for _, message := range request.Messages {
			if strings.Contains(message.Text, "[The list of steps") {
				t.Errorf("got %q, want the list in its call alone", message.Text)
			}
		}
	}
}

func TestOpenStepsAreAskedForOnceAndThenTold(t *testing.T) {
	const allDone = `{"items":[{"text":"Build the form","state":"done"},{"text":"Style it","state":"done"},{"text":"Check it","state":"done"}]}`
	s := newScene()
	s.model.Call("todo", twoSteps).Say("Done.").Say("Styling was not worth it.")
	s.run(t.Context())
	if hints := s.hints(); len(hints) != 1 || !strings.Contains(hints[0], "- Style it\n- Check it") {
		t.Errorf("got the hints %q, want one with the open steps", hints)
	}
	if told := s.notices(core.NoticeOpenSteps); len(told) != 1 || told[0] != "Of my list, this is not done: Style it; Check it." || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got the notices %q and %v, want the open steps told, and done", told, s.outcome)
	}
	s = newScene()
	s.model.Call("todo", twoSteps).Say("Done.").Call("todo", allDone).Say("All of it.")
	s.run(t.Context())
	if told := s.notices(core.NoticeOpenSteps); len(told) != 0 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got the notices %q and %v, want none, and done", told, s.outcome)
	}
}

func TestStepsOfAnEarlierRunAreNotAskedFor(t *testing.T) {
	s := newScene()
	s.before = []core.Payload{
		core.UserMessage{Text: "A form, please."}, core.ToolCall{ID: "t1", Tool: "todo", Args: []byte(twoSteps)}, core.UsageInfo{InputTokens: 1},
		core.ToolResult{ID: "t1", Result: "The list has 3 steps."}, core.AssistantMessage{Text: "One moment."}, core.TaskComplete{Reason: core.ReasonStopped},
	}
	s.model.Say("Hello.")
	s.run(t.Context())
	if calls := len(s.model.Requests()); calls != 1 || len(s.notices(core.NoticeOpenSteps)) != 0 {
		t.Errorf("got %d model calls, the events %s, want no word of the steps", calls, s.types())
	}
}

// TestOpenStepsAreAskedForBeforeTheLooks, which would all be done again.
func TestOpenStepsAreAskedForBeforeTheLooks(t *testing.T) {
	s := seeing(t, form)
	s.model.Call("todo", twoSteps).Call("write_file", sound).Say("Done.").Say("They are left.")
	s.run(t.Context())
	if looks := strings.Count(s.types(), "session.step"); looks != 2 || len(s.hints()) != 1 {
		t.Errorf("got %s with the hints %q, want the build and the page looked at once", s.types(), s.hints())
	}
}
