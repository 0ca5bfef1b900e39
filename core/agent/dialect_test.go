package agent_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/dialect"
)

// TestCallsInTaggedTextAreCarriedOutOnlyWhole: the first call is complete, the second
// has no end, and the third is the model's next attempt after it was told.
func TestCallsInTaggedTextAreCarriedOutOnlyWhole(t *testing.T) {
	tags := func(text string) string { return strings.ReplaceAll(text, "-N", "-7f3a2b") }
	s := newScene()
	s.model = memory.NewModel().
		Say(tags("I read.\n<call-N tool=\"read_file\"><arg-N name=\"path\">src/App.tsx</arg-N></call-N>")).
		Say(tags("I write.\n<call-N tool=\"write_file\"><arg-N name=\"path\">new.txt</arg-N><arg-N name=\"content\">half of")).
		Say(tags("<call-N tool=\"write_file\"><arg-N name=\"path\">new.txt</arg-N><arg-N name=\"content\">\nall of it\n</arg-N></call-N>")).
		Say("Done.")
	s.alter = func(task *agent.Task) {
		task.Provider = dialect.Tagged(s.model, func() string { return "7f3a2b" })
	}
	s.run(t.Context())
	if s.err != nil || s.project.files["new.txt"] != "all of it" {
		t.Fatalf("got %v and %q, want the whole call alone carried out", s.err, s.project.files["new.txt"])
	}
	if text, failed := s.given(t, 0); failed || !strings.Contains(text, "<h1>Hello</h1>") {
		t.Errorf("got %q, want the file", text)
	}
	if text, failed := s.given(t, 1); !failed || !strings.Contains(text, "closing tag") || !strings.Contains(text, "again") {
		t.Errorf("got %q (failed %v), want it told what is missing", text, failed)
	}
	if text, failed := s.given(t, 2); failed {
		t.Errorf("got %q, want the write to land", text)
	}
	for _, request := range s.model.Requests() {
		if len(request.Tools) > 0 {
			t.Error("got tools in a request, want text alone")
		}
	}
}
