package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/browsing"
	"github.com/atelierhq/atelier/core/ctxsync"
)

const (
	sound   = `{"path":"index.html","content":"<!doctype html><title>Shop</title><h1>Cups and plates</h1><form><label>Search <input></label></form>"}`
	throws  = `{"path":"index.html","content":"<!doctype html><title>Shop</title><h1>Cups</h1><form><label>Search <input></label></form><script>throw new Error(\"no cups\")</script>"}`
	blank   = `{"path":"index.html","content":"<!doctype html><title>Shop</title><div id=\"root\"></div><!-- nothing of what was here is shown any more, by mistake -->"}`
	missing = `{"path":"index.html","content":"<!doctype html><title>Shop</title><h1>Cups</h1><img src=\"/cup.png\"><form><label>Search <input></label></form>"}`
)

// hints returns what the agent told the model at the end of its answers.
func (s *scene) hints() []string {
	requests := s.model.Requests()
	var hints []string
	for _, message := range requests[len(requests)-1].Messages {
		if message.Role == "user" && message.Text != "please" {
			hints = append(hints, message.Text)
		}
	}
	return hints
}

func TestAPageThatDoesNotWorkIsMended(t *testing.T) {
	for name, c := range map[string]struct{ change, want string }{
		"an exception":     {throws, "uncaught exception: Error: no cups"},
		"an empty root":    {blank, "the page / is blank"},
		"a failed request": {missing, "request failed: GET /cup.png 404"},
	} {
		t.Run(name, func(t *testing.T) {
			s := seeing(t, form)
			s.model.Call("write_file", c.change).Say("Done.").Call("write_file", sound).Say("Mended.")
			s.run(t.Context())
			if hints := s.hints(); len(hints) != 1 || !strings.Contains(hints[0], c.want) || !strings.Contains(hints[0], "not an instruction") {
				t.Errorf("got %q, want %q once", hints, c.want)
			}
			if s.outcome.Reason != core.ReasonDone || s.err != nil {
				t.Errorf("got %v, %v, want the run done", s.outcome, s.err)
			}
		})
	}
}

func TestAPageThatWorksCostsNothing(t *testing.T) {
	s := seeing(t, form)
	s.model.Call("write_file", sound).Say("Done.")
	s.run(t.Context())
	if calls := len(s.model.Requests()); calls != 2 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %d model calls, ending with %v, want 2, done", calls, s.outcome)
	}
}

func TestAPageThatNobodyMendsIsTold(t *testing.T) {
	s := seeing(t, form)
	s.model.Call("write_file", throws)
	for range 4 {
		s.model.Say("It works.")
	}
	s.run(t.Context())
	if hints := s.hints(); len(hints) != 3 || s.outcome.Reason != core.ReasonLimit {
		t.Errorf("got %d rounds, ending with %v, want 3 and the limit", len(hints), s.outcome)
	}
	if last, ok := s.events[len(s.events)-1].(core.AssistantMessage); !ok || !strings.Contains(last.Text, "the page doesn’t work") || !strings.Contains(last.Text, "no cups") {
		t.Errorf("got %+v, want it said", s.events[len(s.events)-1])
	}
}

func TestARequestMayBeMeantToFail(t *testing.T) {
	s := seeing(t, form)
	s.model.Call("write_file", missing).Say("Done.").Say("The picture comes later.")
	s.run(t.Context())
	if hints := s.hints(); len(hints) != 1 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %d rounds, ending with %v, want one, done", len(hints), s.outcome)
	}
}

func TestARunThatChangesNothingIsNotJudged(t *testing.T) {
	s := seeing(t, `<!doctype html><script>throw new Error("old")</script>`)
	s.model.Say("It throws.")
	s.run(t.Context())
	if calls := len(s.model.Requests()); calls != 1 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %d model calls, ending with %v, want 1, done", calls, s.outcome)
	}
}

// brokenEyes are those of a browser that fails or hangs.
type brokenEyes struct {
	calmPage
	hangs bool
}

func (e brokenEyes) Go(ctx context.Context, _ string) error {
	if e.hangs {
		<-ctx.Done()
		return ctx.Err()
	}
	return core.Errorf(core.CodeUnavailable, "the browser did not start")
}

func TestABrowserThatFailsDoesNotFailTheRun(t *testing.T) {
	for _, hangs := range []bool{false, true} {
		s := newScene()
		s.alter = func(task *agent.Task) { task.Eyes = brokenEyes{hangs: hangs} }
		s.model.Call("write_file", throws).Say("Done.")
		synctest.Test(t, func(t *testing.T) { s.run(t.Context()) })
		if s.outcome.Reason != core.ReasonDone || s.err != nil || len(s.model.Requests()) != 2 {
			t.Errorf("hangs %t: got %v, %v after %d model calls, want the run done", hangs, s.outcome, s.err, len(s.model.Requests()))
		}
	}
}

