package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// small gives a scene a model with a window of 8,000 tokens: 6,000 for a prompt.
func (s *scene) small() {
	before := s.alter
	s.alter = func(task *agent.Task) {
		if before != nil {
			before(task)
		}
		task.Context = 8000
	}
}

// compactions returns the events of the run about its compactions.
func (s *scene) compactions() []core.CompactionComplete {
	var all []core.CompactionComplete
	for _, event := range s.events {
		if done, is := event.(core.CompactionComplete); is {
			all = append(all, done)
		}
	}
	return all
}

// longReads has the model read files of about 700 tokens each; the prompt of a
// small model holds six at most.
func (s *scene) longReads(files int) {
	for i := range files {
		path := fmt.Sprintf("f%d.txt", i)
		s.project.files[path] = strings.Repeat("some words in a row\n", 140)
		s.model.Call("read_file", fmt.Sprintf(`{"path":%q}`, path))
	}
}

func TestOldResultsAreShortenedFirst(t *testing.T) {
	s := newScene()
	s.small()
	s.longReads(8)
	s.model.Say("Read.")
	s.run(t.Context())
	requests := s.model.Requests()
	if done := s.compactions(); s.err != nil || len(done) != 0 {
		t.Fatalf("got %v, %+v, want no word of a summary that nobody wrote", s.err, done)
	}
	if len(requests) != 9 {
		t.Fatalf("got %d model calls, want no summary where shortening is enough", len(requests))
	}
	last := requests[len(requests)-1].Messages
	if first := last[2].Text; len(first) > 500 || !strings.Contains(first, "left out to save room") || !strings.HasPrefix(first, "f0.txt hash") {
		t.Errorf("got %q, want a word about the oldest result", first)
	}
	if newest := last[len(last)-1].Text; !strings.Contains(newest, "some words in a row") || strings.Contains(newest, "left out") {
		t.Errorf("got %.80q, want the newest result whole", newest)
	}
}

func TestNoPromptIsLargerThanTheWindow(t *testing.T) {
	s := newScene()
	s.small()
	s.longReads(40)
	s.model.Say("Read.")
	s.run(t.Context())
	for i, request := range s.model.Requests() {
		bytes := len(request.System)
		for _, message := range request.Messages {
			bytes += len(message.Briefing) + len(message.Text)
		}
		if bytes/4 > 6000 {
			t.Errorf("request %d: got about %d tokens, want at most 6000", i, bytes/4)
		}
		if request.MaxTokens != 2000 {
			t.Errorf("got %d tokens for an answer, want a quarter of the window", request.MaxTokens)
		}
	}
}

func TestWhatWasReadAgainIsDroppedWhereItIsOld(t *testing.T) {
	s := newScene()
	s.small()
	s.project.files["a.txt"] = strings.Repeat("first words\n", 500)
	s.model.Call("read_file", `{"path":"a.txt"}`).Call("read_file", `{"path":"a.txt"}`).Call("read_file", `{"path":"a.txt"}`).Call("read_file", `{"path":"a.txt"}`).Say("Read.")
	s.run(t.Context())
	last := s.model.Requests()[4].Messages
	if !strings.Contains(last[2].Text, "no longer the file's content") || strings.Contains(last[len(last)-1].Text, "no longer") {
		t.Errorf("got %.200q and %.60q, want the newest of the reads alone", last[2].Text, last[len(last)-1].Text)
	}
}

// talk is a chat of long messages, each with its answer.
func talk(turns int) []core.Payload {
	var log []core.Payload
	for i := range turns {
		log = append(log,
			core.UserMessage{Text: fmt.Sprintf("Wish %d: %s", i, strings.Repeat("please ", 200))},
			core.MessageDelta{Delta: strings.Repeat("certainly ", 300)}, core.UsageInfo{InputTokens: 1},
			core.AssistantMessage{Text: "certainly"}, core.TaskComplete{Reason: core.ReasonDone},
		)
	}
	return log
}

