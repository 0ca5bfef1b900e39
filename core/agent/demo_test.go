package agent_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
)

func TestTheDemoProviderDoesTheMainJobThroughTheTools(t *testing.T) {
	s := newScene()
	s.desk.files["index.html"] = "<!doctype html><title>t</title><div id=root></div>"
	history := []core.Event{{Seq: 1, Payload: core.UserMessage{Text: `Change the heading to "Bonjour".`}}}
	reason, err := agent.New(slog.New(slog.DiscardHandler)).Run(t.Context(), agent.Task{
		Mode: core.ModeBuild, Provider: demo.New(), Model: demo.ModelID, Desk: s.desk, History: history, Meter: s.meter,
		Record: func(p core.Payload) error { s.events = append(s.events, p); return nil },
	})
	if err != nil || reason != core.ReasonDone || s.desk.files["src/App.tsx"] != "<h1>Bonjour</h1>\n" {
		t.Fatalf("got %v, %v, %q, want the heading changed", reason, err, s.desk.files["src/App.tsx"])
	}
	last := s.events[len(s.events)-1].(core.AssistantMessage)
	if !strings.Contains(last.Text, "script, not a language model") {
		t.Fatalf("got %q, want the demo to say what it is", last.Text)
	}
}
