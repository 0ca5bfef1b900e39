package agent_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// slowProject takes a second to read a file, and notes what happens at the same time.
type slowProject struct {
	*mapProject
	mu             sync.Mutex
	reading, most  int
	wroteWhileRead bool
	broken         string
}

func (p *slowProject) Read(ctx context.Context, path core.ProjectPath) ([]byte, string, error) {
	p.mu.Lock()
	p.reading++
	p.most = max(p.most, p.reading)
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		p.reading--
		p.mu.Unlock()
	}()
	// The first of a group takes longest, so that the others end before it.
	wait := time.Second
	switch {
	case path.String() == "f0.txt":
		wait = 3 * time.Second
	case !strings.HasPrefix(path.String(), "f"):
		wait = 0
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	if path.String() == p.broken {
		panic("a tool panicked")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mapProject.Read(ctx, path)
}

func (p *slowProject) Run(ctx context.Context, command string) (string, []core.FileChanged, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wroteWhileRead = p.wroteWhileRead || p.reading > 0
	return p.mapProject.Run(ctx, command)
}

func reads(from, to int) []ai.Chunk {
	var chunks []ai.Chunk
	for i := from; i < to; i++ {
		chunks = append(chunks, ai.Chunk{Call: &ai.Call{ID: fmt.Sprintf("c%d", i), Tool: "read_file", Args: fmt.Appendf(nil, `{"path":"f%d.txt"}`, i)}})
	}
	return chunks
}

func slowScene() (*scene, *slowProject) {
	s := newScene()
	for i := range 12 {
		s.project.files[fmt.Sprintf("f%d.txt", i)] = fmt.Sprintf("content %d", i)
	}
	s.project.commands = map[string]func(map[string]string) (string, []core.FileChanged, error){
		"touch": func(map[string]string) (string, []core.FileChanged, error) { return "Exit code 0.", nil, nil },
	}
	return s, &slowProject{mapProject: s.project}
}

func TestCallsThatReadAreCarriedOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, slow := slowScene()
		run := ai.Chunk{Call: &ai.Call{ID: "run", Tool: "run_command", Args: []byte(`{"command":"touch"}`)}}
		s.model.Answer(append(append(reads(0, 6), run), reads(6, 9)...)...).Say("Read.")
		s.alter = func(task *agent.Task) { task.Project = slow }
		began := time.Now()
		s.run(t.Context())
		if took := time.Since(began); s.outcome.Reason != core.ReasonDone || took != 4*time.Second {
			t.Errorf("got %v after %s, want the first six in 3 s and the last three in 1 s", s.outcome.Reason, took)
		}
		if slow.most != 4 || slow.wroteWhileRead {
			t.Errorf("got %d at once (a command beside them: %v), want 4 and the command alone", slow.most, slow.wroteWhileRead)
		}
		var order []string
		for _, event := range s.events {
			if result, is := event.(core.ToolResult); is {
				order = append(order, result.ID)
			}
		}
		if got := strings.Join(order, " "); got != "c0 c1 c2 c3 c4 c5 run c6 c7 c8" {
			t.Errorf("got the results in the order %s, want that of the calls", got)
		}
		for i := range 6 {
			if got, _ := s.given(t, i); !strings.Contains(got, fmt.Sprintf("content %d", i)) {
				t.Errorf("got %q as result %d, want its own file", got, i)
			}
		}
	})
}

func TestAStopEndsAllReadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, slow := slowScene()
		s.model.Answer(reads(0, 12)...).Say("Read.")
		s.alter = func(task *agent.Task) { task.Project = slow }
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		began := time.Now()
		s.run(ctx)
		if took := time.Since(began); s.err == nil || took != 1500*time.Millisecond || slow.reading != 0 {
			t.Errorf("got %v after %s with %d reads left, want all ended", s.err, took, slow.reading)
		}
	})
}

func TestAToolThatPanicsEndsItsRunOnly(t *testing.T) {
	s, slow := slowScene()
	slow.broken = "f1.txt"
	s.model.Answer(reads(1, 4)...).Say("Read.")
	s.alter = func(task *agent.Task) { task.Project = slow }
	defer func() {
		if problem := recover(); problem != "a tool panicked" {
			t.Errorf("got %v, want the panic in the goroutine of the run", problem)
		}
	}()
	s.run(t.Context())
}
