package files

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Result is what became of one change. Entry describes a file that was written or
// renamed; it is nil for a delete, a renamed directory and a change that failed.
type Result struct {
	Entry *core.FileEntry
	// Created says that no file was there before.
	Created bool
	Err     error
}

// Apply carries out changes in order and returns a result for each. A change that
// fails has its own error and does not stop the others. When Apply returns
// without an error of its own, the changes that worked are durable, staged and in
// the cache, and the project's followers have been told.
//
// The guard, when there is one, is asked about the file that the first change
// names; its error is Apply's and nothing is done, as after CodePayloadTooLarge, for
// which the project would take more than MaxProjectBytes. CodeUnavailable means that a
// change may stand on the disk without being staged or cached: the next touch of
// the project brings that in step.
func (p *Pipeline) Apply(ctx context.Context, project core.ID, by core.Author, changes []core.FileChange, guard Guard) ([]Result, error) {
	work, end, err := p.beginWith(ctx, project, changes)
	if err != nil {
		return nil, err
	}
	defer end()
	return p.apply(work, project, hand{Author: by}, changes, guard)
}

// ApplyAndCommit is Apply and one version of the paths that the changes name, under
// one lock, so that two batches never end in each other's version. What else is staged
// stays so. The version is nil when no change worked or nothing differs from the last
// version.
func (p *Pipeline) ApplyAndCommit(ctx context.Context, project core.ID, changes []core.FileChange, commit vcs.Commit) ([]Result, *core.Version, error) {
	work, end, err := p.begin(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	results, err := p.apply(work, project, hand{commit.Author, true}, changes, nil)
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

// Commit makes a version of what is staged and taken by the commit. When nothing is,
// it returns the latest version, the zero one if there is none yet, and false. A
// commit without a time gets the present.
func (p *Pipeline) Commit(ctx context.Context, project core.ID, commit vcs.Commit) (core.Version, bool, error) {
	return p.CommitExcept(ctx, project, commit, nil)
}

// CommitExcept is Commit without what except returns, whose error is returned as it is.
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
func (p *Pipeline) apply(ctx context.Context, project core.ID, by hand, changes []core.FileChange, guard Guard) ([]Result, error) {
	tree, err := p.open(ctx, project)
	if err != nil {
		return nil, err
	}
	if err := p.ask(ctx, tree, guard, project, changes); err != nil {
		return nil, err
	}
	if err := p.admit(ctx, tree, project, changes); err != nil {
		return nil, err
	}
	return p.carryOut(ctx, tree, project, by, changes)
}

// carryOut is apply for changes that were admitted. Whatever leaves it before all
// is in step makes the next touch reconcile the project, so that no difference
// stays that nobody looks for.
func (p *Pipeline) carryOut(ctx context.Context, tree worktree.Tree, project core.ID, by hand, changes []core.FileChange) ([]Result, error) {
	if err := p.mark(ctx, project); err != nil {
		return nil, err
	}
	inStep := false
	defer func() {
		if !inStep {
			p.fresh.drop(project)
		}
	}()
	done := tree.Apply(ctx, changes)
	ledger := newLedger(ctx, tree, func() ([]core.FileEntry, error) { return p.rows(ctx, project) })
	results, err := ledger.enter(changes, done)
	if err != nil {
		return results, err
	}
	delta := ledger.delta()
	delta.Unsettled = diskFailed(done) || ledger.movedTree || !p.fresh.has(project)
	if anyWorked(results) {
		delta.Edit = p.editOf(project, by)
	}
	if err := p.settle(ctx, project, ledger, delta); err != nil {
		return results, err
	}
	inStep = !diskFailed(done)
	p.publish(ctx, project, by.Author, ledger.notices)
	return results, nil
}

// settle brings repository and cache in step with what the ledger holds.
func (p *Pipeline) settle(ctx context.Context, project core.ID, ledger *ledger, delta storage.FileDelta) error {
	err := p.settleBoth(ctx, project, ledger.staged, delta)
	if err == nil && ledger.movedTree {
		_, err = p.reconcile(ctx, project)
	}
	return err
}

// settleBoth changes repository and cache at once, since each waits for a disk of its
// own; but one after the other where the change of the cache takes a mark away, which
// says that all is done.
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

// ask puts the guard's question.
func (p *Pipeline) ask(ctx context.Context, tree worktree.Tree, guard Guard, project core.ID, changes []core.FileChange) error {
	if guard == nil || len(changes) == 0 {
		return nil
	}
	row, err := p.row(ctx, core.FileAt{Project: project, Path: changes[0].Path})
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

// diskFailed reports whether a change may have left the disk other than its
// result says: the failure of a sync comes after the rename.
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

// publish tells the project's followers. Nothing that was acknowledged depends
// on them, so a bus that fails is only logged; followers read again what they
// missed.
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
