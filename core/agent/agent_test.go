package agent_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// scene is one run with everything around it.
type scene struct {
	model   *memory.Model
	project *mapProject
	meter   *countingMeter
	mode    string
	// wish is the message, "please" when it is empty.
	wish string
	// defined is the workspace's definition of mode.
	defined *core.Mode
	// before is the chat's log up to the request, summary replaces its beginning;
	// alter changes the task last.
	before   []core.Payload
	alter    func(*agent.Task)
	events   []core.Payload
	intents  []core.Intent
	summary  *core.Summary
	briefing *core.Briefing
	outcome  agent.Outcome
	err      error
}

func newScene() *scene {
	return &scene{
		model:   memory.NewModel(core.Model{ID: "m"}),
		project: &mapProject{files: map[string]string{"src/App.tsx": "<h1>Hello</h1>\n"}},
		meter:   &countingMeter{}, mode: core.ModeBuild,
	}
}

func (s *scene) run(ctx context.Context) *scene {
	task := agent.Task{
		Mode: s.mode, Defined: s.defined, Provider: s.model, Model: "m", Project: s.project, Meter: s.meter,
		History:  logOf(append(s.before, core.UserMessage{Text: cmp.Or(s.wish, "please")})),
		Record:   func(p core.Payload) error { s.events = append(s.events, p); return nil },
		Intend:   func(_ context.Context, intent core.Intent) error { s.intents = append(s.intents, intent); return nil },
		Brief:    func(_ context.Context, briefing core.Briefing) error { s.briefing = &briefing; return nil },
		Remember: func(_ context.Context, summary core.Summary) error { s.summary = &summary; return nil },
	}
	if s.alter != nil {
		s.alter(&task)
	}
	s.outcome, s.err = agent.New(slog.New(slog.DiscardHandler)).Run(ctx, task)
	return s
}

// logOf numbers payloads as a chat's log does.
func logOf(payloads []core.Payload) []core.Event {
	log := make([]core.Event, len(payloads))
	for i, payload := range payloads {
		log[i] = core.Event{Seq: int64(i + 1), Payload: payload}
	}
	return log
}

// types lists the events' types, deltas of one kind in a row as one.
func (s *scene) types() string {
	var types []string
	for _, event := range s.events {
		name := string(event.EventType())
		if len(types) == 0 || types[len(types)-1] != name || !strings.HasSuffix(name, "_delta") {
			types = append(types, name)
		}
	}
	return strings.Join(types, " ")
}

// given returns the text of the n-th tool result or error, from 0.
func (s *scene) given(t *testing.T, n int) (text string, failed bool) {
	t.Helper()
	for _, event := range s.events {
		switch p := event.(type) {
		case core.ToolResult:
			text, failed = p.Result, false
		case core.ToolError:
			text, failed = p.Error, true
		default:
			continue
		}
		if n == 0 {
			return text, failed
		}
		n--
	}
	t.Fatalf("got no such tool outcome in %s", s.types())
	return "", false
}

// countingMeter bounds the calls by allowed and the tokens of each answer by most;
// 0 means no bound.
type countingMeter struct {
	allowed           int
	most              int64
	reserved, settled int
	used              core.Usage
}

func (m *countingMeter) Reserve(context.Context, core.Usage) error {
	if m.reserved++; m.allowed > 0 && m.reserved > m.allowed {
		return core.Errorf(core.CodeCreditExhausted, "used up")
	}
	return nil
}

func (m *countingMeter) Within(soFar core.Usage) error {
	if m.most > 0 && soFar.OutputTokens > m.most {
		return core.Errorf(core.CodeCreditExhausted, "used up")
	}
	return nil
}

func (m *countingMeter) Settle(_ context.Context, used core.Usage) (float64, error) {
	m.settled++
	m.used.InputTokens += used.InputTokens
	m.used.OutputTokens += used.OutputTokens
	m.used.Images += used.Images
	return 0.5, nil
}

func TestRunStreamsTheAnswerAndEnds(t *testing.T) {
	s := newScene()
	s.model.Answer(ai.Chunk{Reasoning: "hm"}, ai.Chunk{Text: "All "}, ai.Chunk{Text: "done."})
	s.run(t.Context())
	want := "assistant.reasoning_delta assistant.message_delta session.usage_info assistant.message"
	if got := s.types(); got != want || s.err != nil || s.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %s, %v, %v, want %s, done", got, s.outcome.Reason, s.err, want)
	}
	if got := s.events[len(s.events)-1].(core.AssistantMessage).Text; got != "All done." {
		t.Fatalf("got %q, want the whole text", got)
	}
	if s.meter.reserved != 1 || s.meter.settled != 1 {
		t.Fatalf("got %d reserved, %d settled, want one each", s.meter.reserved, s.meter.settled)
	}
}

