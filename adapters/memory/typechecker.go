package memory

import (
	"context"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/typecheck"
	"github.com/atelierhq/atelier/ports/worktree"
)

// TypeChecker finds one kind of type error: a constant or a variable of type number or
// boolean that is assigned a text in quotes. It reads every .ts and .tsx file, whatever
// the configuration says.
type TypeChecker struct {
	trees worktree.Trees

	mu      sync.Mutex
	missing bool
}

var _ typecheck.Checker = (*TypeChecker)(nil)

// NewTypeChecker returns a checker over the projects' files.
func NewTypeChecker(trees worktree.Trees) *TypeChecker { return &TypeChecker{trees: trees} }

// SetMissing makes the checker behave like a machine without a sandbox, or undoes that.
func (c *TypeChecker) SetMissing(missing bool) *TypeChecker {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.missing = missing
	return c
}

// Available implements typecheck.Checker.
func (c *TypeChecker) Available(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.missing {
		return core.Errorf(core.CodeSandboxUnavailable, "types cannot be checked here: install bubblewrap")
	}
	return nil
}

// Compiler implements typecheck.Checker.
func (c *TypeChecker) Compiler() map[string]string { return nil }

// Check implements typecheck.Checker.
func (c *TypeChecker) Check(ctx context.Context, project core.ID, _ typecheck.Task) (typecheck.Report, error) {
	if err := c.Available(ctx); err != nil {
		return typecheck.Report{}, err
	}
	tree, err := c.trees.Open(ctx, project)
	if err != nil {
		return typecheck.Report{}, err
	}
	var report typecheck.Report
	files := tree.FS()
	err = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || path.Ext(name) != ".ts" && path.Ext(name) != ".tsx" {
			return err
		}
		source, err := fs.ReadFile(files, name)
		for i, line := range strings.Split(string(source), "\n") {
			addMistakes(&report, name, i+1, line)
		}
		return err
	})
	if ctx.Err() != nil {
		return typecheck.Report{}, ctx.Err()
	}
	if err != nil {
		return typecheck.Report{}, core.Wrap(core.CodeUnavailable, err, "the sources cannot be read")
	}
	return report, nil
}

// mistaken matches the mistake. The name begins with the first group.
var mistaken = regexp.MustCompile(`\b(?:const|let|var) (\w+): (number|boolean) = ["']`)

func addMistakes(report *typecheck.Report, name string, number int, line string) {
	for _, at := range mistaken.FindAllStringSubmatchIndex(line, -1) {
		if len(report.Diagnostics) == typecheck.MaxDiagnostics {
			report.Truncated = true
			return
		}
		report.Diagnostics = append(report.Diagnostics, core.Diagnostic{
			Path: name, Line: number, Column: at[2] + 1,
			Message: "Type 'string' is not assignable to type '" + line[at[4]:at[5]] + "'.",
		})
	}
}
