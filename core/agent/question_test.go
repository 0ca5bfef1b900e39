package agent_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

const asking = `{"question":" Which colour? ","choices":["Blue","Red","Blue "]}`

func TestAQuestionEndsTheRunAndTheNextMessageAnswersIt(t *testing.T) {
	s := newScene()
	s.model.Call("ask_person", asking)
	s.run(t.Context())
	want := &core.Question{Text: "Which colour?", Choices: []string{"Blue", "Red"}}
	if s.err != nil || s.outcome.Reason != core.ReasonAsked || !reflect.DeepEqual(s.outcome.Question, want) {
		t.Fatalf("got %+v, %v, want the question %+v", s.outcome, s.err, want)
	}
	s.before = append([]core.Payload{core.UserMessage{Text: "please"}}, append(s.events, core.TaskComplete{Reason: core.ReasonAsked, Question: want})...)
	s.events, s.wish = nil, "Blue"
	s.model.Call("write_file", `{"path":"a.css","content":"a{color:blue}"}`).Say("It is blue.")
	s.run(t.Context())
	if s.err != nil || s.outcome.Reason != core.ReasonDone || s.outcome.Question != nil || s.project.files["a.css"] == "" {
		t.Errorf("got %+v, %v, want the run done after the answer", s.outcome, s.err)
	}
	messages := s.model.Requests()[1].Messages
	var roles []ai.Role
	for _, message := range messages {
		roles = append(roles, message.Role)
	}
	if !slices.Equal(roles, []ai.Role{ai.RoleUser, ai.RoleAssistant, ai.RoleTool, ai.RoleUser}) || messages[3].Text != "Blue" || messages[2].Failed {
		t.Errorf("got %+v, want the question's call, its result, and the answer", messages)
	}
}

func TestNothingIsCarriedOutBehindAQuestion(t *testing.T) {
	s := newScene()
	call := func(id, tool, args string) ai.Chunk {
		return ai.Chunk{Call: &ai.Call{ID: id, Tool: tool, Args: []byte(args)}}
	}
	s.model.Answer(call("1", "write_file", `{"path":"a.txt","content":"a"}`), call("2", "ask_person", asking), call("3", "read_file", `{"path":"a.txt"}`),
		call("4", "list_files", `{}`), call("5", "write_file", `{"path":"b.txt","content":"b"}`), call("6", "ask_person", asking))
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonAsked || s.project.files["a.txt"] != "a" || s.project.files["b.txt"] != "" {
		t.Errorf("got %+v and %v, want the write before the question alone", s.outcome, s.project.files)
	}
	for i := range 4 {
		s.wantGiven(t, 2+i, true, "you asked the person first")
	}
}

func TestQuestionsHaveBounds(t *testing.T) {
	for name, c := range map[string]struct{ args, want string }{
		"no question":         {`{"question":" ","choices":["a","b"]}`, "question must have 1 to 500"},
		"a long question":     {`{"question":"` + strings.Repeat("é", 501) + `","choices":["a","b"]}`, "question must have 1 to 500"},
		"one choice":          {`{"question":"Why?","choices":["a"]}`, "2 to 4 different choices"},
		"the same twice":      {`{"question":"Why?","choices":["a"," a"]}`, "2 to 4 different choices"},
		"five choices":        {`{"question":"Why?","choices":["a","b","c","d","e"]}`, "2 to 4 different choices"},
		"an empty choice":     {`{"question":"Why?","choices":["a",""]}`, "a choice must have 1 to 100"},
		"a long choice":       {`{"question":"Why?","choices":["a","` + strings.Repeat("b", 101) + `"]}`, "a choice must have 1 to 100"},
		"choices that are no": {`{"question":"Why?","choices":"a or b"}`, "the arguments are wrong"},
		"another member":      {`{"question":"Why?","options":["a","b"]}`, "the arguments are wrong"},
	} {
		s := newScene()
		s.model.Call("ask_person", c.args).Say("Then not.")
		s.run(t.Context())
		got, failed := s.given(t, 0)
		if !failed || !strings.Contains(got, c.want) || s.outcome.Reason != core.ReasonDone {
			t.Errorf("%s: got %q (failed %v) and %v, want %q and the run to go on", name, got, failed, s.outcome.Reason, c.want)
		}
	}
}