func TestRunCarriesOutCallsAndGivesTheirResultsBack(t *testing.T) {
	s := newScene()
	s.model.Call("read_file", `{"path":"src/App.tsx"}`)
	s.model.Call("edit_file", `{"path":"src/App.tsx","oldText":"Hello","newText":"Bye"}`)
	s.model.Say("Changed.")
	s.run(t.Context())
	if got := s.project.files["src/App.tsx"]; got != "<h1>Bye</h1>\n" || s.err != nil {
		t.Fatalf("got %q, %v, want the edit", got, s.err)
	}
	want := "tool.call session.usage_info tool.result tool.call session.usage_info file.changed tool.result " +
		"assistant.message_delta session.usage_info assistant.message session.step"
	if got := s.types(); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	last := s.model.Requests()[2].Messages
	result := last[len(last)-1]
	if result.Role != ai.RoleTool || !strings.Contains(result.Text, "modified") || !strings.Contains(result.Text, "Build succeeded.") {
		t.Fatalf("got the result %+v, want the change and the state of the build", result)
	}
}

func TestAChangeThatBreaksTheBuildSaysSo(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", `{"path":"a.ts","content":"BROKEN"}`).Say("Sorry.")
	s.run(t.Context())
	if got, failed := s.given(t, 0); failed || !strings.Contains(got, "a.ts:1:1: it is broken") {
		t.Fatalf("got %q, want the diagnostic in the result", got)
	}
}

func TestToolErrorsTellTheModelWhatToDo(t *testing.T) {
	for name, c := range map[string]struct{ mode, tool, args, want string }{
		"unknown tool":            {core.ModeBuild, "fly", `{}`, `there is no tool "fly"`},
		"tool outside the mode":   {core.ModePlan, "write_file", `{"path":"a","content":""}`, "not allowed in the mode"},
		"chat mode only reads":    {core.ModeChat, "delete_file", `{"path":"src/App.tsx"}`, "not allowed in the mode"},
		"path that escapes":       {core.ModeBuild, "read_file", `{"path":"../../etc/passwd"}`, "path_traversal"},
		"path into the repo":      {core.ModeBuild, "write_file", `{"path":".GIT/config","content":"x"}`, "invalid_path"},
		"rename into the repo":    {core.ModeBuild, "rename_file", `{"from":"src/App.tsx","to":".git/hooks/x"}`, "invalid_path"},
		"rename from outside":     {core.ModeBuild, "rename_file", `{"from":"../etc/passwd","to":"x"}`, "path_traversal"},
		"delete of the root":      {core.ModeBuild, "delete_file", `{"path":""}`, "invalid_path"},
		"missing file":            {core.ModeBuild, "read_file", `{"path":"nope"}`, "not_found"},
		"misspelt argument":       {core.ModeBuild, "read_file", `{"pathh":"a"}`, `unknown field "pathh"`},
		"argument of wrong type":  {core.ModeBuild, "read_file", `{"path":7}`, "cannot unmarshal"},
		"arguments no object":     {core.ModeBuild, "read_file", `[]`, "arguments are wrong"},
		"arguments cut off":       {core.ModeBuild, "read_file", `{"path":"src/A`, "arguments are wrong"},
		"write without content":   {core.ModeBuild, "write_file", `{"path":"a"}`, "content is missing"},
		"edit with a stale hash":  {core.ModeBuild, "edit_file", `{"path":"src/App.tsx","oldText":"Hello","newText":"x","hash":"00"}`, "precondition_failed"},
		"edit without old text":   {core.ModeBuild, "edit_file", `{"path":"src/App.tsx","oldText":"","newText":"x"}`, "both needed"},
		"command in plan mode":    {core.ModePlan, "run_command", `{"command":"ls"}`, "not allowed in the mode"},
		"command in chat mode":    {core.ModeChat, "run_command", `{"command":"ls"}`, "not allowed in the mode"},
		"empty command":           {core.ModeBuild, "run_command", `{"command":" "}`, "command is missing"},
		"command as a list":       {core.ModeBuild, "run_command", `{"command":["ls"]}`, "cannot unmarshal"},
		"more than one arguments": {core.ModeBuild, "read_file", `{"path":"a"} {"path":"b"}`, "arguments are wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.mode = c.mode
			s.model.Call(c.tool, c.args).Say("Well.")
			s.run(t.Context())
			got, failed := s.given(t, 0)
			if !failed || !strings.Contains(got, c.want) {
				t.Fatalf("got %q (failed %v), want a tool.error with %q", got, failed, c.want)
			}
			if s.project.files["src/App.tsx"] != "<h1>Hello</h1>\n" || len(s.project.files) != 1 {
				t.Fatalf("got the files %v, want them untouched", s.project.files)
			}
			if s.outcome.Reason != core.ReasonDone || s.err != nil {
				t.Fatalf("got %v, %v, want a run that goes on", s.outcome.Reason, s.err)
			}
		})
	}
}