func TestALongTalkIsSummarisedAndTheSummaryKept(t *testing.T) {
	s := newScene()
	s.before = talk(8)
	s.small()
	s.model.Say("They wanted eight things.").Say("The ninth is done.")
	s.run(t.Context())
	requests := s.model.Requests()
	if s.err != nil || len(requests) != 2 || len(requests[0].Tools) != 0 {
		t.Fatalf("got %v and %d model calls, want a summary and then the answer", s.err, len(requests))
	}
	first := requests[1].Messages[0].Text
	for _, want := range []string{"They wanted eight things.", "Wish 0:", "Wish 7:"} {
		if !strings.Contains(first, want) {
			t.Errorf("got %.300q, want %q in it", first, want)
		}
	}
	if strings.Contains(first, "certainly certainly") {
		t.Errorf("got %.300q, want no old answer in it", first)
	}
	if got := s.types(); !strings.HasPrefix(got, "session.compaction_start session.usage_info session.compaction_complete") {
		t.Errorf("got %s, want the compaction told", got)
	}
	if s.summary == nil || s.summary.Through < 20 || s.summary.Through > 40 || !strings.Contains(s.summary.Text, "eight things") {
		t.Fatalf("got %+v, want the summary of the oldest part kept", s.summary)
	}
	next := newScene()
	next.before = talk(9)
	next.alter = func(task *agent.Task) { task.Summary = s.summary }
	next.model.Say("Yes.")
	next.run(t.Context())
	got := next.model.Requests()[0].Messages
	if !strings.Contains(got[0].Text, "eight things") || strings.Contains(got[1].Text+got[2].Text, "Wish 0") || len(got) > 10 {
		t.Errorf("got %d messages, the first %.80q, want the next run to begin with the summary", len(got), got[0].Text)
	}
}

func TestRulesTakeAnEighthOfThePrompt(t *testing.T) {
	s := newScene()
	s.project.files["AGENTS.md"] = strings.Repeat("rule ", 4200)
	s.small()
	for i := range 5 {
		s.model.Call("search_files", fmt.Sprintf(`{"query":"%d"}`, i))
	}
	s.model.Say("Fine.")
	s.run(t.Context())
	system := toldIn(s.model.Requests()[0])
	if got := strings.Count(system, "rule "); got < 400 || got > 6000/8*4/5 || !strings.Contains(system, "read the file for the rest") {
		t.Errorf("got %d rules, want an eighth of 6,000 tokens and a word about the rest", got)
	}
	if n := len(s.compactions()); n != 0 || s.err != nil {
		t.Errorf("got %d compactions, %v, want none", n, s.err)
	}
}

func TestAConversationThatTheVendorFindsTooLongIsCompacted(t *testing.T) {
	s := newScene()
	s.longReads(8)
	s.model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "too long"), TooLong: true}).Say("Read.")
	s.run(t.Context())
	if s.err != nil || s.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %v, %v, want the run to go on", s.outcome, s.err)
	}
	requests := s.model.Requests()
	if before, after := weighed(requests[8]), weighed(requests[9]); after >= before {
		t.Errorf("got %d bytes after %d, want less to be asked with", after, before)
	}
}

// weighed is how many bytes of text a request's messages have.
func weighed(request ai.Request) (bytes int) {
	for _, message := range request.Messages {
		bytes += len(message.Text)
	}
	return bytes
}

// TestASummaryKeepsWhatWasWrittenWhere: by rule, whatever the model says of it.
func TestASummaryKeepsWhatWasWrittenWhere(t *testing.T) {
	s := newScene()
	s.small()
	s.before = []core.Payload{core.UserMessage{Text: "A shop, please."}}
	for _, change := range []core.FileChanged{{Path: "src/a.ts", Action: core.FileCreated}, {Path: "src/b.ts", Action: core.FileModified}, {Path: "src/a.ts", Action: core.FileModified}, {Path: "old.ts", Action: core.FileDeleted}} {
		id := string(core.NewID())
		s.before = append(s.before, core.ToolCall{ID: id, Tool: "write_file", Args: []byte(`{}`)}, core.UsageInfo{InputTokens: 1}, change, core.ToolResult{ID: id, Result: "done"})
	}
	s.before = append(s.before, core.AssistantMessage{Text: "One moment."}, core.TaskComplete{Reason: core.ReasonDone})
	s.before = append(s.before, talk(8)...)
	s.model.Say("Now component 0.").Say("Done.")
	s.run(t.Context())
	if want := "[Files that you have changed so far, the newest last:]\nsrc/b.ts modified\nsrc/a.ts created\nold.ts deleted"; s.summary == nil || !strings.Contains(s.summary.Text, want) {
		t.Errorf("got the summary %+v, want %q in it", s.summary, want)
	}
}
