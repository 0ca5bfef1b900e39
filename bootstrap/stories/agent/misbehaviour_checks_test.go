package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// checkEvents checks a run's events against the contract: seqs without a gap, one outcome
// for each call, one last event, and text for the user.
func (p *rogueRun) checkEvents(t *testing.T) {
	t.Helper()
	calls, outcomes := map[string]int{}, map[string]int{}
	ends := 0
	for i, e := range p.events {
		if seq, _ := e.Data["seq"].(float64); int(seq) != i+1 {
			t.Fatalf("got seq %v at place %d, want no gap", e.Data["seq"], i+1)
		}
		id, _ := e.Data["id"].(string)
		switch e.Kind() {
		case "tool.call":
			calls[id]++
		case "tool.result", "tool.error":
			if outcomes[id]++; calls[id] == 0 {
				t.Errorf("got an outcome of %.80q before the call", id)
			}
		case "session.task_complete", "session.error":
			ends++
		}
	}
	for id, n := range calls {
		if n != 1 || outcomes[id] != 1 {
			t.Errorf("got %d calls and %d outcomes with the id %.80q, want one of each", n, outcomes[id], id)
		}
	}
	last := p.events[len(p.events)-1]
	if ends != 1 || last.Kind() != "session.task_complete" && last.Kind() != "session.error" {
		t.Fatalf("got %d events that end the run and %v as the last, want one, the last", ends, last.Data)
	}
	if got := endOf(last); got != p.outcome {
		t.Errorf("got the end %q (%.300v), want %q", got, last.Data["message"], p.outcome)
	}
	if p.words() == "" {
		t.Error("got no word about how the run ended, want some")
	}
}

func endOf(last storytest.Event) string {
	text, _ := last.Data["reason"].(string)
	if last.Kind() == "session.error" {
		text, _ = last.Data["error"].(string)
	}
	return text
}

// words returns the last words of the run: the agent's last message, and why the run
// failed.
func (p *rogueRun) words() string {
	words := strings.Join(p.said("session.error", "message"), "\n")
	if messages := p.said("assistant.message", "text"); len(messages) > 0 {
		words = messages[len(messages)-1] + "\n" + words
	}
	return strings.TrimSpace(words)
}

// checkFiles wants the person's edits, and a tree that builds or words about it.
func (p *rogueRun) checkFiles(t *testing.T) {
	t.Helper()
	for path, want := range p.human {
		if got, found := p.file(path); !found || got != want {
			t.Errorf("got %.300q (there: %v) in %s, want the person's edit %.300q", got, found, path, want)
		}
	}
	if len(p.human) == 0 {
		t.Error("nobody edited anything while the run was under way")
	}
	p.w.Must(http.StatusOK, http.MethodPost, p.w.Path("/preview"), nil, nil)
	preview := p.w.AwaitPreview("ready", "error")
	if preview.Status == "ready" && len(preview.Diagnostics) == 0 {
		return
	}
	if words := p.words(); len(preview.Diagnostics) == 0 || !strings.Contains(words, preview.Diagnostics[0].Path) {
		t.Errorf("got a preview that is %s with %v, and the last words %.300q: want it to build, or words about it", preview.Status, preview.Diagnostics, words)
	}
}

// checkGoesOn wants the chat to take another message, and its log to be whole.
func (p *rogueRun) checkGoesOn(t *testing.T) {
	t.Helper()
	p.mu.Lock()
	p.calm = true
	p.mu.Unlock()
	again := p.message("And now?")
	if len(again) == 0 {
		t.Fatal("got nothing for another message")
	}
	if got := endOf(again[len(again)-1]); got != string(core.ReasonDone) {
		t.Errorf("another message: got %q with %v, want an answer", got, again[len(again)-1].Data)
	}
	if first, _ := again[0].Data["seq"].(float64); int(first) != len(p.events)+1 {
		t.Errorf("another message: got seq %v, want %d", first, len(p.events)+1)
	}
}
