package agent_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
)

func TestTheWorkspacesKnowledgeIsInThePrompt(t *testing.T) {
	prompt := func(knowledge, rules string, window int) string {
		s := newScene()
		if rules != "" {
			s.project.files["AGENTS.md"] = rules
		}
		s.alter = func(task *agent.Task) { task.Knowledge, task.Context = knowledge, window }
		s.model.Say("ok")
		s.run(t.Context())
		return toldIn(s.model.Requests()[0])
	}
	if got := prompt(" \n", "", 0); strings.Contains(got, "What the workspace tells you") {
		t.Errorf("got %q, want no word of what is not there", got)
	}
	got := prompt("Our brand is green.", "Use tabs.", 0)
	at, rules := strings.Index(got, "What the workspace tells you in all of its projects:\n\nOur brand is green."), strings.Index(got, "Use tabs.")
	if at < 0 || rules < at {
		t.Errorf("got %q, want the knowledge, and the project's own rules after it", got)
	}
	got = prompt(strings.Repeat("k", core.MaxKnowledgeBytes), strings.Repeat("r", core.MaxKnowledgeBytes), 8000)
	if known, ruled := strings.Count(got, "k"), strings.Count(got, "r"); known > 3100 || known < 1000 || ruled < 1000 || !strings.Contains(got, "has no room for the rest") {
		t.Errorf("got %d bytes of knowledge and %d of rules, want both cut to a small window", known, ruled)
	}
}