func TestReadingToolsAnswer(t *testing.T) {
	for name, c := range map[string]struct{ tool, args, want string }{
		"list":                  {"list_files", `{}`, "src/App.tsx (15)"},
		"list of a directory":   {"list_files", `{"path":"src/"}`, "src/App.tsx"},
		"list of the root":      {"list_files", `{"path":"."}`, "src/App.tsx"},
		"list of nothing":       {"list_files", `{"path":"lib"}`, "no files"},
		"no arguments at all":   {"list_files", ``, "src/App.tsx"},
		"read":                  {"read_file", `{"path":"src/App.tsx"}`, "<h1>Hello</h1>"},
		"arguments in a string": {"read_file", `"{\"path\":\"src/App.tsx\"}"`, "<h1>Hello</h1>"},
		"search":                {"search_files", `{"query":"Hello"}`, "src/App.tsx:1:1:"},
		"search for nothing":    {"search_files", `{"query":"zzz","maxResults":3}`, "Nothing matches"},
		"check":                 {"check_build", `{}`, "Build succeeded."},
		"console":               {"console_logs", `{}`, "TypeError"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.project.console = []string{"TypeError: x is not a function"}
			s.model.Call(c.tool, c.args).Say("Fine.")
			s.run(t.Context())
			if got, failed := s.given(t, 0); failed || !strings.Contains(got, c.want) {
				t.Fatalf("got %q (failed %v), want %q", got, failed, c.want)
			}
		})
	}
}

func TestTheSameFailingCallThreeTimesEndsTheRun(t *testing.T) {
	s := newScene()
	for range 5 {
		s.model.Call("read_file", `{"path":"nope"}`)
	}
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || s.err != nil || s.model.Left() != 2 {
		t.Fatalf("got %v, %v with %d answers left, want limit after three", s.outcome.Reason, s.err, s.model.Left())
	}
	if _, noted := s.events[len(s.events)-1].(core.AssistantMessage); !noted {
		t.Fatalf("got %s, want a note at the end", s.types())
	}
}

func TestARunHasAtMostSixtySteps(t *testing.T) {
	s := newScene()
	for i := range agent.MaxSteps + 5 {
		s.model.Call("search_files", fmt.Sprintf(`{"query":"%d"}`, i))
	}
	s.run(t.Context())
	if s.outcome.Reason != core.ReasonLimit || s.model.Left() != 5 {
		t.Fatalf("got %v with %d answers left, want limit after %d steps", s.outcome.Reason, s.model.Left(), agent.MaxSteps)
	}
}

func TestRetriesOnlyBeforeTheFirstChunk(t *testing.T) {
	busy := func(after time.Duration) error {
		refusal := core.Errorf(core.CodeModelUnavailable, "busy")
		refusal.RetryAfter = after
		return &ai.Failure{Err: refusal, Temporary: true}
	}
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		s.model.Fail(busy(0)).Fail(busy(7 * time.Second)).Fail(busy(0)).Say("at last")
		start := time.Now()
		s.run(t.Context())
		if s.err != nil || time.Since(start) != (1+7+4)*time.Second {
			t.Fatalf("got %v after %s, want success after 1+7+4 s", s.err, time.Since(start))
		}
	})
	for name, script := range map[string]func(*memory.Model){
		"after four attempts":       func(m *memory.Model) { m.Fail(busy(0)).Fail(busy(0)).Fail(busy(0)).Fail(busy(0)) },
		"when the wait is too long": func(m *memory.Model) { m.Fail(busy(2 * time.Minute)) },
		"when it broke off three times": func(m *memory.Model) {
			m.Fail(busy(0), ai.Chunk{Text: "half"}).Fail(busy(0), ai.Chunk{Text: "half"}).Fail(busy(0), ai.Chunk{Text: "half"})
		},
		"when trying again is vain": func(m *memory.Model) { m.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "401")}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScene()
				script(s.model)
				s.model.Say("never asked for")
				s.run(t.Context())
				if !core.IsCode(s.err, core.CodeModelUnavailable) || s.model.Left() != 1 {
					t.Fatalf("got %v with %d left, want model_unavailable and no further attempt", s.err, s.model.Left())
				}
			})
		})
	}
}

