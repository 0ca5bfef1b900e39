package memory

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/sandbox"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Sandbox runs no commands: it answers lines by a script, and changes the projects' files
// as the script says. A line without a script is a program that is not found.
type Sandbox struct {
	trees worktree.Trees

	mu      sync.Mutex
	missing bool
	offline bool
	scripts map[string]SandboxAnswer
	lines   []string
}

var _ sandbox.Runner = (*Sandbox)(nil)

// SandboxAnswer is the scripted result of a line.
type SandboxAnswer struct {
	// Output is what it prints, ExitCode how it ends.
	Output   string
	ExitCode int
	// Ended, if set, is the limit that ends it.
	Ended sandbox.Limit
	// Endless makes it run until its time is up or the caller gives up.
	Endless bool
	// Files are written before anything else: contents by path.
	Files map[string]string
	// Deleted are the paths that it removes.
	Deleted []string
	// Asks are the hosts that it tries to reach.
	Asks []string
}

// notFound is the exit code of a shell for an unknown program.
const notFound = 127

// NewSandbox returns a sandbox over the projects' files.
func NewSandbox(trees worktree.Trees) *Sandbox {
	return &Sandbox{trees: trees, scripts: make(map[string]SandboxAnswer)}
}

// Script sets what a line does from now on.
func (s *Sandbox) Script(line string, answer SandboxAnswer) *Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scripts[line] = answer
	return s
}

// SetMissing makes the sandbox behave like a machine without isolation, or undoes that.
func (s *Sandbox) SetMissing(missing bool) *Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing = missing
	return s
}

// SetOffline makes the sandbox give commands no network, or undoes that.
func (s *Sandbox) SetOffline(offline bool) *Sandbox {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.offline = offline
	return s
}

// Lines returns the lines that were run, in order.
func (s *Sandbox) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

// Available implements sandbox.Runner.
func (s *Sandbox) Available(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missing {
		return core.Errorf(core.CodeSandboxUnavailable, "commands cannot run here: there is no sandbox")
	}
	return nil
}

// Network implements sandbox.Runner.
func (s *Sandbox) Network(ctx context.Context) error {
	if err := s.Available(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.offline {
		return core.Errorf(core.CodeSandboxUnavailable, "commands have no network here")
	}
	return nil
}

// Run implements sandbox.Runner.
func (s *Sandbox) Run(ctx context.Context, project core.ID, command sandbox.Command) (sandbox.Outcome, error) {
	if err := sandbox.CheckLine(command.Line); err != nil {
		return sandbox.Outcome{}, err
	}
	if err := s.Available(ctx); err != nil {
		return sandbox.Outcome{}, err
	}
	if len(command.Hosts) > 0 {
		if err := s.Network(ctx); err != nil {
			return sandbox.Outcome{}, err
		}
	}
	tree, err := s.trees.Open(ctx, project)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	answer := s.answer(command.Line)
	for _, result := range tree.Apply(ctx, answer.changes()) {
		if result.Err != nil {
			return sandbox.Outcome{}, result.Err
		}
	}
	if answer.Endless {
		if err := ctxsync.Sleep(ctx, command.Bound()); err != nil {
			return sandbox.Outcome{}, err
		}
		answer.Ended = sandbox.LimitTime
	}
	var said sandbox.Transcript
	_, _ = said.Write([]byte(answer.Output))
	return sandbox.Outcome{
		Output: said.Text(), ExitCode: answer.ExitCode, Ended: answer.Ended, Refused: answer.refused(command.Hosts),
	}, ctx.Err()
}

// refused returns the hosts that the line tries to reach and may not. Without hosts the
// guard is not asked.
func (a SandboxAnswer) refused(allowed core.HostPatterns) []string {
	if len(allowed) == 0 {
		return nil
	}
	refused := slices.DeleteFunc(slices.Clone(a.Asks), allowed.Allow)
	slices.Sort(refused)
	refused = slices.Compact(refused)
	return refused[:min(len(refused), sandbox.MaxRefused)]
}

func (s *Sandbox) answer(line string) SandboxAnswer {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, line)
	answer, found := s.scripts[line]
	if !found {
		name := strings.Fields(line)[0]
		return SandboxAnswer{Output: "sh: 1: " + name + ": not found\n", ExitCode: notFound}
	}
	return answer
}

func (a SandboxAnswer) changes() []core.FileChange {
	var changes []core.FileChange
	for path, content := range a.Files {
		changes = append(changes, core.FileChange{Op: core.OpWrite, Path: core.MustPath(path), Content: []byte(content)})
	}
	for _, path := range a.Deleted {
		changes = append(changes, core.FileChange{Op: core.OpDelete, Path: core.MustPath(path)})
	}
	return changes
}
