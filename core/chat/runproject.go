package chat

import (
	"context"
	"errors"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
)

// runProject is a project for one run. It keeps people's edits apart from the run's
// changes, so that the run's version holds only its own.
type runProject struct {
	tools.Project
	*execution
}

// Apply implements tools.Project.
func (p runProject) Apply(ctx context.Context, change core.FileChange, ifMatch string) (tools.ChangeResult, error) {
	paths := []core.ProjectPath{change.Path}
	if change.Op == core.OpRename {
		paths = append(paths, change.To)
	}
	if err := p.commitStaged(ctx, paths); err != nil {
		return tools.ChangeResult{}, err
	}
	applied, err := p.Project.Apply(ctx, change, ifMatch)
	if isRefusal(err) {
		err = errors.Join(err, p.update(ctx, func(r *core.Run) { r.Intent = nil }))
	}
	return applied, err
}

// isRefusal reports whether an error means that a change was certainly not made.
func isRefusal(err error) bool {
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodeConflict, core.CodePreconditionFailed, core.CodeInvalidPath, core.CodePathTraversal:
		return true
	}
	return false
}

// Run implements tools.Project. Everything that the command changed counts as the run's,
// also beyond the changes that are reported.
func (p runProject) Run(ctx context.Context, command string) (string, []core.FileChanged, error) {
	// The run's row has all recorded changes once the journal is stored.
	if err := p.journal.flush(); err != nil {
		return "", nil, err
	}
	if err := p.commitStaged(ctx, nil); err != nil {
		return "", nil, err
	}
	report, changed, failure := p.Project.Run(ctx, command)
	paths := pathsOfEvents(changed, nil)
	if len(paths) == 0 {
		return report, changed, failure
	}
	err := p.update(context.WithoutCancel(ctx), func(r *core.Run) { r.Changed = pathUnion(r.Changed, paths) })
	if failure == nil {
		failure = err
	}
	return report, changed, failure
}

// commitStaged makes a version of what people have staged before the run changes paths; nil
// means that the paths are not known yet. Before the run's first change the version
// takes everything, later only the paths that the run touches for the first time.
// Changes of the project's other runs are left to their versions.
func (p runProject) commitStaged(ctx context.Context, paths []core.ProjectPath) error {
	current, err := p.store.Tables().Runs.ByID(ctx, p.run.ID)
	if err != nil {
		return err
	}
	if len(current.Changed) == 0 {
		paths = nil
	} else if paths = slices.DeleteFunc(paths, func(p core.ProjectPath) bool { return containsPath(current.Changed, p) }); len(paths) == 0 {
		return nil
	}
	return p.projects.CommitByHand(ctx, p.run.ProjectID, paths, p.pathsOfRuns)
}

// pathsOfRuns returns what the run and the other active runs of its project have
// changed, and what the others are about to change.
func (p runProject) pathsOfRuns(ctx context.Context) ([]core.ProjectPath, error) {
	runs, err := p.store.Tables().Chats.Runs(ctx, p.run.ProjectID)
	if err != nil {
		return nil, err
	}
	var changed []core.ProjectPath
	for _, busy := range runs {
		changed = append(changed, busy.Changed...)
		if busy.Intent != nil && busy.ID != p.run.ID {
			changed = append(changed, pathsOfIntent(*busy.Intent)...)
		}
	}
	return changed, nil
}
