package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// arrivalTimeout bounds the work under a project's lock when a version arrives, which
// may replace every file.
const arrivalTimeout = 5 * time.Minute

// Arrivals takes over versions that git clients push.
type Arrivals struct{ projects projects }

// Take makes versions from elsewhere the project's own. It first commits what people
// have staged as a version of theirs, which rejects a push that is not based on it. The file
// that the service writes (core.BackendTypesPath) stays staged if nothing else is: otherwise
// each pushed schema would make it reject the next push.
// ready is called under the project's lock and may refuse; its error is returned
// unchanged.
//
// When Take returns nil, repository, disk, cache and followers are in step with the
// newest version. It returns core.CodeConflict, with nothing changed, if the project
// has changed since, or if something that is in no version blocks a file. After
// core.CodeUnavailable the project is either unchanged, or its next touch brings it to
// the new version, as after a crash.
func (a Arrivals) Take(ctx context.Context, project core.ID, by core.Author, push vcs.Push, ready func(context.Context) error) error {
	move, err := push.Arrival()
	if err != nil {
		return err
	}
	locked, err := a.projects.lockSaved(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	locked.limit(context.WithoutCancel(locked.held), arrivalTimeout)
	if err := ready(locked.ctx); err != nil {
		return err
	}
	written, err := locked.onlyWritten()
	if err == nil && !written {
		err = locked.commitByHand(nil, nil)
	}
	if err != nil {
		return err
	}
	if err := locked.checkNewest(move.From); err != nil {
		return err
	}
	if err := push.Adopt(locked.ctx); err != nil {
		return err
	}
	arrival, err := newArrival(locked, by, move)
	if err != nil {
		return err
	}
	arrival.rewrites = written
	if err := arrival.checkVacant(); err != nil {
		return err
	}
	return arrival.start()
}

// onlyWritten reports whether all that is in no version is the file that the service writes, as it
// writes it.
func (l *lockedProject) onlyWritten() (bool, error) {
	staged, err := l.deps.Repositories.Unversioned(l.ctx, l.id)
	if core.IsCode(err, core.CodePayloadTooLarge) {
		return false, nil
	}
	if err != nil || len(staged) != 1 || staged[0].Path.String() != core.BackendTypesPath || staged[0].After == nil {
		return false, err
	}
	content, err := l.deps.Repositories.Content(l.ctx, l.id, *staged[0].After, maxStagedBytes)
	return bytes.HasPrefix(content, []byte(core.BackendTypesNotice)), err
}

// checkNewest returns core.CodeConflict if another version is the project's newest.
func (l *lockedProject) checkNewest(version string) error {
	newest, _, err := l.newest()
	if err != nil || newest.ID == version {
		return err
	}
	return core.Errorf(core.CodeConflict, "fetch first: the project has changed")
}

// resumeArrival completes an arrival that a crash interrupted. Files that match neither
// the old nor the new version have been edited since: they stay, as edits of the new
// version.
func (l *lockedProject) resumeArrival() error {
	move, begun, err := l.deps.Repositories.Arriving(l.ctx, l.id)
	if err != nil || !begun {
		return err
	}
	arrival, err := newArrival(l, core.Author{Kind: core.AuthorUser, Name: "Somebody"}, move)
	if err == nil {
		arrival.resumed = true
		err = arrival.finish()
	}
	if core.IsCode(err, core.CodeConflict) || core.IsCode(err, core.CodeNotFound) {
		l.deps.Log.WarnContext(l.ctx, "abandoned an interrupted move to a version", "project", l.id, "version", move.To, "error", err)
		l.fresh.add(l.id)
		return nil
	}
	return err
}

// arrival brings a locked project's files from one version to another.
type arrival struct {
	locked      *lockedProject
	by          core.Author
	tree        worktree.Tree
	move        vcs.Arrival
	differences []vcs.Difference
	// removed are the files that the arrival removes, so they block nothing.
	removed pathSet
	// rewrites says that the staged file of the service may be replaced: it writes it anew.
	rewrites bool
	// resumed says that part of the arrival may have been carried out already.
	resumed bool
	buffer  changeBuffer
}

func newArrival(locked *lockedProject, by core.Author, move vcs.Arrival) (*arrival, error) {
	tree, err := locked.openTree()
	if err != nil {
		return nil, err
	}
	differences, err := locked.deps.Repositories.Compare(locked.ctx, locked.id, move.From, move.To)
	if err != nil {
		return nil, err
	}
	a := &arrival{locked: locked, by: by, tree: tree, move: move, differences: differences, removed: pathSet{}}
	for _, difference := range differences {
		if difference.After == nil {
			a.removed[difference.Path] = true
		}
	}
	return a, nil
}

// checkVacant returns core.CodeConflict if a new file would replace something that no
// version has.
func (a *arrival) checkVacant() error {
	for _, difference := range a.differences {
		if difference.Before != nil || a.rewrites && difference.Path.String() == core.BackendTypesPath {
			continue
		}
		vacant, err := a.isVacant(difference.Path)
		if err != nil {
			return err
		}
		if !vacant {
			return core.Errorf(core.CodeConflict, "%s conflicts with the change: it is in the project but in no version", difference.Path)
		}
	}
	return nil
}

func (a *arrival) isVacant(path core.ProjectPath) (bool, error) {
	info, err := a.tree.Stat(a.locked.ctx, path)
	switch {
	case core.IsCode(err, core.CodePathTraversal):
		return false, nil
	case err == nil:
		return info.Dir && a.holdsOnlyRemoved(path), nil
	case !core.IsCode(err, core.CodeNotFound):
		return false, err
	}
	for above := path.Dir(); !above.IsRoot(); above = above.Dir() {
		info, err := a.tree.Stat(a.locked.ctx, above)
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
func (a *arrival) start() error {
	err := a.locked.markToEnd()
	if err == nil {
		err = a.locked.deps.Repositories.Arrive(a.locked.ctx, a.locked.id, a.move)
	}
	if err != nil {
		// The note may have been stored despite the error.
		a.locked.fresh.drop(a.locked.id)
		return err
	}
	return a.finish()
}

// finish changes the files and then the version. After a failure the next touch
// continues.
func (a *arrival) finish() error {
	err := a.locked.markToEnd()
	if err == nil {
		err = a.changeAll()
	}
	if err == nil {
		err = a.locked.deps.Repositories.Settle(a.locked.ctx, a.locked.id, a.move)
	}
	if err != nil {
		a.locked.fresh.drop(a.locked.id)
		return err
	}
	a.tell()
	return nil
}

// tell tells webhooks of the version that arrived. It is in force, so a failure is only logged.
func (a *arrival) tell() {
	deps := a.locked.deps
	version, err := deps.Repositories.Version(a.locked.ctx, a.locked.id, a.move.To)
	if err != nil {
		deps.Log.WarnContext(a.locked.ctx, "could not tell webhooks of a version", "project", a.locked.id, "version", a.move.To, "error", err)
		return
	}
	deps.Hooks.Tell(a.locked.ctx, webhooks.VersionCreated(a.locked.id, version, nil))
}

// changeAll changes the files: it removes files before it writes new ones.
func (a *arrival) changeAll() error {
	for _, isRemoval := range []bool{true, false} {
		for _, difference := range a.differences {
			if isRemoval != (difference.After == nil) {
				continue
			}
			if err := a.change(difference); err != nil {
				return err
			}
		}
		if err := a.flush(); err != nil {
			return err
		}
	}
	return nil
}

// change plans the change of one path.
func (a *arrival) change(difference vcs.Difference) error {
	if a.resumed {
		untouched, err := a.isUntouched(difference)
		if err != nil || !untouched {
			return err
		}
	}
	if difference.After == nil {
		return a.add(core.FileChange{Op: core.OpDelete, Path: difference.Path})
	}
	if info, err := a.tree.Stat(a.locked.ctx, difference.Path); err == nil && info.Dir && a.holdsOnlyRemoved(difference.Path) {
		if err := a.add(core.FileChange{Op: core.OpDelete, Path: difference.Path}); err != nil {
			return err
		}
	}
	content, err := a.locked.deps.Repositories.Content(a.locked.ctx, a.locked.id, *difference.After, maxStagedBytes)
	if err != nil {
		return err
	}
	executable := difference.After.Executable
	return a.add(core.FileChange{Op: core.OpWrite, Path: difference.Path, Content: content, Executable: &executable})
}

// isUntouched reports whether a path has the content of the earlier version.
func (a *arrival) isUntouched(difference vcs.Difference) (bool, error) {
	content, found, err := Snapshot{a.tree}.Read(a.locked.ctx, difference.Path)
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
	return a.locked.deps.Repositories.Holds(*difference.Before, content), nil
}

func (a *arrival) add(change core.FileChange) error {
	if !a.buffer.add(change) {
		return nil
	}
	return a.flush()
}

// flush carries out the planned changes. A file that was edited after a crash stays.
func (a *arrival) flush() error {
	changes := a.buffer.changes
	if len(changes) == 0 {
		return nil
	}
	results, err := a.locked.carryOut(a.tree, changeSet{by: a.by, changes: changes, committed: true})
	for i, result := range results {
		if a.resumed && core.IsCode(result.Err, core.CodeConflict) || changes[i].Op == core.OpDelete && core.IsCode(result.Err, core.CodeNotFound) {
			continue
		}
		err = errors.Join(err, result.Err)
	}
	a.buffer = changeBuffer{}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the files cannot be stored at the moment: the rest follows as soon as they can")
	}
	return nil
}
