package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Differences returns a version and the files in which it differs from the one before,
// with the errors of vcs.Repositories.
func (p *Pipeline) Differences(ctx context.Context, project core.ID, version string) (core.Version, []vcs.Difference, error) {
	repositories := p.deps.Repositories
	shown, err := repositories.Version(ctx, project, version)
	if err != nil {
		return core.Version{}, nil, err
	}
	before, err := repositories.Log(ctx, project, shown.ID, 1)
	if err != nil {
		return core.Version{}, nil, err
	}
	parent := ""
	if len(before) > 0 {
		parent = before[0].ID
	}
	differences, err := repositories.Compare(ctx, project, parent, shown.ID)
	return shown, differences, err
}

// Version returns a version, with the errors of vcs.Repositories.
func (p *Pipeline) Version(ctx context.Context, project core.ID, version string) (core.Version, error) {
	return p.deps.Repositories.Version(ctx, project, version)
}

// Content returns the content of a file in a version, with the errors of
// vcs.Repositories.
func (p *Pipeline) Content(ctx context.Context, project core.ID, blob vcs.Blob, limit int64) ([]byte, error) {
	return p.deps.Repositories.Content(ctx, project, blob, limit)
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
func (p *Pipeline) Restore(ctx context.Context, project core.ID, version string, check func(context.Context) error, commit vcs.Commit) (core.Version, bool, error) {
	p.saveEdits(ctx, project)
	locked, err := p.lock(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer locked.release()
	locked.limit(context.WithoutCancel(locked.held), arrivalTimeout)
	if _, err := p.deps.Repositories.Version(locked.ctx, project, version); err != nil {
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
	return locked.restore(version, commit)
}

// restore is Pipeline.Restore with nothing staged.
func (l *lockedProject) restore(version string, commit vcs.Commit) (core.Version, bool, error) {
	newest, found, err := l.newest()
	if err != nil || !found {
		return core.Version{}, false, err
	}
	made, changed, err := l.deps.Repositories.Recommit(l.ctx, l.id, version, l.dated(commit))
	if err != nil || !changed {
		return newest, false, err
	}
	arrival, err := l.newArrival(commit.Author, vcs.Arrival{From: newest.ID, To: made.ID})
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

// newest returns the project's newest version, and whether there is one.
func (l *lockedProject) newest() (core.Version, bool, error) {
	log, err := l.deps.Repositories.Log(l.ctx, l.id, "", 1)
	if err != nil || len(log) == 0 {
		return core.Version{}, false, err
	}
	return log[0], true, nil
}
