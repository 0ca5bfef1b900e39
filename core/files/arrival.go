package files

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// arrivalTimeout bounds the work under a project's lock when a version arrives, which
// may replace every file.
const arrivalTimeout = 5 * time.Minute

// Take makes versions from elsewhere the project's own. It first commits what people
// have staged as a version of theirs, which rejects a push that is not based on it.
// ready is called under the project's lock and may refuse; its error is returned
// unchanged.
//
// When Take returns nil, repository, disk, cache and followers are in step with the
// newest version. It returns core.CodeConflict, with nothing changed, if the project
// has changed since, or if something that is in no version blocks a file. After
// core.CodeUnavailable the project is either unchanged, or its next touch brings it to
// the new version, as after a crash.
func (p *Pipeline) Take(ctx context.Context, project core.ID, by core.Author, push vcs.Push, ready func(context.Context) error) error {
	move, err := push.Arrival()
	if err != nil {
		return err
	}
	held, end, err := p.begin(ctx, project)
	if err != nil {
		return err
	}
	defer end()
	work, cancel := context.WithTimeout(context.WithoutCancel(held), arrivalTimeout)
	defer cancel()
	if err := ready(work); err != nil {
		return err
	}
	if err := p.commitByHand(work, project, nil, nil); err != nil {
		return err
	}
	if err := p.checkNewest(work, project, move.From); err != nil {
		return err
	}
	if err := push.Adopt(work); err != nil {
		return err
	}
	arrival, err := p.newArrival(work, project, by, move)
	if err != nil {
		return err
	}
	if err := arrival.checkVacant(work); err != nil {
		return err
	}
	return arrival.start(work)
}

// checkNewest returns core.CodeConflict if another version is the project's newest.
func (p *Pipeline) checkNewest(ctx context.Context, project core.ID, version string) error {
	newest, err := p.deps.Repositories.Log(ctx, project, "", 1)
	if err != nil {
		return err
	}
	if len(newest) == 0 && version == "" || len(newest) == 1 && newest[0].ID == version {
		return nil
	}
	return core.Errorf(core.CodeConflict, "fetch first: the project has changed")
}

// resumeArrival completes an arrival that a crash interrupted, for a caller that holds
// the lock. Files that match neither the old nor the new version have been edited since:
// they stay, as edits of the new version.
func (p *Pipeline) resumeArrival(ctx context.Context, project core.ID) error {
	move, begun, err := p.deps.Repositories.Arriving(ctx, project)
	if err != nil || !begun {
		return err
	}
	arrival, err := p.newArrival(ctx, project, core.Author{Kind: core.AuthorUser, Name: "Somebody"}, move)
	if err == nil {
		arrival.resumed = true
		err = arrival.finish(ctx)
	}
	if core.IsCode(err, core.CodeConflict) || core.IsCode(err, core.CodeNotFound) {
		p.deps.Log.WarnContext(ctx, "a version that was arriving is given up", "project", project, "version", move.To, "error", err)
		p.fresh.add(project)
		return nil
	}
	return err
}

// arrival brings a project's files from one version to another.
type arrival struct {
	pipeline    *Pipeline
	project     core.ID
	by          core.Author
	tree        worktree.Tree
	move        vcs.Arrival
	differences []vcs.Difference
	// removed are the files that the arrival removes, so they block nothing.
	removed pathSet
	// resumed says that part of the arrival may have been carried out already.
	resumed bool
	pending []core.FileChange
	bytes   int
}

func (p *Pipeline) newArrival(ctx context.Context, project core.ID, by core.Author, move vcs.Arrival) (*arrival, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	differences, err := p.deps.Repositories.Compare(ctx, project, move.From, move.To)
	if err != nil {
		return nil, err
	}
	a := &arrival{pipeline: p, project: project, by: by, tree: tree, move: move, differences: differences, removed: pathSet{}}
	for _, difference := range differences {
		if difference.After == nil {
			a.removed[difference.Path] = true
		}
	}
	return a, nil
}

// checkVacant returns core.CodeConflict if a new file would replace something that no
// version has.
func (a *arrival) checkVacant(ctx context.Context) error {
	for _, difference := range a.differences {
		if difference.Before != nil {
			continue
		}
		vacant, err := a.isVacant(ctx, difference.Path)
		if err != nil {
			return err
		}
		if !vacant {
			return core.Errorf(core.CodeConflict, "%s is in the way: it is in the project but in no version", difference.Path)
		}
	}
	return nil
}

