package files

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Result is the outcome of one change. Entry describes a file that was written or
// renamed; it is nil for a delete, a renamed directory and a change that failed.
type Result struct {
	Entry *core.FileEntry
	// Created says that no file was there before.
	Created bool
	Err     error
}

// changeSet is the changes of one author under one lock.
type changeSet struct {
	by      core.Author
	changes []core.FileChange
	// committed says that the changes become a version under the same lock.
	committed bool
}

// Apply carries out changes in order and returns a result for each. A change that fails
// has its own error and does not stop the others. When Apply itself returns no error,
// the changes that worked are durable, staged and in the cache, and the project's
// followers have been told.
//
// The guard, if not nil, checks the file that the first change names; Apply returns its
// error with nothing done. Apply also does nothing when it returns CodePayloadTooLarge,
// because the project would exceed MaxProjectBytes. After CodeUnavailable a change may
// be on the disk without being staged or cached: the project's next touch brings them
// in step.
func (p *Pipeline) Apply(ctx context.Context, project core.ID, by core.Author, changes []core.FileChange, guard Guard) ([]Result, error) {
	work, end, err := p.beginWith(ctx, project, changes)
	if err != nil {
		return nil, err
	}
	defer end()
	return p.apply(work, project, changeSet{by: by, changes: changes}, guard)
}

// ApplyAndCommit is Apply and one version of the paths that the changes name, under one
// lock, so that two batches never end up in each other's version. Everything else that
// is staged stays staged. The version is nil if no change worked or nothing differs
// from the last version.
func (p *Pipeline) ApplyAndCommit(ctx context.Context, project core.ID, changes []core.FileChange, commit vcs.Commit) ([]Result, *core.Version, error) {
	work, end, err := p.begin(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	results, err := p.apply(work, project, changeSet{by: commit.Author, changes: changes, committed: true}, nil)
	if err != nil || !anyWorked(results) {
		return results, nil, err
	}
	commit.Paths = pathsOf(changes)
	version, changed, err := p.commit(work, project, commit)
	if err != nil || !changed {
		return results, nil, err
	}
	return results, &version, nil
}

func anyWorked(results []Result) bool {
	for _, result := range results {
		if result.Err == nil {
			return true
		}
	}
	return false
}

// Commit makes a version of the staged changes that the commit selects. If there are
// none, it returns the latest version, or the zero version if there is none yet, and
// false. A commit without a time gets the current time.
func (p *Pipeline) Commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	return p.CommitExcept(ctx, project, commit, nil)
}

// CommitExcept is Commit without the paths that except returns. The error of except is
// returned unchanged.
func (p *Pipeline) CommitExcept(ctx context.Context, project core.ID, commit vcs.Commit, except Except) (core.Version, bool, error) {
	work, end, err := p.begin(ctx, project)
	if err != nil {
		return core.Version{}, false, err
	}
	defer end()
	others, err := except.paths(work)
	if err != nil {
		return core.Version{}, false, err
	}
	commit.Except = append(slices.Clone(commit.Except), others...)
	version, changed, err := p.commit(work, project, commit)
	if err != nil || changed {
		return version, changed, err
	}
	latest, err := p.deps.Repositories.Log(work, project, "", 1)
	if err != nil || len(latest) == 0 {
		return core.Version{}, false, err
	}
	return latest[0], false, nil
}

func (p *Pipeline) dated(commit vcs.Commit) vcs.Commit {
	if commit.At == 0 {
		commit.At = core.At(p.deps.Now())
	}
	return commit
}

// apply is Apply for a caller that holds the lock.
func (p *Pipeline) apply(ctx context.Context, project core.ID, set changeSet, guard Guard) ([]Result, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := p.ask(ctx, tree, guard, project, set.changes); err != nil {
		return nil, err
	}
	if err := p.admit(ctx, tree, project, set.changes); err != nil {
		return nil, err
	}
	return p.carryOut(ctx, tree, project, set)
}

