package agent_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// effects are the effects of command lines on a project's files.
type effects = map[string]func(files map[string]string) (string, []core.FileChanged, error)

func TestACommandTellsWhatItSaidAndChanged(t *testing.T) {
	s := newScene()
	s.mode = "my own mode"
	s.project.commands = effects{"make it": func(files map[string]string) (string, []core.FileChanged, error) {
		files["a.ts"] = "BROKEN"
		return "Exit code 0.\nmade a.ts\n", []core.FileChanged{{Path: "a.ts", Action: core.FileCreated}}, nil
	}}
	s.model.Call("run_command", `{"command":"make it"}`).Say("Made.").Say("I tried.").Say("I tried.").Say("I tried.")
	s.run(t.Context())
	got, failed := s.given(t, 0)
	for _, want := range []string{"Exit code 0.", "made a.ts", "a.ts created", "a.ts:1:1: it is broken"} {
		if failed || !strings.Contains(got, want) {
			t.Errorf("got %q (failed %v), want %q in it", got, failed, want)
		}
	}
	if types := s.types(); !strings.Contains(types, "tool.call session.usage_info file.changed tool.result") || s.err != nil {
		t.Errorf("got %s, %v, want the changed file before the result", types, s.err)
	}
}

func TestACommandThatChangesNothingIsNotFollowedByABuild(t *testing.T) {
	s := newScene()
	s.project.commands = effects{"ls": func(map[string]string) (string, []core.FileChanged, error) { return "Exit code 2.\n", nil, nil }}
	s.model.Call("run_command", `{"command":"ls"}`).Say("Well.")
	s.run(t.Context())
	if got, failed := s.given(t, 0); failed || got != "Exit code 2.\n" {
		t.Errorf("got %q (failed %v), want the report alone", got, failed)
	}
}

func TestWithoutASandboxTheModelIsToldWhatToInstall(t *testing.T) {
	s := newScene()
	s.project.failing = core.Errorf(core.CodeSandboxUnavailable, "install bubblewrap")
	s.model.Call("run_command", `{"command":"ls"}`).Say("I cannot.")
	s.run(t.Context())
	if got, failed := s.given(t, 0); !failed || got != "sandbox_unavailable: install bubblewrap" {
		t.Errorf("got %q (failed %v), want a tool.error that says what is missing", got, failed)
	}
	tools := s.model.Requests()[0].Tools
	if len(tools) != 12 {
		t.Fatal("got fewer tools, want the command among them all the same")
	}
	if got := tools[8]; got.Name != "run_command" || !strings.HasSuffix(got.Description, " It reaches what the test says.") {
		t.Errorf("got %s, %q, want what network there is", got.Name, got.Description)
	}
}

func TestACommandMayChangeMoreFilesThanThereAreEvents(t *testing.T) {
	s := newScene()
	s.project.commands = effects{"many": func(map[string]string) (string, []core.FileChanged, error) {
		changed := make([]core.FileChanged, 1500)
		for i := range changed {
			changed[i] = core.FileChanged{Path: fmt.Sprintf("f%d", i), Action: core.FileCreated}
		}
		return "Exit code 0.\n", changed, nil
	}}
	s.model.Call("run_command", `{"command":"many"}`).Say("Many.")
	s.run(t.Context())
	events := 0
	for _, event := range s.events {
		if _, changed := event.(core.FileChanged); changed {
			events++
		}
	}
	if got, _ := s.given(t, 0); events != 1000 || !strings.Contains(got, "… and 1450 more") {
		t.Errorf("got %d events and %.3000q, want 1000 and the number of those not shown", events, got)
	}
}

func TestACommandHasThreeMinutesAndItsChangesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene()
		s.project.commands = effects{"hang": nil}
		s.model.Call("run_command", `{"command":"hang"}`).Say("It hangs.")
		start := time.Now()
		s.run(t.Context())
		if got, failed := s.given(t, 0); !failed || !strings.Contains(got, "took longer than 3m0s") || time.Since(start) != 3*time.Minute {
			t.Errorf("got %q (failed %v) after %s, want it stopped after three minutes", got, failed, time.Since(start))
		}
		if types := s.types(); !strings.Contains(types, "file.changed tool.error") {
			t.Errorf("got %s, want what it changed before it was stopped", types)
		}
	})
}
