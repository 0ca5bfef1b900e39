package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Revision is a change of several files that becomes one version.
type Revision struct {
	Changes []core.FileChange
	Commit  vcs.Commit
	// Begun are the paths that an earlier attempt may have changed before its process died. They
	// become part of this version instead of people's.
	Begun []core.ProjectPath
}

// Snapshot is a project's files under its lock, while nobody else can change them.
type Snapshot struct{ tree worktree.Tree }

// Read returns the content of a file, and whether there is one. A file over 100 MiB
// has code CodePayloadTooLarge.
func (s Snapshot) Read(ctx context.Context, path core.ProjectPath) (content []byte, found bool, err error) {
	file, err := s.tree.Open(ctx, path)
	if core.IsCode(err, core.CodeNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	if file.Info().Size > maxStagedBytes {
		return nil, false, core.Errorf(core.CodePayloadTooLarge, "%s has %d bytes, more than can be read at once", path, file.Info().Size)
	}
	content, err = readAtMost(file, maxStagedBytes)
	return content, err == nil, err
}

// Vacant reports whether a file could be created at path: nothing is there, and no
// file is where a directory is needed.
func (s Snapshot) Vacant(ctx context.Context, path core.ProjectPath) (bool, error) {
	if _, err := s.tree.Stat(ctx, path); !core.IsCode(err, core.CodeNotFound) {
		return false, err
	}
	for above := path.Dir(); !above.IsRoot(); above = above.Dir() {
		info, err := s.tree.Stat(ctx, above)
		if err == nil {
			return info.Dir, nil
		}
		if !core.IsCode(err, core.CodeNotFound) {
			return false, err
		}
	}
	return true, nil
}

// Revise calls plan with the project's current files and carries out the changes that
// it returns as one version of its own. It first commits what people have staged as a
// version of theirs. It holds the project's lock throughout, plan included, so that no
// edit comes between. An error of plan is returned unchanged, with nothing changed. A second
// spelling of a path has core.CodeConflict, with nothing changed either.
// The second result is false if there was nothing to change. If a change fails, the
// others stay, staged, and the caller may call Revise again.
func (c Committer) Revise(ctx context.Context, project core.ID, plan func(context.Context, Snapshot) (Revision, error)) (core.Version, bool, error) {
	locked, err := c.projects.lockSaved(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer locked.release()
	tree, err := locked.openTree()
	if err != nil {
		return core.Version{}, false, err
	}
	revision, err := plan(locked.ctx, Snapshot{tree})
	if err != nil || len(revision.Changes) == 0 && len(revision.Begun) == 0 {
		return core.Version{}, false, err
	}
	_, refused := newSpellings(tree.FS()).admit(revision.Changes)
	for _, one := range refused {
		if one.Err != nil {
			return core.Version{}, false, one.Err
		}
	}
	if err := locked.commitByHand(nil, revision.Begun); err != nil {
		return core.Version{}, false, err
	}
	results, err := locked.apply(changeSet{by: revision.Commit.Author, changes: revision.Changes, committed: true}, nil)
	for _, result := range results {
		if err == nil {
			err = result.Err
		}
	}
	if err != nil {
		return core.Version{}, false, err
	}
	return locked.commit(revision.Commit)
}

// pathsOf returns every path that changes touch.
func pathsOf(changes []core.FileChange) []core.ProjectPath {
	paths := make([]core.ProjectPath, 0, len(changes))
	for _, change := range changes {
		paths = append(paths, change.Path)
		if change.Op == core.OpRename {
			paths = append(paths, change.To)
		}
	}
	return paths
}

// Restore makes a new version with the files of an earlier one. It first commits what
// people have staged as a version of theirs, so that nothing is lost. It returns the
// new version and true, or the latest version and false if the files do not differ from
// the earlier one. check is called under the project's lock; its error is returned
// unchanged, with nothing changed. It returns CodeNotFound if the version does not
// exist. It returns CodeConflict, with the files unchanged, if something that is in no
// version blocks a file.
//
// After CodeUnavailable the files are either unchanged, or the project's next touch
// brings them to the new version, as after a crash.
func (c Committer) Restore(ctx context.Context, project core.ID, version string, check func(context.Context) error, commit vcs.Commit) (core.Version, bool, error) {
	c.projects.saveEdits(ctx, project)
	locked, err := c.projects.lock(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer locked.release()
	locked.limit(context.WithoutCancel(locked.held), arrivalTimeout)
	if _, err := c.projects.deps.Repositories.Version(locked.ctx, project, version); err != nil {
		return core.Version{}, false, err
	}
	if err := check(locked.ctx); err != nil {
		return core.Version{}, false, err
	}
	// Changes made without the service are only on the disk so far.
	if _, err := locked.reconcile(); err != nil {
		return core.Version{}, false, err
	}
	if err := locked.commitByHand(nil, nil); err != nil {
		return core.Version{}, false, err
	}
	return c.restore(locked, version, commit)
}

// restore is Restore with nothing staged.
func (c Committer) restore(locked *lockedProject, version string, commit vcs.Commit) (core.Version, bool, error) {
	newest, found, err := locked.newest()
	if err != nil || !found {
		return core.Version{}, false, err
	}
	made, changed, err := c.projects.deps.Repositories.Recommit(locked.ctx, locked.id, version, locked.dated(commit))
	if err != nil || !changed {
		return newest, false, err
	}
	arrival, err := newArrival(locked, commit.Author, vcs.Arrival{From: newest.ID, To: made.ID})
	if err != nil {
		return core.Version{}, false, err
	}
	if err := arrival.checkVacant(); err != nil {
		return core.Version{}, false, err
	}
	if err := arrival.start(); err != nil {
		return core.Version{}, false, err
	}
	return made, true, nil
}
