package files

import (
	"context"

	"github.com/atelierhq/atelier/core"
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

// Writer changes projects' files.
type Writer struct{ projects projects }

// changeSet is the changes of one author under one lock.
type changeSet struct {
	by      core.Author
	changes []core.FileChange
	// committed says that the changes become a version under the same lock.
	committed bool
}

// Apply carries out changes in order and returns a result for each. A change that fails
// has its own error and does not stop the others; one whose path differs from another only in
// upper and lower case has core.CodeConflict. When Apply itself returns no error,
// the changes that worked are durable, staged and in the cache, and the project's
// followers have been told.
//
// The guard, if not nil, checks the file that the first change names; Apply returns its
// error with nothing done. Apply also does nothing when it returns CodePayloadTooLarge,
// because the project would exceed MaxProjectBytes. After CodeUnavailable a change may
// be on the disk without being staged or cached: the project's next touch brings them
// in step.
func (w Writer) Apply(ctx context.Context, project core.ID, by core.Author, changes []core.FileChange, guard Guard) ([]Result, error) {
	locked, err := w.projects.lockForChanges(ctx, project, changes)
	if err != nil {
		return nil, err
	}
	defer locked.release()
	return locked.apply(changeSet{by: by, changes: changes}, guard)
}

// ApplyAndCommit is Apply and one version of the paths that the changes name, under one
// lock, so that two batches never end up in each other's version. Everything else that
// is staged stays staged. The version is nil if no change worked or nothing differs
// from the last version.
func (w Writer) ApplyAndCommit(ctx context.Context, project core.ID, changes []core.FileChange, commit vcs.Commit) ([]Result, *core.Version, error) {
	return w.ApplyAndCommitIf(ctx, project, changes, nil, commit)
}

// ApplyAndCommitIf is ApplyAndCommit with conditions: guards has one for each change, nil
// where there is none, or is nil itself. Each is asked before the first change is carried
// out. A change whose guard fails with CodePreconditionFailed has that error as its result,
// and does not stop the others.
func (w Writer) ApplyAndCommitIf(ctx context.Context, project core.ID, changes []core.FileChange, guards []Guard, commit vcs.Commit) ([]Result, *core.Version, error) {
	locked, err := w.projects.lockSaved(ctx, project)
	if err != nil {
		return nil, nil, err
	}
	defer locked.release()
	results, admitted, err := locked.checkGuards(guards, changes)
	if err != nil {
		return nil, nil, err
	}
	left := make([]core.FileChange, len(admitted))
	for i, at := range admitted {
		left[i] = changes[at]
	}
	done, err := locked.apply(changeSet{by: commit.Author, changes: left, committed: true}, nil)
	for i, at := range admitted[:len(done)] {
		results[at] = done[i]
	}
	if err != nil || !anyWorked(results) {
		return results, nil, err
	}
	commit.Paths = pathsOf(left)
	version, changed, err := locked.commit(commit)
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

// Rewrite replaces a file's content with the result of rewrite. It holds the
// project's lock from reading to writing, so that no other write through the
// pipeline comes between; rewrite must be quick and must not use the pipeline.
// rewrite gets at most limit+1 bytes of the content. If it returns false, nothing is
// written and the result has the current entry.
//
// The error is rewrite's, unchanged, CodeNotFound if there is no such file, or
// Apply's.
func (w Writer) Rewrite(ctx context.Context, by core.Author, at core.FileAt, limit int64, rewrite func([]byte) ([]byte, bool, error)) (Result, error) {
	locked, err := w.projects.lockSaved(ctx, at.Project)
	if err != nil {
		return Result{}, err
	}
	defer locked.release()
	content, entry, err := w.projects.read(locked.ctx, at, limit+1)
	if err != nil {
		return Result{}, err
	}
	content, changed, err := rewrite(content)
	if err != nil || !changed {
		return Result{Entry: &entry}, err
	}
	results, err := locked.apply(changeSet{by: by, changes: []core.FileChange{{Op: core.OpWrite, Path: at.Path, Content: content}}}, nil)
	if err != nil {
		return Result{}, err
	}
	return results[0], results[0].Err
}

// Amend calls plan with the project's current files and carries out the changes that it
// returns. It holds the project's lock from reading to writing. Its callers keep edits that
// are not on the disk yet, so unlike all other methods it does not have such edits saved
// first. plan must be quick and must not use the pipeline. Its error is returned unchanged,
// with nothing changed.
//
// written, which may be nil, gets the result of each change on the disk before the lock is
// released, even if a later step fails. It must be quick as well.
func (w Writer) Amend(ctx context.Context, project core.ID, by core.Author, plan func(context.Context, Snapshot) ([]core.FileChange, error), written func([]Result)) error {
	locked, err := w.projects.lockReconciled(ctx, project)
	if err != nil {
		return err
	}
	defer locked.release()
	tree, err := locked.openTree()
	if err != nil {
		return err
	}
	changes, err := plan(locked.ctx, Snapshot{tree})
	if err != nil || len(changes) == 0 {
		return err
	}
	// No check of the project's size: the edits were acknowledged already, and texts of
	// rooms are small. The next write of another kind finds the project full.
	results, err := locked.carryOut(tree, changeSet{by: by, changes: changes})
	if len(results) > 0 && written != nil {
		written(results)
	}
	return err
}

// apply is Writer.Apply.
func (l *lockedProject) apply(set changeSet, guard Guard) ([]Result, error) {
	tree, err := l.openTree()
	if err != nil {
		return nil, err
	}
	if err := l.checkGuard(guard, tree, set.changes); err != nil {
		return nil, err
	}
	if err := l.budget.admit(l.ctx, l.id, tree, set.changes); err != nil {
		return nil, err
	}
	admitted, results := newSpellings(tree.FS()).admit(set.changes)
	switch len(admitted) {
	case len(results):
		return l.carryOut(tree, set)
	case 0:
		return results, nil
	}
	left := make([]core.FileChange, len(admitted))
	for i, at := range admitted {
		left[i] = set.changes[at]
	}
	set.changes = left
	done, err := l.carryOut(tree, set)
	for i, at := range admitted[:len(done)] {
		results[at] = done[i]
	}
	return results, err
}

// carryOut is apply for admitted changes. If it returns before everything is in step,
// the next touch reconciles the project, so that no difference goes unnoticed.
func (l *lockedProject) carryOut(tree worktree.Tree, set changeSet) ([]Result, error) {
	if err := l.mark(); err != nil {
		return nil, err
	}
	inStep := false
	defer func() {
		if !inStep {
			l.fresh.drop(l.id)
		}
	}()
	done := tree.Apply(l.ctx, set.changes)
	ledger := newLedger(l, tree)
	results, err := ledger.enter(set.changes, done)
	if err != nil {
		return results, err
	}
	delta := ledger.delta()
	delta.Unsettled = diskFailed(done) || ledger.movedTree || !l.fresh.has(l.id)
	if anyWorked(results) {
		delta.Edit = l.editors.edit(l.id, set, l.deps.Now())
	}
	if err := ledger.settle(delta); err != nil {
		return results, err
	}
	inStep = !diskFailed(done)
	l.publish(set.by, ledger.notices)
	return results, nil
}

// checkGuards returns a result for each change, and the indexes of the changes whose guards
// hold.
func (l *lockedProject) checkGuards(guards []Guard, changes []core.FileChange) ([]Result, []int, error) {
	tree, err := l.openTree()
	if err != nil {
		return nil, nil, err
	}
	results := make([]Result, len(changes))
	admitted := make([]int, 0, len(changes))
	for i := range changes {
		if guards != nil {
			err := l.checkGuard(guards[i], tree, changes[i:i+1])
			if core.IsCode(err, core.CodePreconditionFailed) {
				results[i].Err = err
				continue
			}
			if err != nil {
				return nil, nil, err
			}
		}
		admitted = append(admitted, i)
	}
	return results, admitted, nil
}

// checkGuard calls the guard with the current entry of the first change's file.
func (l *lockedProject) checkGuard(guard Guard, tree worktree.Tree, changes []core.FileChange) error {
	if guard == nil || len(changes) == 0 {
		return nil
	}
	path := changes[0].Path
	row, err := l.cache.row(l.ctx, core.FileAt{Project: l.id, Path: path})
	if err != nil {
		return err
	}
	file, entry, err := describe(l.ctx, tree, path, row)
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
func (l *lockedProject) publish(by core.Author, changes []core.FileNotice) {
	for len(changes) > 0 {
		n := min(len(changes), maxNoticeFiles)
		notice := core.Notice{Kind: core.NoticeFiles, ProjectID: l.id, By: by, Files: changes[:n:n]}
		if err := l.deps.Bus.Publish(l.ctx, notice); err != nil {
			l.deps.Log.WarnContext(l.ctx, "could not notify followers of changed files", "project", l.id, "error", err)
			return
		}
		changes = changes[n:]
	}
}
