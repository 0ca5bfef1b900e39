package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// cutCall is a call of write_file whose end is missing, as adapters pass it on.
func cutCall(path string) []ai.Chunk {
	args, _ := json.Marshal(`{"path":"` + path + `","content":"<h1>Hel`)
	return []ai.Chunk{{Call: &ai.Call{Tool: "write_file", Args: args}}, {Cut: true}}
}

func TestWhoseCallIsCutIsToldWhyAndWritesTheFileInParts(t *testing.T) {
	s := newScene()
	s.model.Answer(cutCall("src/List.tsx")...).
		Call("write_file", `{"path":"src/List.tsx","content":"export function List() {\n","unfinished":true}`).
		Call("write_file", `{"path":"src/List.tsx","content":"  return <ul>\n","append":true,"unfinished":true}`).
		Call("write_file", `{"path":"src/List.tsx","content":"</ul>\n}\n","append":true}`).
		Say("It is there.")
	s.run(t.Context())
	told, failed := s.given(t, 0)
	if want := "reached its limit of 16384 tokens in the middle of this call"; !failed || !strings.Contains(told, want) {
		t.Errorf("got %q, want an error that says %q", told, want)
	}
	if told, failed := s.given(t, 1); failed || !strings.Contains(told, "unfinished: add the next part") {
		t.Errorf("got %q, want no errors of a file that is not whole", told)
	}
	if got, want := s.project.files["src/List.tsx"], "export function List() {\n  return <ul>\n</ul>\n}\n"; got != want || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got the file %q and %v, want %q and done", got, s.outcome, want)
	}
}

func TestAnswersMayBeLongerAfterOneThatWasCut(t *testing.T) {
	for name, row := range map[string]struct{ model, window, before, after int }{
		"a model of which nothing is known": {0, 0, 16_384, 16_384},
		"the same in a large window":        {0, 200_000, 16_384, 32_768},
		"one that can write more":           {64_000, 200_000, 32_768, 50_000},
		"one that can write much more":      {128_000, 1_000_000, 32_768, 65_536},
		"one that cannot":                   {8192, 200_000, 8192, 8192},
		"a small window":                    {64_000, 8192, 2048, 2048},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.alter = func(task *agent.Task) { task.AnswerTokens, task.Context = row.model, row.window }
			s.model.Answer(cutCall("a.txt")...).Say("Enough.")
			s.run(t.Context())
			requests := s.model.Requests()
			if len(requests) != 2 || requests[0].MaxTokens != row.before || requests[1].MaxTokens != row.after {
				t.Errorf("got %d requests, the limits %d and %d, want 2, %d and %d", len(requests), requests[0].MaxTokens, requests[len(requests)-1].MaxTokens, row.before, row.after)
			}
		})
	}
}

func TestAnswersMayBeLongerAfterOneThatThinkingUsedUp(t *testing.T) {
	s := newScene()
	s.alter = func(task *agent.Task) { task.AnswerTokens, task.Context = 64_000, 200_000 }
	s.model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "empty"), Empty: true, Overthought: true}).Say("Hello.")
	s.run(t.Context())
	requests := s.model.Requests()
	if len(requests) != 2 || requests[1].MaxTokens <= requests[0].MaxTokens {
		t.Errorf("got %d requests, the last with %d tokens, want the second with more than %d", len(requests), requests[len(requests)-1].MaxTokens, requests[0].MaxTokens)
	}
}

func TestATextThatIsCutIsContinuedOnce(t *testing.T) {
	s := newScene()
	s.model.Answer(ai.Chunk{Text: "The first half "}, ai.Chunk{Cut: true}).Say("and the second.")
	s.run(t.Context())
	if hints := s.hints(); len(hints) != 1 || !strings.Contains(hints[0], "Go on exactly where it ends") || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got the hints %q and %v, want one to go on, and done", hints, s.outcome)
	}
	s = newScene()
	s.model.Answer(ai.Chunk{Text: "The first half "}, ai.Chunk{Cut: true}).Answer(ai.Chunk{Text: "and more"}, ai.Chunk{Cut: true})
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || !strings.Contains(s.said(), "it ends in the middle") {
		t.Errorf("got %v and %q, want an end that says why", s.outcome, s.said())
	}
}

func TestAPlanThatIsCutIsReadWhole(t *testing.T) {
	s := newScene()
	s.mode = core.ModePlan
	s.model.Answer(ai.Chunk{Text: "```json\n{\"steps\":[{\"title\":\"Build "}, ai.Chunk{Cut: true}).
		Say("it\",\"description\":\"All of it.\",\"files\":[],\"risk\":\"low\"}]}\n```")
	s.run(t.Context())
	if s.outcome.Plan == nil || len(s.outcome.Plan.Steps) != 1 || s.outcome.Plan.Steps[0].Title != "Build it" {
		t.Errorf("got the plan %+v, want its one step", s.outcome.Plan)
	}
}

func TestAppendNeedsAFileThatTheModelKnows(t *testing.T) {
	s := newScene()
	s.project.files["data.bin"], s.project.files["b.css"] = "\x00\x01", "a {}\r\n"
	s.model.Call("write_file", `{"path":"new.css","content":"b {}\n","append":true}`).
		Call("write_file", `{"path":"data.bin","content":"b {}\n","append":true}`).
		Call("write_file", `{"path":"b.css","content":"b {}\n","append":true}`).
		Call("read_file", `{"path":"b.css"}`).
		Call("write_file", `{"path":"b.css","content":"b {}\n","append":true}`).Say("It is there.")
	s.run(t.Context())
	for i, want := range []string{"there is no new.css to append to", "data.bin is not a text file", "read b.css with read_file"} {
		if told, failed := s.given(t, i); !failed || !strings.Contains(told, want) {
			t.Errorf("call %d: got %q, want an error that says %q", i, told, want)
		}
	}
	if got, want := s.project.files["b.css"], "a {}\r\nb {}\r\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
