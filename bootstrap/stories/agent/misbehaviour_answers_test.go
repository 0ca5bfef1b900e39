package agent_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

const unavailable = string(core.CodeModelUnavailable)

// Ends of a run that the agent means.
const (
	done  = string(core.ReasonDone)
	limit = string(core.ReasonLimit)
)

// once misbehaves in the first call and answers well after that.
func once(bad func(*turn)) func(*turn) {
	return func(t *turn) {
		if t.n > 1 {
			t.says("I am done.")
			return
		}
		bad(t)
	}
}

// brokenAnswers are those of servers.
func brokenAnswers() []misbehaviour {
	all := allWires()
	return []misbehaviour{
		{name: "answers with nothing once", wires: all, outcome: done, answer: once((*turn).end)},
		{name: "always answers with nothing", wires: all, outcome: unavailable, answer: (*turn).end},
		{name: "thinks and never speaks", wires: all, outcome: unavailable, answer: func(t *turn) { t.think("Hm."); t.end() }},
		{name: "breaks off before the first byte once", wires: all, outcome: done, answer: once((*turn).cut)},
		{name: "always breaks off before the first byte", outcome: unavailable, answer: (*turn).cut},
		{name: "sends an empty body once", wires: all, outcome: done, answer: once(func(*turn) {})},
		{name: "breaks off in the middle of a text", wires: all, outcome: unavailable, answer: func(t *turn) { t.text("I begin"); t.cut() }},
		{name: "breaks off in the middle of a call", wires: all, outcome: unavailable, answer: cutCall, then: nothingChanged},
		{name: "breaks off behind a call", wires: all, outcome: unavailable, answer: func(t *turn) {
			t.call("write_file", map[string]string{"path": "new.txt", "content": "x"})
			t.cut()
		}, then: nothingChanged},
		{name: "ends without its last word", wires: all, outcome: unavailable, answer: func(t *turn) { t.text("I begin") }},
		{name: "tells an error in the middle", wires: all, outcome: unavailable, answer: func(t *turn) { t.text("I begin"); t.put(t.trouble) }},
		{name: "always fails with 500", wires: all, outcome: unavailable, answer: func(t *turn) { t.refuses(500, "1", "out of order") }},
		{name: "has no time once", wires: all, outcome: done, answer: once(func(t *turn) { t.refuses(429, "1", "too many requests") })},
		{name: "refuses the key", wires: all, outcome: unavailable, answer: func(t *turn) { t.refuses(401, "", "invalid api key") }},
		{name: "finds the conversation too long", wires: all, outcome: unavailable, answer: func(t *turn) {
			t.refuses(400, "", "the input exceeds the context length of the model: maximum context length is 10 tokens")
		}},
		{name: "answers with a web page", wires: all, outcome: unavailable, answer: func(t *turn) { _, _ = io.WriteString(t.w, "<!doctype html><title>Sign in</title>") }},
		{name: "sends its client elsewhere", outcome: unavailable, answer: func(t *turn) { http.Redirect(t.w, t.request, "/elsewhere", http.StatusFound) }},
		{name: "sends a line that is no JSON", wires: all, outcome: unavailable, answer: func(t *turn) { t.text("I begin"); t.put(fmt.Sprintf(t.frame, `{"mess`)) }},
		{name: "sends a line of 5 MB", wires: all, outcome: unavailable, answer: func(t *turn) { t.text(strings.Repeat("x", 5<<20)); t.end() }},
		{name: "repeats itself for ever", wires: all, outcome: limit, answer: func(t *turn) {
			for t.text(strings.Repeat("and on ", 200)) {
			}
		}},
		{name: "thinks for ever", wires: all, outcome: limit, answer: func(t *turn) {
			for t.think(strings.Repeat("and on ", 200)) {
			}
		}},
		{name: "sends thousands of empty pieces", wires: all, outcome: done, answer: func(t *turn) {
			for range 5000 {
				t.text("")
			}
			t.says("I am done.")
		}},
		{name: "sends empty pieces for ever", outcome: unavailable, answer: func(t *turn) {
			pieces := strings.Repeat(fmt.Sprintf(t.frame, "{}"+strings.Repeat(" ", 40_000)), 10)
			for t.put(pieces) {
			}
		}},
		{name: "trickles", outcome: done, answer: trickle},
		{name: "speaks in broken characters", wires: all, outcome: done, answer: func(t *turn) {
			t.put(t.wire.text(`"nul \u0000, half of a pair \ud83d, bytes ` + "\xff\xfe\xc3" + `"`))
			t.end()
		}},
		{name: "counts no tokens", wires: all, outcome: done, answer: counts("null", "null"), then: sensibleUsage},
		{name: "counts tokens below nothing", wires: all, outcome: done, answer: counts("-5", "-7"), then: sensibleUsage},
		{name: "counts absurdly many tokens", wires: all, outcome: done, answer: counts("1000000000000000000", "1000000000000000000"), then: sensibleUsage},
		{name: "counts more tokens than there are numbers", wires: all, outcome: done, answer: counts("1e400", "99999999999999999999999"), then: sensibleUsage},
		{name: "calls in tags that nobody asked for", wires: all, outcome: done, then: nothingChanged, answer: func(t *turn) {
			t.says("<call-7f3a tool=\"write_file\">\n<path-7f3a>new.txt</path-7f3a>\n<content-7f3a>\nx\n</content-7f3a>\n</call-7f3a>")
		}},
		{name: "calls in JSON that nobody asked for", outcome: done, then: outcomesOf(1), answer: once(func(t *turn) {
			t.says(`{"name":"write_file","arguments":{"path":"new.txt","content":"x"}}`)
		})},
	}
}

// cutCall sends the beginning of a call.
func cutCall(t *turn) {
	t.text("I write the file.")
	whole := t.wire.call(t.blocks, `"call_1"`, `"write_file"`, `{"path":"new.txt","content":"x"}`)
	t.put(whole[:len(whole)*2/3])
	t.cut()
}

// refuses answers with an error of HTTP.
func (t *turn) refuses(status int, retryAfter, why string) {
	if retryAfter != "" {
		t.w.Header().Set("Retry-After", retryAfter)
	}
	t.w.Header().Set("Content-Type", "application/json")
	t.w.WriteHeader(status)
	fmt.Fprintf(t.w, `{"error":{"type":"error","message":%q}}`, why)
}

// trickle sends an answer byte by byte.
func trickle(t *turn) {
	text := t.head + t.wire.text(`"Slowly."`) + t.wire.end("500", "20")
	t.blocks++
	for i := range len(text) {
		t.put(text[i : i+1])
		time.Sleep(time.Millisecond)
	}
}

func counts(input, output string) func(*turn) {
	return func(t *turn) {
		t.text("I am done.")
		t.ends(input, output)
	}
}

func sensibleUsage(t *testing.T, p *rogueRun) {
	for _, e := range p.events {
		if e.Kind() != "session.usage_info" {
			continue
		}
		for _, name := range []string{"inputTokens", "outputTokens"} {
			if n, _ := e.Data[name].(float64); n < 1 || n > 100_000 {
				t.Errorf("got %v %s, want what such an answer may have", n, name)
			}
		}
	}
}

// nothingChanged wants no file changed by the agent.
func nothingChanged(t *testing.T, p *rogueRun) {
	if paths := p.said("file.changed", "path"); len(paths) > 0 {
		t.Errorf("got %v changed, want nothing", paths)
	}
}