// carryOut is apply for admitted changes. If it returns before everything is in step,
// the next touch reconciles the project, so that no difference goes unnoticed.
func (p *Pipeline) carryOut(ctx context.Context, tree worktree.Tree, project core.ID, set changeSet) ([]Result, error) {
	if err := p.mark(ctx, project); err != nil {
		return nil, err
	}
	inStep := false
	defer func() {
		if !inStep {
			p.fresh.drop(project)
		}
	}()
	done := tree.Apply(ctx, set.changes)
	ledger := newLedger(ctx, tree, func() ([]core.FileEntry, error) { return p.cache.rows(ctx, project) })
	results, err := ledger.enter(set.changes, done)
	if err != nil {
		return results, err
	}
	delta := ledger.delta()
	delta.Unsettled = diskFailed(done) || ledger.movedTree || !p.fresh.has(project)
	if anyWorked(results) {
		delta.Edit = p.editOf(project, set)
	}
	if err := p.settle(ctx, project, ledger, delta); err != nil {
		return results, err
	}
	inStep = !diskFailed(done)
	p.publish(ctx, project, set.by, ledger.notices)
	return results, nil
}

// settle brings repository and cache in step with the ledger.
func (p *Pipeline) settle(ctx context.Context, project core.ID, ledger *ledger, delta storage.FileDelta) error {
	err := p.settleBoth(ctx, project, ledger.staged, delta)
	if err == nil && ledger.movedTree {
		_, err = p.reconcile(ctx, project)
	}
	return err
}

// settleBoth changes repository and cache concurrently, since each waits for its own
// disk. It changes the cache last if that also removes the mark, because the missing
// mark means that everything is done.
func (p *Pipeline) settleBoth(ctx context.Context, project core.ID, staged []core.FileChange, delta storage.FileDelta) error {
	if !p.deps.Exclusive {
		if err := p.stage(ctx, project, staged); err != nil {
			return err
		}
		return p.store(ctx, project, delta)
	}
	stored := make(chan error, 1)
	go func() { stored <- p.store(ctx, project, delta) }()
	err := p.stage(ctx, project, staged)
	if unstored := <-stored; err == nil {
		err = unstored
	}
	return err
}

func (p *Pipeline) stage(ctx context.Context, project core.ID, changes []core.FileChange) error {
	if len(changes) == 0 {
		return nil
	}
	return p.deps.Repositories.Stage(ctx, project, changes)
}

// ask calls the guard with the current entry of the first change's file.
func (p *Pipeline) ask(ctx context.Context, tree worktree.Tree, guard Guard, project core.ID, changes []core.FileChange) error {
	if guard == nil || len(changes) == 0 {
		return nil
	}
	row, err := p.cache.row(ctx, core.FileAt{Project: project, Path: changes[0].Path})
	if err != nil {
		return err
	}
	file, entry, err := describe(ctx, tree, changes[0].Path, row)
	if core.IsCode(err, core.CodeNotFound) {
		return guard(nil)
	}
	if err != nil {
		return err
	}
	defer file.Close()
	return guard(&entry)
}

// diskFailed reports whether the disk may differ from a change's result: the sync that
// fails comes after the rename.
func diskFailed(done []worktree.Result) bool {
	for _, result := range done {
		if core.IsCode(result.Err, core.CodeUnavailable) {
			return true
		}
	}
	return false
}

// maxNoticeFiles bounds one notice, which a bus may carry over a network.
const maxNoticeFiles = 500

// publish tells the project's followers. Nothing acknowledged depends on them, so a
// failure of the bus is only logged; followers read again what they missed.
func (p *Pipeline) publish(ctx context.Context, project core.ID, by core.Author, changes []core.FileNotice) {
	for len(changes) > 0 {
		n := min(len(changes), maxNoticeFiles)
		notice := core.Notice{Kind: core.NoticeFiles, ProjectID: project, By: by, Files: changes[:n:n]}
		if err := p.deps.Bus.Publish(ctx, notice); err != nil {
			p.deps.Log.WarnContext(ctx, "followers not told of changed files", "project", project, "error", err)
			return
		}
		changes = changes[n:]
	}
}
