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

// Content returns what a version has of a file, with the errors of vcs.Repositories.
func (p *Pipeline) Content(ctx context.Context, project core.ID, blob vcs.Blob, limit int64) ([]byte, error) {
	return p.deps.Repositories.Content(ctx, project, blob, limit)
}

// Restore makes a new version of the files of an earlier one. What people have staged
// becomes a version of theirs first, so that nothing is lost; then the commit is that
// of the new version, or, when nothing sets the files apart from the earlier one any
// more, the result is the latest version and false. check is asked under the project's
// lock; its error is returned as it is and nothing has happened. A version that is not
// there has code CodeNotFound; something that is in no version and in the way of a file
// CodeConflict, and the files are as they were.
//
// After CodeUnavailable the files are either as they were, or the project's next touch
// brings them to the new version, as it does after a crash.
func (p *Pipeline) Restore(ctx context.Context, project core.ID, version string, check func(context.Context) error, commit vcs.Commit) (core.Version, bool, error) {
	p.saveEdits(ctx, project)
	held, end, err := p.hold(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer end()
	work, cancel := context.WithTimeout(context.WithoutCancel(held), arrivalTimeout)
	defer cancel()
	if _, err := p.deps.Repositories.Version(work, project, version); err != nil {
		return core.Version{}, false, err
	}
	if err := check(work); err != nil {
		return core.Version{}, false, err
	}
	// Whatever went past the service is on the disk alone so far.
	if _, err := p.reconcile(work, project); err != nil {
		return core.Version{}, false, err
	}
	if err := p.commitByHand(work, project, nil, nil); err != nil {
		return core.Version{}, false, err
	}
	return p.restore(work, project, version, commit)
}

// restore is Restore for a caller that holds the lock, when nothing is staged.
func (p *Pipeline) restore(ctx context.Context, project core.ID, version string, commit vcs.Commit) (core.Version, bool, error) {
	latest, err := p.deps.Repositories.Log(ctx, project, "", 1)
	if err != nil || len(latest) == 0 {
		return core.Version{}, false, err
	}
	made, changed, err := p.deps.Repositories.Recommit(ctx, project, version, p.dated(commit))
	if err != nil || !changed {
		return latest[0], false, err
	}
	arrival := vcs.Arrival{From: latest[0].ID, To: made.ID}
	coming, err := p.coming(ctx, project, commit.Author, arrival)
	if err != nil {
		return core.Version{}, false, err
	}
	if err := coming.checkVacant(ctx); err != nil {
		return core.Version{}, false, err
	}
	if err := coming.begin(ctx); err != nil {
		return core.Version{}, false, err
	}
	return made, true, nil
}