func TestARunThatBrokeTheBuildMayNotAsk(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", `{"path":"a.txt","content":"BROKEN"}`).Call("ask_person", asking).
		Call("write_file", `{"path":"a.txt","content":"fine"}`).Call("ask_person", asking)
	s.run(t.Context())
	s.wantGiven(t, 1, true, "the build failed: correct it before you ask", "it is broken")
	if s.outcome.Reason != core.ReasonAsked || s.project.files["a.txt"] != "fine" {
		t.Errorf("got %+v, want the question after the repair", s.outcome)
	}
	s = newScene()
	s.project.files["old.txt"] = "BROKEN"
	s.model.Call("ask_person", asking)
	if s.run(t.Context()); s.outcome.Reason != core.ReasonAsked {
		t.Errorf("got %+v, want a question about a project that was broken before", s.outcome)
	}
}

func TestARunWhosePageDoesNotWorkMayNotAskUntilItIsMended(t *testing.T) {
	s := seeing(t, form)
	s.model.Call("write_file", throws).Call("ask_person", asking).Call("write_file", sound).Call("ask_person", asking)
	s.run(t.Context())
	s.wantGiven(t, 1, true, "not asked yet", "uncaught exception: Error: no cups")
	if s.outcome.Reason != core.ReasonAsked {
		t.Errorf("got %+v, want the question after the page was mended", s.outcome)
	}
	s = seeing(t, form)
	s.model.Call("write_file", throws)
	for range 4 {
		s.model.Call("ask_person", asking)
	}
	if s.run(t.Context()); s.outcome.Reason == core.ReasonDone || s.err != nil {
		t.Errorf("got %+v, %v, want a model that cannot mend the page to come to an end", s.outcome, s.err)
	}
}

func TestAModeOfTheWorkspaceAsksAsFarAsItCanMend(t *testing.T) {
	for name, c := range map[string]struct {
		tools []string
		asks  bool
	}{
		"it can mend":  {[]string{"delete_file", "write_file", "ask_person"}, false},
		"it can not":   {[]string{"delete_file", "ask_person"}, true},
		"it only asks": {[]string{"ask_person"}, true},
	} {
		s := newScene()
		s.mode, s.defined = "tidy", &core.Mode{Name: "tidy", Prompt: "Tidy up.", Tools: c.tools}
		s.project.files["a.txt"], s.project.files["old.txt"] = "BROKEN", "old"
		s.model.Call("delete_file", `{"path":"old.txt"}`).Call("ask_person", asking).Say("Then not.").Say("No.").Say("No.").Say("No.")
		s.run(t.Context())
		if asked := s.outcome.Reason == core.ReasonAsked; asked != c.asks || s.outcome.Plan != nil {
			t.Errorf("%s: got %+v, want it to ask: %v", name, s.outcome, c.asks)
		}
	}
}

func TestEveryBuiltInModeMayAsk(t *testing.T) {
	for _, mode := range []string{core.ModeBuild, core.ModePlan, core.ModeChat} {
		s := newScene()
		s.mode = mode
		s.model.Call("ask_person", asking)
		if s.run(t.Context()); s.outcome.Reason != core.ReasonAsked || s.outcome.Plan != nil {
			t.Errorf("%s: got %+v, want the question", mode, s.outcome)
		}
	}
}

// TestAQuestionIsAskedOnceAcrossACrash: wherever the process dies, the run that resumes ends
// with the question, without another call of the model.
func TestAQuestionIsAskedOnceAcrossACrash(t *testing.T) {
	s := newScene()
	s.model.Answer(
		ai.Chunk{Call: &ai.Call{ID: "1", Tool: "ask_person", Args: []byte(asking)}},
		ai.Chunk{Call: &ai.Call{ID: "2", Tool: "write_file", Args: []byte(`{"path":"b.txt","content":"b"}`)}},
	)
	s.run(t.Context())
	complete := slices.IndexFunc(s.events, func(p core.Payload) bool { _, is := p.(core.UsageInfo); return is }) + 1
	for died := complete; died <= len(s.events); died++ {
		again := newScene()
		again.before = append([]core.Payload{core.UserMessage{Text: "please"}}, s.events[:died]...)
		again.alter = func(task *agent.Task) {
			task.Resume, task.History = true, task.History[:len(task.History)-1]
		}
		again.run(t.Context())
		if again.err != nil || again.outcome.Reason != core.ReasonAsked || len(again.model.Requests()) != 0 || again.project.files["b.txt"] != "" {
			t.Errorf("died after %d events: got %+v, %v after %d model calls, want the question", died, again.outcome, again.err, len(again.model.Requests()))
		}
		if all := append(slices.Clone(s.events[:died]), again.events...); !reflect.DeepEqual(all, s.events) {
			t.Errorf("died after %d events: got the log %+v, want %+v", died, all, s.events)
		}
	}
}