func TestCreditIsAskedForBeforeEachCallAndPaidAlsoWhenItFails(t *testing.T) {
	s := newScene()
	s.meter.allowed = 1
	s.model.Call("list_files", `{}`).Say("never asked for")
	s.run(t.Context())
	if !core.IsCode(s.err, core.CodeCreditExhausted) || s.model.Left() != 1 || s.meter.settled != 1 {
		t.Fatalf("got %v, %d left, %d settled, want credit_exhausted before the second call", s.err, s.model.Left(), s.meter.settled)
	}
	s = newScene()
	cut := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "cut")}
	s.model.Script(memory.ModelAnswer{Chunks: []ai.Chunk{{Text: "half"}}, Err: cut, Usage: core.Usage{InputTokens: 10, OutputTokens: 5}})
	s.run(t.Context())
	if s.err == nil || s.meter.used != (core.Usage{InputTokens: 10, OutputTokens: 5}) {
		t.Fatalf("got %v, %+v, want what was used to be booked", s.err, s.meter.used)
	}
}

func TestCancellingEndsTheModelCall(t *testing.T) {
	s := newScene()
	s.model.Hang(ai.Chunk{Text: "I will"})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-s.model.Called(); cancel() }()
	if s.run(ctx); !errors.Is(s.err, context.Canceled) {
		t.Fatalf("got %v, want context.Canceled", s.err)
	}
}

func TestAFullDiskIsToldToTheModel(t *testing.T) {
	s := newScene()
	s.project.failing = core.Errorf(core.CodeUnavailable, "the disk is full")
	s.model.Call("write_file", `{"path":"a","content":"x"}`).Say("I cannot.")
	s.run(t.Context())
	if got, failed := s.given(t, 0); !failed || !strings.Contains(got, "the disk is full") {
		t.Fatalf("got %q, want the reason", got)
	}
}

func TestInternalFailuresAreNotShown(t *testing.T) {
	s := newScene()
	s.project.failing = errors.New("pq: secret host 10.0.0.7")
	s.model.Call("write_file", `{"path":"a","content":"x"}`).Say("I cannot.")
	s.run(t.Context())
	if got, _ := s.given(t, 0); strings.Contains(got, "10.0.0.7") || !strings.Contains(got, "internal") {
		t.Fatalf("got %q, want no detail", got)
	}
}

func TestTheProjectsRulesAreInThePrompt(t *testing.T) {
	s := newScene()
	s.project.files["AGENTS.md"] = "Always write German."
	s.model.Say("Ja.")
	s.run(t.Context())
	if got := toldIn(s.model.Requests()[0]); !strings.Contains(got, "Always write German.") {
		t.Fatalf("got the prompt %q, want the rules in it", got)
	}
}

func TestRulesOfAnotherNameCountWithoutAgentsFile(t *testing.T) {
	for name, c := range map[string]struct{ files, want, not []string }{
		"CLAUDE.md alone":     {[]string{"CLAUDE.md"}, []string{"from CLAUDE.md:", "rule of CLAUDE.md"}, nil},
		"both":                {[]string{"AGENTS.md", "CLAUDE.md"}, []string{"rule of AGENTS.md"}, []string{"of CLAUDE.md", "from CLAUDE.md"}},
		"AGENTS.md is blank":  {[]string{" AGENTS.md", "CLAUDE.md"}, []string{"rule of CLAUDE.md"}, []string{"from AGENTS.md"}},
		"one in another case": {[]string{"claude.md"}, nil, []string{"The project's own rules"}},
	} {
		s := newScene()
		for _, file := range c.files {
			path, content := strings.TrimSpace(file), "rule of "+file
			if path != file {
				content = " \n"
			}
			s.project.files[path] = content
		}
		s.model.Say("ok")
		s.run(t.Context())
		system := toldIn(s.model.Requests()[0])
		for _, want := range c.want {
			if !strings.Contains(system, want) {
				t.Errorf("%s: got %q, want %q in it", name, system, want)
			}
		}
		for _, not := range c.not {
			if strings.Contains(system, not) {
				t.Errorf("%s: got %q, want no %q in it", name, system, not)
			}
		}
	}
}

func TestEveryToolHasASchemaThatIsAnObject(t *testing.T) {
	s := backendScene()
	s.model.Say("ok")
	s.run(t.Context())
	tools := s.model.Requests()[0].Tools
	if len(tools) != 15 {
		t.Fatalf("got %d tools, want 15", len(tools))
	}
	for _, tool := range tools {
		var schema struct {
			Type       string
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(tool.Parameters, &schema); err != nil || schema.Type != "object" || tool.Description == "" {
			t.Errorf("%s: got the schema %s, want an object", tool.Name, tool.Parameters)
		}
		for _, name := range schema.Required {
			if _, found := schema.Properties[name]; !found {
				t.Errorf("%s requires %s, which it does not have", tool.Name, name)
			}
		}
	}
}
