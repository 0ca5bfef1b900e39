package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

type args = map[string]string

// calling calls a tool in the first answer and is done in the next.
func calling(tool string, arguments any) func(*turn) {
	return once(func(t *turn) { t.calls(tool, arguments) })
}

// everyTime gives the same answer in every call.
func everyTime(tool string, arguments any) func(*turn) {
	return func(t *turn) { t.calls(tool, arguments) }
}

// brokenCalls are calls that are not as they should be.
func brokenCalls() []misbehaviour {
	all := allWires()
	const write = `{"path":"new.txt","content":"one"`
	return []misbehaviour{
		{name: "calls a tool that does not exist", wires: all, outcome: done, answer: calling("make_coffee", args{}), then: refused("there is no tool")},
		{name: "calls a tool without a name", wires: all, outcome: done, answer: calling("", args{}), then: refused("there is no tool")},
		{name: "calls a tool with a name of 100 KB", outcome: done, answer: calling(strings.Repeat("x", 100<<10), args{}), then: refused("there is no tool")},
		{name: "calls a tool outside the mode", mode: core.ModeChat, wires: all, outcome: done,
			answer: calling("write_file", args{"path": "new.txt", "content": "x"}), then: refused("not allowed in the mode")},
		{name: "gives arguments as a string", wires: all, outcome: done, answer: calling("write_file", quoted(write+"}")), then: wrote("one")},
		{name: "gives arguments that break off", wires: all, outcome: done, answer: calling("write_file", write[:len(write)-1]), then: refused("arguments")},
		{name: "gives arguments with a comma too many", wires: all, outcome: done, answer: calling("write_file", write+",}"), then: wrote("one")},
		{name: "gives arguments with a raw line break", wires: all, outcome: done,
			answer: calling("write_file", `{"path":"new.txt","content":"one`+"\n"+`two"}`), then: wrote("one\ntwo")},
		{name: "gives no arguments", wires: all, outcome: done, answer: calling("read_file", "null"), then: refused("")},
		{name: "gives a list for arguments", wires: all, outcome: done, answer: calling("write_file", `["new.txt","x"]`), then: refused("arguments")},
		{name: "misspells an argument", outcome: done, answer: calling("write_file", args{"pathh": "new.txt", "content": "x"}), then: refused("pathh")},
		{name: "gives its calls no ids", wires: all, outcome: done, answer: once(twoCalls("", "")), then: outcomesOf(2)},
		{name: "gives two calls one id", wires: all, outcome: done, answer: once(twoCalls("same", "same"))},
		{name: "gives the calls of all answers one id", wires: all, outcome: done, answer: func(t *turn) {
			if t.n > 4 {
				t.says("I am done.")
				return
			}
			t.callAs("call_0", "write_file", fmt.Sprintf(`{"path":"new-%d.txt","content":"x"}`, t.n))
			t.end()
		}, then: outcomesOf(4)},
		{name: "gives a call an id of 100 KB", outcome: done, answer: once(func(t *turn) {
			t.callAs(strings.Repeat("i", 100<<10), "list_files", "{}")
			t.end()
		}), then: outcomesOf(1)},
		{name: "makes 200 calls at once", wires: []core.ProviderKind{core.ProviderOllama, core.ProviderAnthropic}, outcome: done,
			answer: once(manyCalls), then: outcomesOf(200)},
		{name: "makes 200 calls at once, all of them open", wires: []core.ProviderKind{core.ProviderOpenAI}, outcome: unavailable, answer: once(manyCalls), then: nothingChanged},
		{name: "speaks between its calls", wires: all, outcome: done, answer: once(func(t *turn) {
			t.text("First ")
			t.call("write_file", args{"path": "new.txt", "content": "one"})
			t.text("and then ")
			t.call("list_files", args{})
			t.text("done.")
			t.end()
		}), then: outcomesOf(2)},
	}
}

