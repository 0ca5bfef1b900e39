package agent_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/ports/conformance"
)

func TestThePreviewShowsTheLastGoodStateWhileARunsTreeDoesNotBuild(t *testing.T) {
	script := "import { greeting } from './greeting.js'\ndocument.title = greeting\n"
	p := &storytest.Screenplay{Scripts: map[string][]storytest.ToolCall{"Greet.": {
		storytest.Calls("read_file", "path", "script.js"), storytest.Calls("write_file", "path", "script.js", "content", script),
		storytest.Calls("write_file", "path", "greeting.js", "content", "export const greeting = 'Bonjour from the run'\n"),
	}}}
	var w *storytest.Work
	p.Before = func(_ string, step int) {
		if step != 2 {
			return
		}
		status := w.AwaitPreview("error")
		if len(status.Diagnostics) == 0 || status.Diagnostics[0].Path != "script.js" {
			w.T.Errorf("got %+v, want it to say what is wrong", status)
		}
		if got := w.Page(status.URL); !strings.Contains(got, "Good morning!") {
			w.T.Errorf("got %.1000s, want the page from before the run", got)
		}
	}
	w = storytest.Serve(t, t.TempDir(), storytest.Programs()["local"].Make, p.Env(t)).SignUp().Create(storytest.Template)
	if got := w.Page(w.AwaitPreview("ready").URL); !strings.Contains(got, "Good morning!") {
		t.Fatalf("got %.1000s, want the template's page", got)
	}
	run := w.Run("Greet.")
	if got := w.Page(w.AwaitPreview("ready").URL); !strings.Contains(got, "Bonjour from the run") {
		t.Errorf("got %.1000s, want the page that the run made", got)
	}
	w.MustUndo(run, "Greet.", 2)
	if !conformance.Becomes(func() bool { return strings.Contains(w.Page(w.AwaitPreview("ready").URL), "Good morning!") }) {
		t.Error("got the run's page, want the one from before it after the undoing")
	}
}
