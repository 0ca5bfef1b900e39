package files

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/vcs"
)

// HandEdits is the message of a version that keeps what people edited before
// something else is committed.
const HandEdits = "Edited by hand"

// Committer makes versions of what is staged, and versions whose files it changes itself.
type Committer struct{ projects projects }

// Exclusion returns the paths that a person's version leaves out because running agents are changing
// them; nil leaves nothing out. It is called under the project's lock, because a run may begin
// while its caller waits for the lock.
type Exclusion func(ctx context.Context) ([]core.ProjectPath, error)

func (e Exclusion) paths(ctx context.Context) ([]core.ProjectPath, error) {
	if e == nil {
		return nil, nil
	}
	return e(ctx)
}

// Commit makes a version of the staged changes that the commit selects. If there are
// none, it returns the latest version, or the zero version if there is none yet, and
// false. A commit without a time gets the current time.
func (c Committer) Commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	return c.CommitExcept(ctx, project, commit, nil)
}

// CommitExcept is Commit without the paths that except returns. The error of except is
// returned unchanged.
func (c Committer) CommitExcept(ctx context.Context, project core.ID, commit vcs.Commit, except Exclusion) (core.Version, bool, error) {
	locked, err := c.projects.lockSaved(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer locked.release()
	others, err := except.paths(locked.ctx)
	if err != nil {
		return core.Version{}, false, err
	}
	commit.Except = append(slices.Clone(commit.Except), others...)
	version, changed, err := locked.commit(commit)
	if err != nil || changed {
		return version, changed, err
	}
	newest, _, err := locked.newest()
	return newest, false, err
}

// CommitByHand makes a version of what people have staged, with them as authors, so that it does
// not end up in somebody else's version. paths are those of vcs.Commit. If nothing is staged there,
// it makes no version. The error of except is returned unchanged.
func (c Committer) CommitByHand(ctx context.Context, project core.ID, paths []core.ProjectPath, except Exclusion) error {
	locked, err := c.projects.lockSaved(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	others, err := except.paths(locked.ctx)
	if err != nil {
		return err
	}
	return locked.commitByHand(paths, others)
}

// commitByHand is Committer.CommitByHand without the given paths.
func (l *lockedProject) commitByHand(paths, except []core.ProjectPath) error {
	commit := vcs.Commit{Message: HandEdits, Author: l.editors.author(l.id), Paths: paths, Except: except}
	_, _, err := l.commit(commit)
	return err
}

// KeepEdits makes a version of what people have edited if their last edit was at until or before,
// and removes the record of the edit (storage.Edits). Paths from except stay staged; its error is
// returned unchanged. The second result is false if there is no such edit, if people have edited
// since, or if nothing differs from the last version. It decides under the project's lock, so that
// only one of several processes makes the version.
func (c Committer) KeepEdits(ctx context.Context, project core.ID, until core.Time, except Exclusion) (core.Version, bool, error) {
	locked, err := c.projects.lockSaved(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer locked.release()
	edits := c.projects.deps.Store.Tables().Edits
	edit, err := edits.Of(locked.ctx, project)
	if core.IsCode(err, core.CodeNotFound) || err == nil && edit.At > until {
		return core.Version{}, false, nil
	}
	if err != nil {
		return core.Version{}, false, err
	}
	others, err := except.paths(locked.ctx)
	if err != nil {
		return core.Version{}, false, err
	}
	author := core.Author{Kind: core.AuthorUser, Name: edit.By}
	version, made, err := locked.commit(vcs.Commit{Message: HandEdits, Author: author, Except: others})
	if err != nil {
		return core.Version{}, false, err
	}
	if err := edits.Settle(locked.ctx, edit); err != nil {
		return version, made, err
	}
	return version, made, nil
}

// Unversioned returns the files in which the project differs from its newest version, including
// edits that people have not saved yet. Its errors are those of vcs.Repositories.
func (c Committer) Unversioned(ctx context.Context, project core.ID) ([]vcs.Difference, error) {
	locked, err := c.projects.lockSaved(ctx, project)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	return c.projects.deps.Repositories.Unversioned(locked.ctx, project)
}

// commit makes a version. It fails if a process that died or hangs in the middle of another
// version left the repository locked; the next touch repairs that.
func (l *lockedProject) commit(commit vcs.Commit) (core.Version, bool, error) {
	version, made, err := l.deps.Repositories.Commit(l.ctx, l.id, l.dated(commit))
	if err == nil && commit.Paths == nil {
		l.editors.drop(l.id)
	}
	if core.IsCode(err, core.CodeUnavailable) {
		l.fresh.drop(l.id)
	}
	if err == nil && made {
		l.deps.Hooks.Tell(l.ctx, webhooks.VersionCreated(l.id, version, commit.ChatID))
	}
	return version, made, err
}

func (s *state) dated(commit vcs.Commit) vcs.Commit {
	if commit.At == 0 {
		commit.At = core.At(s.deps.Now())
	}
	return commit
}

// newest returns the project's newest version, and whether there is one.
func (l *lockedProject) newest() (core.Version, bool, error) {
	log, err := l.deps.Repositories.Log(l.ctx, l.id, "", 1)
	if err != nil || len(log) == 0 {
		return core.Version{}, false, err
	}
	return log[0], true, nil
}
