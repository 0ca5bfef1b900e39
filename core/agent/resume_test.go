package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// errCrash ends a scene as the death of its process does.
type errCrash struct{}

func (errCrash) Error() string { return "the process died" }

// script is a model that creates, edits, moves and deletes files. It answers the
// n-th question of a run the same each time.
func script(m *memory.Model, from, life int) {
	calls := [][2]string{}
	add := func(tool string, args map[string]any) {
		body, _ := json.Marshal(args)
		calls = append(calls, [2]string{tool, string(body)})
	}
	for i := range 6 {
		path := fmt.Sprintf("f%d.txt", i)
		add("write_file", map[string]any{"path": path, "content": "one\n"})
		add("read_file", map[string]any{"path": path})
		add("edit_file", map[string]any{"path": path, "oldText": "one", "newText": "two"})
		add("rename_file", map[string]any{"from": path, "to": "moved/" + path})
		if i%2 == 0 {
			add("delete_file", map[string]any{"path": "moved/" + path})
		}
	}
	for i, call := range calls {
		if i >= from {
			m.Answer(ai.Chunk{Call: &ai.Call{ID: fmt.Sprintf("%d in life %d", i, life), Tool: call[0], Args: json.RawMessage(call[1])}})
		}
	}
	m.Say("Done.")
}

// TestARunThatDiesAnywhereComesToTheSameEnd lets a run die before or after each of
// its events and each change of a file, and resumes it from what its log has.
func TestARunThatDiesAnywhereComesToTheSameEnd(t *testing.T) {
	whole := newScene()
	script(whole.model, 0, 0)
	whole.run(t.Context())
	if whole.err != nil || whole.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %v, %v, want a run", whole.outcome, whole.err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for death := 1; ; death++ {
		mortal := newMortal(t, death)
		if !mortal.live() {
			if death < 100 {
				t.Fatalf("got %d deaths, want each point of the run covered", death)
			}
			return
		}
		for !mortal.ended {
			mortal.left = 1 + random.IntN(40)
			mortal.live()
		}
		if !maps.Equal(mortal.project.files, whole.project.files) {
			t.Fatalf("death %d: got the files %v, want %v", death, mortal.project.files, whole.project.files)
		}
		mortal.checkLog(t, whole)
	}
}

// mortalScene is a scene whose process dies after a number of steps: each event is one,
// and so is each side of each change.
type mortalScene struct {
	*scene
	t      *testing.T
	left   int
	log    []core.Payload
	intent *core.Intent
	lives  int
	ended  bool
}

// mortalProject dies before or after a change.
type mortalProject struct {
	*mapProject
	mortal *mortalScene
}

func (d mortalProject) Apply(ctx context.Context, change core.FileChange, ifMatch string) (tools.ChangeResult, error) {
	if !d.mortal.step() {
		return tools.ChangeResult{}, errCrash{}
	}
	applied, err := d.mapProject.Apply(ctx, change, ifMatch)
	if !d.mortal.step() {
		return tools.ChangeResult{}, errCrash{}
	}
	return applied, err
}

func newMortal(t *testing.T, steps int) *mortalScene {
	return &mortalScene{scene: newScene(), t: t, left: steps, log: []core.Payload{core.UserMessage{Text: "please"}}}
}

// step reports whether the process is still alive.
func (m *mortalScene) step() bool {
	m.left--
	return m.left > 0
}

// live runs until the end or a death, and reports whether it died.
func (m *mortalScene) live() (died bool) {
	m.model = memory.NewModel(core.Model{ID: "m"})
	script(m.model, stepsIn(m.log), m.lives)
	m.alter = func(task *agent.Task) {
		task.History, task.Resume, task.Intent = logOf(m.log), m.lives > 0, m.intent
		task.Project = mortalProject{m.project, m}
		task.Record = func(p core.Payload) error {
			if !m.step() {
				return errCrash{}
			}
			m.log = append(m.log, p)
			return nil
		}
		task.Intend = func(_ context.Context, intent core.Intent) error {
			if !m.step() {
				return errCrash{}
			}
			m.intent = &intent
			return nil
		}
	}
	m.run(m.t.Context())
	m.lives++
	m.ended = m.err == nil
	return !m.ended
}

// stepsIn counts the model's complete answers.
func stepsIn(log []core.Payload) int {
	n := 0
	for _, payload := range log {
		if payload.EventType() == core.EventUsageInfo {
			n++
		}
	}
	return n
}

// checkLog compares the log with that of an undisturbed run: the same changes and
// results, each once.
func (m *mortalScene) checkLog(t *testing.T, whole *scene) {
	t.Helper()
	tell := func(log []core.Payload) string {
		var out strings.Builder
		for _, payload := range log {
			switch p := payload.(type) {
			case core.FileChanged:
				fmt.Fprintln(&out, p.Action, p.Path)
			case core.ToolResult:
				fmt.Fprintln(&out, p.Result)
			}
		}
		return out.String()
	}
	if got, want := tell(m.log), tell(whole.events); got != want {
		t.Fatalf("got the log\n%s\nwant\n%s", got, want)
	}
	open := map[string]bool{}
	for _, payload := range m.log {
		switch p := payload.(type) {
		case core.ToolCall:
			if open[p.ID] {
				t.Fatalf("got the call %s twice", p.ID)
			}
			open[p.ID] = true
		case core.ToolResult:
			delete(open, p.ID)
		case core.ToolError:
			delete(open, p.ID)
		}
	}
	if len(open) > 0 {
		t.Fatalf("got the calls %v without an end", open)
	}
}