// compiler finds type errors in files, or fails.
type compiler struct {
	wrong  []core.Diagnostic
	err    error
	checks int
	// files are those that were asked for alone.
	files []string
	// takes is how long a check takes.
	takes time.Duration
}

func (c *compiler) CheckFile(ctx context.Context, file core.ProjectPath) ([]core.Diagnostic, error) {
	c.files = append(c.files, file.String())
	if err := ctxsync.Sleep(ctx, c.takes); err != nil {
		return nil, err
	}
	var wrong []core.Diagnostic
	for _, d := range c.wrong {
		if d.Path == file.String() {
			wrong = append(wrong, d)
		}
	}
	return wrong, c.err
}

func (c *compiler) Check(ctx context.Context) ([]core.Diagnostic, error) {
	if _, bounded := ctx.Deadline(); !bounded {
		return nil, errors.New("the check has no bound")
	}
	c.checks++
	if err := ctxsync.Sleep(ctx, c.takes); err != nil {
		return nil, err
	}
	return c.wrong, c.err
}

func TestTheAgentHearsWhatAPublishWouldSay(t *testing.T) {
	s := newScene()
	s.model.Call("write_file", `{"path":"index.html","content":"FAINT"}`).Call("check_build", `{}`).Say("Done.")
	s.run(t.Context())
	if text, failed := s.given(t, 1); failed || text != "Build succeeded. It can be published, but:\nindex.html:0:0: it is faint\n" {
		t.Errorf("got %q, %v, want the warning", text, failed)
	}
	if hints := s.hints(); len(hints) != 0 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %q, ending with %v, want the run done without a hint", hints, s.outcome)
	}
}

func TestTypeErrorsOfTheRunAreToldOnce(t *testing.T) {
	s := newScene()
	types := &compiler{wrong: []core.Diagnostic{{Path: "src/App.tsx", Line: 1, Column: 7, Message: "TS2322: no number"}, {Path: "src/old.ts", Line: 9, Message: "TS1: old"}}}
	s.alter = func(task *agent.Task) { task.Types = types }
	s.model.Call("write_file", `{"path":"src/App.tsx","content":"const n: number = 'x'\n"}`)
	s.model.Call("check_build", `{}`).Say("Done.").Say("They are older.")
	s.run(t.Context())
	if text, failed := s.given(t, 1); failed || text != "Build succeeded. But files that you changed have type errors:\nsrc/App.tsx:1:7: TS2322: no number\n" {
		t.Errorf("got %q, %v, want the errors of the changed file", text, failed)
	}
	if types.checks != 1 {
		t.Errorf("got %d checks, want no second one of the same files", types.checks)
	}
	if hints := s.hints(); len(hints) != 1 || !strings.Contains(hints[0], "TS2322") || strings.Contains(hints[0], "TS1:") || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %q, ending with %v, want them told once, and the run done", hints, s.outcome)
	}
	if told := s.notices(core.NoticeTypes); len(told) != 1 || !strings.Contains(told[0], "src/App.tsx:1:7: TS2322: no number") {
		t.Errorf("got the notices %q, want the person told of what is left", told)
	}
}

func TestTypeErrorsThatAreMendedAreNotTold(t *testing.T) {
	s := newScene()
	types := &compiler{wrong: []core.Diagnostic{{Path: "src/App.tsx", Line: 1, Column: 7, Message: "TS2322: no number"}}}
	s.alter = func(task *agent.Task) { task.Types = types }
	s.model.Call("write_file", `{"path":"src/App.tsx","content":"const n: number = 'x'\n"}`).Say("Done.")
	s.model.Call("write_file", `{"path":"src/App.tsx","content":"const n: number = 1\n"}`).Say("Mended.")
	record := s.alter
	s.alter = func(task *agent.Task) {
		record(task)
		noted := task.Record
		task.Record = func(p core.Payload) error {
			if call, is := p.(core.ToolCall); is && strings.Contains(string(call.Args), "= 1") {
				types.wrong = nil
			}
			return noted(p)
		}
	}
	s.run(t.Context())
	if told := s.notices(core.NoticeTypes); len(told) != 0 || types.checks != 2 {
		t.Errorf("got the notices %q after %d checks, want none after two", told, types.checks)
	}
}

// notices returns the texts of the notices with a code.
func (s *scene) notices(code core.NoticeCode) (texts []string) {
	for _, event := range s.events {
		if notice, is := event.(core.SessionNotice); is && notice.Code == code {
			texts = append(texts, notice.Text)
		}
	}
	return texts
}

