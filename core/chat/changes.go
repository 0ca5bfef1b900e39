package chat

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/storage"
)

// runDesk is a project for one run. It keeps people's edits apart from the run's
// changes, so that the run's version holds only its own.
type runDesk struct {
	agent.Desk
	service *Service
	run     core.Run
	// flush waits until the run's row has all recorded changes.
	flush func() error
}

// Apply implements agent.Desk.
func (d runDesk) Apply(ctx context.Context, change core.FileChange, ifMatch string) (agent.Applied, error) {
	paths := []core.ProjectPath{change.Path}
	if change.Op == core.OpRename {
		paths = append(paths, change.To)
	}
	if err := d.service.setApart(ctx, d.run, paths); err != nil {
		return agent.Applied{}, err
	}
	applied, err := d.Desk.Apply(ctx, change, ifMatch)
	if isRefusal(err) {
		_, forgotten := d.service.leases.update(ctx, d.service.store.Tables(), d.run.ID, func(r *core.Run) { r.Intent = nil })
		err = errors.Join(err, forgotten)
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

// Run implements agent.Desk. Everything that the command changed counts as the run's,
// also beyond the changes that are reported.
func (d runDesk) Run(ctx context.Context, command string) (string, []core.FileChanged, error) {
	if err := d.flush(); err != nil {
		return "", nil, err
	}
	if err := d.service.setApart(ctx, d.run, nil); err != nil {
		return "", nil, err
	}
	report, changed, failure := d.Desk.Run(ctx, command)
	paths := pathsOfEvents(changed, nil)
	if len(paths) == 0 {
		return report, changed, failure
	}
	_, err := d.service.leases.update(context.WithoutCancel(ctx), d.service.store.Tables(), d.run.ID, func(r *core.Run) { r.Changed = withPaths(r.Changed, paths) })
	if failure == nil {
		failure = err
	}
	return report, changed, failure
}

// setApart makes a version of what people have staged before a run changes paths; nil
// means that the paths are not known yet. Before the run's first change the version
// takes everything, later only the paths that the run touches for the first time.
// Changes of the project's other runs are left to their versions.
func (s *Service) setApart(ctx context.Context, run core.Run, paths []core.ProjectPath) error {
	current, err := s.store.Tables().Runs.ByID(ctx, run.ID)
	if err != nil {
		return err
	}
	if len(current.Changed) == 0 {
		paths = nil
	} else if paths = slices.DeleteFunc(paths, func(p core.ProjectPath) bool { return containsPath(current.Changed, p) }); len(paths) == 0 {
		return nil
	}
	except := func(ctx context.Context) ([]core.ProjectPath, error) { return s.changedByRuns(ctx, run) }
	return s.desks.CommitByHand(ctx, run.ProjectID, paths, except)
}

// changedByRuns returns what a run and the other active runs of its project have
// changed, and what the others are about to change.
func (s *Service) changedByRuns(ctx context.Context, run core.Run) ([]core.ProjectPath, error) {
	runs, err := s.store.Tables().Chats.Runs(ctx, run.ProjectID)
	if err != nil {
		return nil, err
	}
	var changed []core.ProjectPath
	for _, busy := range runs {
		changed = append(changed, busy.Changed...)
		if busy.Intent != nil && busy.ID != run.ID {
			changed = append(changed, pathsOfIntent(*busy.Intent)...)
		}
	}
	return changed, nil
}

// note records what a run changed in its row. It returns errTaken if the run is no
// longer this process's.
func (s *Service) note(ctx context.Context, tables storage.Tables, run core.Run, changed []core.FileChanged) error {
	if len(changed) == 0 {
		return s.leases.check(ctx, tables, run.ID)
	}
	_, err := s.leases.update(ctx, tables, run.ID, func(r *core.Run) {
		r.Changed = withPaths(r.Changed, pathsOfEvents(changed, r.Intent))
	})
	return err
}

// changesIn returns the changed files that payloads report.
func changesIn(payloads []core.Payload) []core.FileChanged {
	var changed []core.FileChanged
	for _, payload := range payloads {
		if file, ok := payload.(core.FileChanged); ok {
			changed = append(changed, file)
		}
	}
	return changed
}

// pathsOfEvents returns the paths of changed files. For a renamed file the events
// have only the new path; the old one is in the intent.
func pathsOfEvents(changed []core.FileChanged, intent *core.Intent) []core.ProjectPath {
	var paths []core.ProjectPath
	for _, file := range changed {
		if path, err := core.ParsePath(file.Path); err == nil {
			paths = append(paths, path)
		}
		if file.Action == core.FileRenamed && intent != nil && intent.Shown() == file.Path {
			paths = append(paths, pathsOfIntent(*intent)...)
		}
	}
	return paths
}

// pathsOfIntent returns the paths that a change is about.
func pathsOfIntent(intent core.Intent) []core.ProjectPath {
	var paths []core.ProjectPath
	for _, text := range []string{intent.Path, intent.To} {
		if path, err := core.ParsePath(text); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

func containsPath(paths []core.ProjectPath, path core.ProjectPath) bool {
	return slices.ContainsFunc(paths, func(above core.ProjectPath) bool { return above.Contains(path) })
}

// maxChangedPaths bounds how many paths a run's row names one by one.
const maxChangedPaths = 1000

// withPaths returns the union of paths and more, sorted. If there are too many, it
// replaces the deepest by their directories.
func withPaths(paths, more []core.ProjectPath) []core.ProjectPath {
	all := slices.Concat(paths, more)
	for {
		slices.SortFunc(all, func(a, b core.ProjectPath) int { return strings.Compare(a.String(), b.String()) })
		all = slices.Compact(all)
		deepest := 0
		for _, path := range all {
			deepest = max(deepest, strings.Count(path.String(), "/"))
		}
		if len(all) <= maxChangedPaths || deepest == 0 {
			return all
		}
		for i, path := range all {
			if strings.Count(path.String(), "/") == deepest {
				all[i] = path.Dir()
			}
		}
	}
}
