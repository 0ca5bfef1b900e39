package agent_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/demo"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
)

func TestTheDemoProviderDoesTheMainJobThroughTheTools(t *testing.T) {
	s := newScene()
	s.project.files["index.html"] = "<!doctype html><title>t</title><div id=root></div>"
	s.alter = func(task *agent.Task) {
		task.Provider, task.Model = demo.New(), demo.ModelID
		task.History = logOf([]core.Payload{core.UserMessage{Text: `Change the heading to "Bonjour".`}})
	}
	s.run(t.Context())
	if s.err != nil || s.outcome.Reason != core.ReasonDone || s.project.files["src/App.tsx"] != "<h1>Bonjour</h1>\n" {
		t.Fatalf("got %v, %v, %q, want the heading changed", s.outcome, s.err, s.project.files["src/App.tsx"])
	}
	if said := s.said(); !strings.Contains(said, "This was the demo, a script.") {
		t.Fatalf("got %q, want the demo to say what it is", said)
	}
}