func twoCalls(first, second string) func(*turn) {
	return func(t *turn) {
		t.callAs(first, "write_file", `{"path":"new.txt","content":"one"}`)
		t.callAs(second, "list_files", `{}`)
		t.end()
	}
}

func manyCalls(t *turn) {
	for range 200 {
		t.call("read_file", args{"path": "index.html"})
	}
	t.end()
}

// uselessRuns get nowhere.
func uselessRuns() []misbehaviour {
	missing := args{"path": "missing.txt"}
	return []misbehaviour{
		{name: "makes the same failing call for ever", wires: allWires(), outcome: limit, answer: everyTime("read_file", missing), then: calledAtMost(3)},
		{name: "makes the same broken call for ever", wires: allWires(), outcome: limit, answer: everyTime("read_file", `{"path":"ind`), then: calledAtMost(3)},
		{name: "reads the same for ever", wires: allWires(), outcome: limit, answer: everyTime("read_file", args{"path": "index.html"}), then: calledAtMost(10)},
		{name: "checks the build for ever", outcome: limit, answer: everyTime("check_build", args{}), then: calledAtMost(10)},
		{name: "goes back and forth between two useless calls", outcome: limit, answer: func(t *turn) {
			t.calls([]string{"read_file", "search_files"}[t.n%2], []args{{"path": "index.html"}, {"query": "Hello"}}[t.n%2])
		}, then: calledAtMost(10)},
		{name: "goes back and forth between two failing calls", outcome: limit, answer: func(t *turn) {
			t.calls("read_file", args{"path": fmt.Sprintf("missing-%d.txt", t.n%2)})
		}, then: calledAtMost(10)},
		{name: "fails in ever new ways", outcome: limit, answer: func(t *turn) {
			t.calls("read_file", args{"path": fmt.Sprintf("missing-%d.txt", t.n)})
		}, then: calledAtMost(60)},
		{name: "never stops calling tools", outcome: limit, answer: func(t *turn) {
			t.calls("write_file", args{"path": "new.txt", "content": fmt.Sprint(t.n)})
		}, then: calledAtMost(60)},
		{name: "claims a success that it had not", outcome: done, answer: func(t *turn) { t.says("I rebuilt everything. All tests pass.") }, then: nothingChanged},
		{name: "runs a command where there are none", outcome: done, answer: calling("run_command", args{"command": "rm -rf ."}), then: refused("sandbox_unavailable")},
	}
}

// refused wants each call refused, for a reason in these words, and nothing changed.
func refused(why string) func(*testing.T, *rogueRun) {
	return func(t *testing.T, p *rogueRun) {
		t.Helper()
		errors := p.said("tool.error", "error")
		for _, text := range errors {
			if !strings.Contains(text, why) {
				t.Errorf("got the call refused with %.300q, want %q in it", text, why)
			}
		}
		if results := p.said("tool.result", "result"); len(errors) == 0 || len(results) > 0 {
			t.Errorf("got %d calls refused and %.300q for the others, want all refused", len(errors), results)
		}
		nothingChanged(t, p)
	}
}

// wrote wants new.txt there, with this content.
func wrote(content string) func(*testing.T, *rogueRun) {
	return func(t *testing.T, p *rogueRun) {
		t.Helper()
		if got, found := p.file("new.txt"); !found || got != content {
			t.Errorf("got %q (there: %v), want %q", got, found, content)
		}
	}
}

// outcomesOf expects a number of calls, none of them refused.
func outcomesOf(n int) func(*testing.T, *rogueRun) {
	return func(t *testing.T, p *rogueRun) {
		t.Helper()
		if got := p.said("tool.result", "result"); len(got) != n {
			t.Errorf("got %d results and the errors %.300q, want %d results", len(got), p.said("tool.error", "error"), n)
		}
	}
}

func calledAtMost(n int) func(*testing.T, *rogueRun) {
	return func(t *testing.T, p *rogueRun) {
		t.Helper()
		if p.calls > n || p.calls < 2 {
			t.Errorf("got %d calls of the model, want at most %d", p.calls, n)
		}
	}
}
