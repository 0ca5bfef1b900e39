package agent_test

import (
	"reflect"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// thoughtful is a scene whose model thinks before it looks at the files, and before it says
// that it is done.
func thoughtful(signatures ...string) *scene {
	s := newScene()
	s.alter = func(task *agent.Task) { task.KeepsThoughts = true }
	answer := func(signature string, last ai.Chunk) []ai.Chunk {
		chunks := []ai.Chunk{{Reasoning: "Let me "}, {Reasoning: "think."}}
		if signature != "" {
			chunks = append(chunks, ai.Chunk{Signed: &ai.Thought{Text: "Let me think.", Signature: signature}})
		}
		return append(chunks, last)
	}
	s.model.Answer(answer(signatures[0], ai.Chunk{Call: &ai.Call{ID: "1", Tool: "list_files", Args: []byte(`{}`)}})...)
	s.model.Answer(answer(signatures[1], ai.Chunk{Text: "Done."})...)
	return s
}

// thoughtsOf are the thoughts of the answers in the request.
func thoughtsOf(request ai.Request) (all [][]ai.Thought) {
	for _, message := range request.Messages {
		if message.Role == ai.RoleAssistant {
			all = append(all, message.Thoughts)
		}
	}
	return all
}

// next is the message after a run, with the log of that.
func (s *scene) next(alter func(*agent.Task)) *scene {
	next := newScene()
	next.alter = alter
	next.before = append([]core.Payload{core.UserMessage{Text: "please"}}, append(s.events, core.TaskComplete{Reason: core.ReasonDone})...)
	next.model.Say("Yes.")
	return next
}

func keeping(model string) func(*agent.Task) {
	return func(task *agent.Task) { task.KeepsThoughts, task.Model = true, model }
}

func TestSignedThoughtsAreGivenBack(t *testing.T) {
	s := thoughtful("one", "two").run(t.Context())
	first, second := ai.Thought{Text: "Let me think.", Signature: "one"}, ai.Thought{Text: "Let me think.", Signature: "two"}
	if got := thoughtsOf(s.model.Requests()[1]); !reflect.DeepEqual(got, [][]ai.Thought{{first}}) {
		t.Fatalf("the next step: got %+v, want the thought", got)
	}
	next := s.next(keeping("m")).run(t.Context())
	if got := thoughtsOf(next.model.Requests()[0]); !reflect.DeepEqual(got, [][]ai.Thought{{first}, {second}}) {
		t.Errorf("the next message: got %+v, want both thoughts from the log", got)
	}
	next = s.next(keeping("other")).run(t.Context())
	if got := thoughtsOf(next.model.Requests()[0]); !reflect.DeepEqual(got, [][]ai.Thought{{{}}, nil}) {
		t.Errorf("another model: got %+v, want none of this one's", got)
	}
	next = s.next(nil).run(t.Context())
	if got := thoughtsOf(next.model.Requests()[0]); !reflect.DeepEqual(got, [][]ai.Thought{nil, nil}) {
		t.Errorf("a vendor that does not want them: got %+v, want none", got)
	}
}

// TestThoughtsWithoutASignatureAreGivenBackWithCalls: DeepSeek and others demand that.
func TestThoughtsWithoutASignatureAreGivenBackWithCalls(t *testing.T) {
	s := thoughtful("", "").run(t.Context())
	want := [][]ai.Thought{{{Text: "Let me think."}}}
	if got := thoughtsOf(s.model.Requests()[1]); !reflect.DeepEqual(got, want) {
		t.Fatalf("the next step: got %+v, want %+v", got, want)
	}
	next := s.next(keeping("m")).run(t.Context())
	if got := thoughtsOf(next.model.Requests()[0]); !reflect.DeepEqual(got, append(want, nil)) {
		t.Errorf("the next message: got %+v, want the thought before the call", got)
	}
}

// TestRefusedThoughtsAreLeftOut: a vendor refuses thoughts that it signed behind another
// conversation, such as before a change of the project's rules.
func TestRefusedThoughtsAreLeftOut(t *testing.T) {
	refused := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "invalid signature in thinking block"), BadThoughts: true}
	s := thoughtful("one", "two").run(t.Context()).next(keeping("m"))
	s.model = newScene().model.Fail(refused).Say("Yes.")
	if s.run(t.Context()); s.err != nil || s.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %v, %v, want the second answer", s.outcome.Reason, s.err)
	}
	if got := thoughtsOf(s.model.Requests()[1]); !reflect.DeepEqual(got, [][]ai.Thought{{{}}, {{}}}) {
		t.Errorf("got %+v, want no thoughts", got)
	}
	s = newScene()
	s.alter = keeping("m")
	s.model.Fail(refused).Say("too late")
	if s.run(t.Context()); !core.IsCode(s.err, core.CodeModelUnavailable) {
		t.Errorf("got %v without any thought, want the refusal to end the run", s.err)
	}
}

func TestThoughtsOfABrokenAnswerAreForgotten(t *testing.T) {
	s := newScene()
	s.before = []core.Payload{
		core.UserMessage{Text: "a"}, core.ReasoningDelta{Delta: "broken"}, core.UsageInfo{InputTokens: 1},
		core.ReasoningDelta{Delta: "half"}, core.MessageDelta{Delta: "I"}, core.AssistantMessage{Text: "I"},
		core.ReasoningDelta{Delta: "whole"}, core.ToolCall{ID: "1", Tool: "list_files", Args: []byte(`{}`)}, core.UsageInfo{InputTokens: 1},
		core.ToolResult{ID: "1", Result: "none"}, core.MessageDelta{Delta: "Done."}, core.UsageInfo{InputTokens: 1}, core.TaskComplete{Reason: core.ReasonDone},
	}
	s.alter = keeping("m")
	s.model.Say("Yes.")
	s.run(t.Context())
	if got := thoughtsOf(s.model.Requests()[0]); !reflect.DeepEqual(got, [][]ai.Thought{{{Text: "whole"}}, nil}) {
		t.Errorf("got %+v, want the thought of the whole answer alone", got)
	}
}

// TestAnAnswerThatThinkingAteUpIsAskedForWithoutThinking: once, and not after another empty answer.
func TestAnAnswerThatThinkingAteUpIsAskedForWithoutThinking(t *testing.T) {
	for _, row := range []struct {
		overthought bool
		want        core.Thinking
	}{{true, core.ThinkingOff}, {false, core.ThinkingHigh}} {
		s := newScene()
		s.alter = func(task *agent.Task) { task.Thinking = core.ThinkingHigh }
		s.model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "empty"), Empty: true, Overthought: row.overthought})
		s.model.Call("list_files", `{}`).Say("Done.")
		s.run(t.Context())
		requests := s.model.Requests()
		if s.err != nil || len(requests) != 3 || requests[0].Thinking != core.ThinkingHigh || requests[1].Thinking != row.want || requests[2].Thinking != core.ThinkingHigh {
			t.Errorf("overthought %v: got %v after %d requests, want %q for the second alone", row.overthought, s.err, len(requests), row.want)
		}
	}
}
