package agent_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// toldIn returns all that a request tells beside the conversation.
func toldIn(request ai.Request) string {
	told := request.System
	for _, message := range request.Messages {
		told += message.Briefing
	}
	return told
}

// newsIn returns what a request tells with the newest message of the person.
func newsIn(request ai.Request) string {
	news := ""
	for _, message := range request.Messages {
		if message.Role == ai.RoleUser {
			news = message.Briefing
		}
	}
	return news
}

// follow sends the chat's next message and returns its first request.
func (s *scene) follow(t *testing.T, alter func(*agent.Task)) ai.Request {
	t.Helper()
	if s.events != nil {
		s.before = append(append(s.before, core.UserMessage{Text: "please"}), append(s.events, core.TaskComplete{Reason: core.ReasonDone})...)
	}
	s.events, s.alter = nil, func(task *agent.Task) {
		task.Summary, task.Briefing = s.summary, s.briefing
		if alter != nil {
			alter(task)
		}
	}
	s.model = memory.NewModel(core.Model{ID: "m"}).Say("Fine.").Say("Fine.").Say("Fine.")
	if s.run(t.Context()); s.err != nil {
		t.Fatal(s.err)
	}
	requests := s.model.Requests()
	return requests[len(requests)-1]
}

// TestWhatChangesGoesWithTheMessage: system prompt, tools and earlier messages stay as they were,
// and a message has only what changed since the one before.
func TestWhatChangesGoesWithTheMessage(t *testing.T) {
	s := newScene()
	s.project.files["package.json"] = `{"dependencies": {"react": "^19"}}`
	s.project.files["AGENTS.md"] = "Always write German.\nUse tabs.\n" + strings.Repeat("A rule.\n", 50)
	first := s.follow(t, func(task *agent.Task) { task.Untouched, task.Knowledge = true, "Our brand is green." })
	for _, want := range []string{"Always write German.", "Packages: react.", "Our brand is green.", "as its template left it"} {
		if !strings.Contains(newsIn(first), want) || strings.Contains(first.System, want) {
			t.Errorf("got the system prompt %q and the news %q, want %q with the message", first.System, newsIn(first), want)
		}
	}
	if got := first.Messages[0].Text; got != "please" {
		t.Errorf("got %q, want the person's own words", got)
	}
	s.project.files["src/components/ui/button.tsx"] = "x"
	s.project.files["AGENTS.md"] = strings.Replace(s.project.files["AGENTS.md"], "Use tabs.", "Use spaces.", 1)
	second := s.follow(t, nil)
	news := newsIn(second)
	for _, want := range []string{"no longer as its template left it", "does not tell you anything any more", "Components in src/components/ui: button.", "Use tabs.", "Use spaces."} {
		if !strings.Contains(news, want) {
			t.Errorf("got %q, want %q in it", news, want)
		}
	}
	if strings.Contains(news, "react") || strings.Count(news, "A rule.") > 0 {
		t.Errorf("got %q, want nothing that the model knows", news)
	}
	third := s.follow(t, nil)
	if news := newsIn(third); news != "" {
		t.Errorf("got %q, want no news of what did not change", news)
	}
	for n, request := range []ai.Request{second, third} {
		if request.System != first.System || !reflect.DeepEqual(request.Tools, first.Tools) || !reflect.DeepEqual(request.Messages[:len(first.Messages)], first.Messages) {
			t.Errorf("request %d: got another beginning than the first", n+2)
		}
	}
	if !reflect.DeepEqual(third.Messages[:len(second.Messages)], second.Messages) {
		t.Error("got another beginning than the second")
	}
}

