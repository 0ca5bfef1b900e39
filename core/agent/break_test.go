package agent_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// TestAStreamThatBreaksIsAskedForAgain: twice, without its partial text and without the
// calls that it had announced.
func TestAStreamThatBreaksIsAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "overloaded"), Temporary: true}
		s := newScene()
		s.model.Fail(broken, ai.Chunk{Text: "I will"}, ai.Chunk{Call: &ai.Call{ID: "a", Tool: "delete_file", Args: []byte(`{"path":"src/App.tsx"}`)}})
		s.model.Fail(broken, ai.Chunk{Reasoning: "hm"})
		s.model.Say("I have looked.")
		s.run(t.Context())
		if s.err != nil || s.outcome.Reason != core.ReasonDone || len(s.project.files) != 1 {
			t.Fatalf("got %v, %v, want the third answer and no call of the first", s.outcome.Reason, s.err)
		}
		for i, request := range s.model.Requests() {
			if len(request.Messages) != 1 {
				t.Errorf("request %d: got %+v, want nothing of an answer that broke off", i, request.Messages)
			}
		}
		want := "assistant.message_delta tool.call tool.error assistant.message"
		if got := s.types(); !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want what was seen closed: %s", got, want)
		}
		next := newScene()
		next.before = append([]core.Payload{core.UserMessage{Text: "please"}}, append(s.events, core.TaskComplete{Reason: core.ReasonDone})...)
		next.model.Say("Yes.")
		next.run(t.Context())
		if got := next.model.Requests()[0].Messages; len(got) != 3 || got[1].Text != "I have looked." {
			t.Errorf("got %+v, want the next run to see the whole answer alone", got)
		}
	})
}

func TestAnEmptyAnswerIsAskedForOnceMore(t *testing.T) {
	empty := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "empty"), Empty: true, Temporary: true}
	s := newScene()
	s.model.Fail(empty).Say("Here.")
	s.run(t.Context())
	if s.err != nil || s.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %v, %v, want the second answer", s.outcome.Reason, s.err)
	}
	asked := s.model.Requests()[1].Messages
	if got := asked[len(asked)-1]; got.Role != ai.RoleUser || !strings.Contains(got.Text, "empty") {
		t.Fatalf("got %+v, want a hint", got)
	}
	s = newScene()
	s.model.Fail(empty).Fail(empty).Say("too late")
	if s.run(t.Context()); !core.IsCode(s.err, core.CodeModelUnavailable) {
		t.Fatalf("got %v, want model_unavailable after the second", s.err)
	}
}