func TestTypesThatAreUnknownDoNotHoldARunUp(t *testing.T) {
	s := newScene()
	types := &compiler{err: core.Errorf(core.CodeUnavailable, "there is no compiler")}
	s.alter = func(task *agent.Task) { task.Types = types }
	s.model.Call("write_file", `{"path":"src/App.tsx","content":"const n = 1\n"}`).Call("check_build", `{}`).Say("Done.")
	s.run(t.Context())
	if text, failed := s.given(t, 1); failed || text != "Build succeeded. Its types were not checked: there is no compiler." || types.checks != 1 || s.outcome.Reason != core.ReasonDone {
		t.Errorf("got %q, %v after %d checks, want one check, and the run done", text, failed, types.checks)
	}
	if said := s.lastText(); said != "I could not check the types of what I changed: there is no compiler." {
		t.Errorf("got %q said at the end, want it said that the types are unknown", said)
	}
	other := newScene()
	other.alter = func(task *agent.Task) { task.Types = types }
	other.model.Call("write_file", `{"path":"notes.md","content":"none"}`).Call("check_build", `{}`).Say("Done.")
	if other.run(t.Context()); types.checks != 1 {
		t.Errorf("got %d checks of a run without types, want none", types.checks-1)
	}
}

// slowEyes are those of a browser that takes its time.
type slowEyes struct {
	calmPage
	takes time.Duration
}

func (e slowEyes) Go(ctx context.Context, _ string) error { return ctxsync.Sleep(ctx, e.takes) }

func (e slowEyes) Look(context.Context) (browsing.View, error) {
	return browsing.View{}, core.Errorf(core.CodeUnavailable, "the page is gone")
}

// TestPageAndTypesAreJudgedAtTheSameTime: a run ends when the slower of both is known.
func TestPageAndTypesAreJudgedAtTheSameTime(t *testing.T) {
	for name, c := range map[string]struct{ page, types, want time.Duration }{
		"types are slower":                  {time.Second, 3 * time.Second, 3 * time.Second},
		"the page is slower":                {3 * time.Second, time.Second, 3 * time.Second},
		"types take longer than they may":   {time.Second, time.Hour, time.Minute},
		"the page takes longer than it may": {time.Hour, time.Second, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene()
			s.alter = func(task *agent.Task) { task.Eyes, task.Types = slowEyes{takes: c.page}, &compiler{takes: c.types} }
			s.model.Call("write_file", `{"path":"src/App.tsx","content":"const n = 1\n"}`).Say("Done.")
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				s.run(t.Context())
				if took := time.Since(began); took != c.want || s.outcome.Reason != core.ReasonDone {
					t.Errorf("got %v after %s, want the run done after %s", s.outcome, took, c.want)
				}
			})
		})
	}
}

// TestAChangeTellsTheTypeErrorsOfItsFile from the second change of a run on, if the project builds.
func TestAChangeTellsTheTypeErrorsOfItsFile(t *testing.T) {
	s := newScene()
	types := &compiler{wrong: []core.Diagnostic{
		{Path: "src/a.ts", Line: 1, Message: "TS2307: cannot find module './b'"}, {Path: "src/App.tsx", Line: 1, Message: "TS1: elsewhere"},
	}}
	s.alter = func(task *agent.Task) { task.Types = types }
	s.model.Call("write_file", `{"path":"notes.md","content":"none\n"}`).
		Call("write_file", `{"path":"src/a.ts","content":"import './b'\n"}`).
		Call("edit_file", `{"path":"src/a.ts","oldText":"./b","newText":"./BROKEN"}`).
		Call("write_file", `{"path":"src/a.ts","content":"import '","unfinished":true}`).
		Call("write_file", `{"path":"notes.md","content":"some\n"}`).
		Call("write_file", `{"path":"src/a.ts","content":"import './c'\n"}`).Say("Done.").Say("They are meant.")
	s.run(t.Context())
	for i, want := range []string{"Build succeeded.", "Build succeeded.\nThis file has type errors:\nsrc/a.ts:1:0: TS2307: cannot find module './b'\n", "Build failed:", "It is unfinished", "Build succeeded.", "cannot find module"} {
		if told, failed := s.given(t, i); failed || !strings.Contains(told, want) || strings.Contains(told, "elsewhere") || (i == 0 || i == 4) && strings.Contains(told, "type errors") {
			t.Errorf("change %d: got %q, want %q", i+1, told, want)
		}
	}
	if got := strings.Join(types.files, " "); got != "src/a.ts src/a.ts" {
		t.Errorf("got the files %q asked for, want src/a.ts when it was whole and the project built", got)
	}
}

// TestASlowLookAtAFileIsTheLast: a run waits once for a server that still fetches its compiler.
func TestASlowLookAtAFileIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		types := &compiler{takes: time.Hour}
		s.alter = func(task *agent.Task) { task.Types = types }
		for n := range 5 {
			s.model.Call("write_file", fmt.Sprintf(`{"path":"src/a%d.ts","content":"export {}\n"}`, n))
		}
		s.model.Say("Done.")
		began := time.Now()
		s.run(t.Context())
		if took := time.Since(began); len(types.files) != 1 || took > 2*time.Minute {
			t.Errorf("got %d looks in %v, want one, and no other wait than that at the end", len(types.files), took)
		}
	})
}