// TestRulesSurviveACompaction: what was told is in the system prompt afterwards, as it is now, and
// the next messages begin with the same.
func TestRulesSurviveACompaction(t *testing.T) {
	s := newScene()
	s.before = talk(6)
	s.project.files["AGENTS.md"] = "Always write German."
	first := s.follow(t, nil)
	s.project.files["AGENTS.md"] = "Always write French."
	s.follow(t, nil)
	small := func(task *agent.Task) { task.Context = 8000 }
	compacted := s.follow(t, small)
	if s.summary == nil || !strings.Contains(compacted.System, "Always write French.") || strings.Contains(toldIn(compacted), "German") || newsIn(compacted) != "" {
		t.Fatalf("got the summary %+v and told %q, want the rules as they are, in the system prompt", s.summary, toldIn(compacted))
	}
	if !strings.HasPrefix(compacted.System, first.System) {
		t.Error("got another beginning of the system prompt")
	}
	s.project.files["package.json"] = `{"dependencies": {"react": "^19"}}`
	next := s.follow(t, small)
	if next.System != compacted.System || !reflect.DeepEqual(next.Messages[:len(compacted.Messages)], compacted.Messages) {
		t.Error("got another beginning after the compaction")
	}
	if news := newsIn(next); !strings.Contains(news, "react") || strings.Contains(news, "French") {
		t.Errorf("got the news %q, want the packages alone", news)
	}
}

// TestARunThatGoesOnTellsNothingTwice: what a run changed before a crash is no news.
func TestARunThatGoesOnTellsNothingTwice(t *testing.T) {
	s := newScene()
	s.project.files["AGENTS.md"] = "Always write German."
	s.model.Call("write_file", `{"path":"AGENTS.md","content":"Always write French."}`).Say("Done.")
	told := s.run(t.Context()).model.Requests()[1]
	resumed := newScene()
	resumed.project = s.project
	resumed.model.Say("Done.")
	resumed.alter = func(task *agent.Task) {
		task.Resume, task.Briefing = true, s.briefing
		task.History = logOf(append([]core.Payload{core.UserMessage{Text: "please"}}, s.events[:4]...))
	}
	resumed.run(t.Context())
	if got := resumed.model.Requests()[0]; resumed.err != nil || toldIn(got) != toldIn(told) {
		t.Errorf("got %q, %v, want what the run was told: %q", toldIn(got), resumed.err, toldIn(told))
	}
}

// TestABriefingHasABound: however often the project changes, what is told of it does not grow
// beyond the window, and a file cannot make it say more than its share.
func TestABriefingHasABound(t *testing.T) {
	s := newScene()
	for n := range 40 {
		s.project.files["AGENTS.md"] = strings.Repeat(fmt.Sprintf("rule %d\n", n), 2000)
		request := s.follow(t, func(task *agent.Task) { task.Context = 8000 })
		if got := len(toldIn(request)) / 4; got > 4500 {
			t.Fatalf("message %d: got %d tokens of briefings and system prompt, want at most 4,500", n, got)
		}
		if !strings.Contains(toldIn(request), fmt.Sprintf("rule %d\n", n)) {
			t.Fatalf("message %d: got %q, want the newest rules", n, toldIn(request))
		}
	}
}

// TestHintsStayWhereTheyWere: what the agent told in the middle of a run is there in the next one,
// too, so that its conversation begins with the same.
func TestHintsStayWhereTheyWere(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", `{"path":"a.ts","content":"BROKEN"}`).Say("Done.").Call("write_file", `{"path":"a.ts","content":"fine"}`).Say("Mended.")
	s.run(t.Context())
	requests := s.model.Requests()
	last := requests[len(requests)-1].Messages
	if !strings.Contains(last[4].Text, "the build failed") {
		t.Fatalf("got %+v, want the model asked to mend it", last)
	}
	next := s.follow(t, nil)
	if got := next.Messages[:len(last)]; !reflect.DeepEqual(got, last) {
		t.Errorf("got the beginning %+v, want %+v", got, last)
	}
	found := commanded(t, "/fix the menu", form)
	found.model.Say("Well.")
	told := found.run(t.Context()).model.Requests()[0].Messages[0]
	next = found.next(func(task *agent.Task) {
		task.Briefing = found.briefing
		task.History[0].Payload = core.UserMessage{Text: "/fix the menu", Command: core.CommandFix, Prompt: "Expanded: /fix the menu"}
	}).run(t.Context()).model.Requests()[0]
	if got := next.Messages[0]; !reflect.DeepEqual(got, told) {
		t.Errorf("got the message %+v, want %+v", got, told)
	}
}