func (a *arrival) isVacant(ctx context.Context, path core.ProjectPath) (bool, error) {
	info, err := a.tree.Stat(ctx, path)
	switch {
	case core.IsCode(err, core.CodePathTraversal):
		return false, nil
	case err == nil:
		return info.Dir && a.holdsOnlyRemoved(path), nil
	case !core.IsCode(err, core.CodeNotFound):
		return false, err
	}
	for above := path.Dir(); !above.IsRoot(); above = above.Dir() {
		info, err := a.tree.Stat(ctx, above)
		if err == nil {
			return info.Dir || a.removed[above], nil
		}
		if !core.IsCode(err, core.CodeNotFound) {
			return false, err
		}
	}
	return true, nil
}

// holdsOnlyRemoved reports whether every file below a directory is one that goes.
func (a *arrival) holdsOnlyRemoved(dir core.ProjectPath) bool {
	err := fs.WalkDir(a.tree.FS(), dir.String(), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		path, err := core.ParsePath(name)
		if err != nil {
			return err
		}
		if !a.removed[path] {
			return fs.ErrExist
		}
		return nil
	})
	return err == nil
}

// start stores a write-ahead note of the new version and carries out the arrival. A
// crash after the note leaves the project marked, for other processes too.
func (a *arrival) start(ctx context.Context) error {
	err := a.pipeline.markToEnd(ctx, a.project)
	if err == nil {
		err = a.pipeline.deps.Repositories.Arrive(ctx, a.project, a.move)
	}
	if err != nil {
		// The note may have been stored despite the error.
		a.pipeline.fresh.drop(a.project)
		return err
	}
	return a.finish(ctx)
}

// finish changes the files and then the version. After a failure the next touch
// continues.
func (a *arrival) finish(ctx context.Context) error {
	err := a.pipeline.markToEnd(ctx, a.project)
	if err == nil {
		err = a.changeAll(ctx)
	}
	if err == nil {
		err = a.pipeline.deps.Repositories.Settle(ctx, a.project, a.move)
	}
	if err != nil {
		a.pipeline.fresh.drop(a.project)
	}
	return err
}

// changeAll changes the files: it removes files before it writes new ones.
func (a *arrival) changeAll(ctx context.Context) error {
	for _, isRemoval := range []bool{true, false} {
		for _, difference := range a.differences {
			if isRemoval != (difference.After == nil) {
				continue
			}
			if err := a.change(ctx, difference); err != nil {
				return err
			}
		}
		if err := a.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// change plans the change of one path.
func (a *arrival) change(ctx context.Context, difference vcs.Difference) error {
	if a.resumed {
		untouched, err := a.isUntouched(ctx, difference)
		if err != nil || !untouched {
			return err
		}
	}
	if difference.After == nil {
		return a.add(ctx, core.FileChange{Op: core.OpDelete, Path: difference.Path})
	}
	if info, err := a.tree.Stat(ctx, difference.Path); err == nil && info.Dir && a.holdsOnlyRemoved(difference.Path) {
		if err := a.add(ctx, core.FileChange{Op: core.OpDelete, Path: difference.Path}); err != nil {
			return err
		}
	}
	content, err := a.pipeline.deps.Repositories.Content(ctx, a.project, *difference.After, maxStagedBytes)
	if err != nil {
		return err
	}
	executable := difference.After.Executable
	return a.add(ctx, core.FileChange{Op: core.OpWrite, Path: difference.Path, Content: content, Executable: &executable})
}

// isUntouched reports whether a path has the content of the earlier version.
func (a *arrival) isUntouched(ctx context.Context, difference vcs.Difference) (bool, error) {
	content, found, err := Snapshot{a.tree}.Read(ctx, difference.Path)
	switch {
	case core.IsCode(err, core.CodePayloadTooLarge) || core.IsCode(err, core.CodePathTraversal):
		return false, nil
	case err != nil:
		return false, err
	case !found:
		return difference.Before == nil, nil
	case difference.Before == nil:
		return false, nil
	}
	return a.pipeline.deps.Repositories.Holds(*difference.Before, content), nil
}

func (a *arrival) add(ctx context.Context, change core.FileChange) error {
	a.pending = append(a.pending, change)
	if a.bytes += len(change.Content); a.bytes < maxBatchBytes && len(a.pending) < maxBatchFiles {
		return nil
	}
	return a.flush(ctx)
}

// flush carries out the planned changes. A file that was edited after a crash stays.
func (a *arrival) flush(ctx context.Context) error {
	if len(a.pending) == 0 {
		return nil
	}
	results, err := a.pipeline.carryOut(ctx, a.tree, a.project, changeSet{by: a.by, changes: a.pending, committed: true})
	for i, result := range results {
		if a.resumed && core.IsCode(result.Err, core.CodeConflict) || a.pending[i].Op == core.OpDelete && core.IsCode(result.Err, core.CodeNotFound) {
			continue
		}
		err = errors.Join(err, result.Err)
	}
	a.pending, a.bytes = nil, 0
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the files cannot be stored: what is left is done as soon as they can")
	}
	return nil
}
